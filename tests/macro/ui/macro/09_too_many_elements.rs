redist::redistribute! {
    pub struct A: [f64; 1 << 40, 1 << 40] { from: (cyclic(4), *) onto 4, to: (*, cyclic(4)) onto 4 }
    pub struct B: [f64; 10, 10] {
        from: (cyclic(4), *) onto 4 of (1 << 32, 1 << 32),
        to: (*, cyclic(4)) onto 4,
    }
}

fn main() {}
