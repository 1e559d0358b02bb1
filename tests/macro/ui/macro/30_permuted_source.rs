redist::redistribute! {
    pub struct A: [f64; 5, 6] {
        from: (cyclic(2), *) onto 2 transposed,
        to: (cyclic(2), *) onto 2,
    }
    pub struct B: [f64; 5, 6] {
        from: (cyclic(2), *) onto 2 axes (1, 0),
        to: (cyclic(2), *) onto 2,
    }
}

fn main() {}
