redist::redistribute! {
    pub struct A: [f64; 10, 20] {
        from: (*, cyclic(3)) onto 4 first 4,
        to: scalapack(2, 2, 2, 3, 1, 7),
    }
}

fn main() {}
