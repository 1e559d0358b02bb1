redist::redistribute! {
    pub struct A: [f64; 50, 20] {
        from: (cyclic(16), *) onto 2 of (64, 20) at (20, 0),
        to: (cyclic(16), *) onto 2 of (50, 19),
    }
    pub struct B: [f64; 50, 20] {
        from: (cyclic(16), *) onto 2,
        to: (cyclic(16), *) onto 2 of (20, 50) at (1, 0) transposed,
    }
}

fn main() {}
