redist::redistribute! {
    pub struct A: [f64; 10, 20] {
        from: (*, cyclic(3)) onto 4 first (1, 2) of 40,
        to: (cyclic(2), cyclic(2)) onto (2, 2) of (40, 40) at (1, 2, 3) axes (0, 1, 2),
    }
}

fn main() {}
