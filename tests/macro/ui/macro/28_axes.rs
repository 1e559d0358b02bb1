redist::redistribute! {
    pub struct A: [f64; 5, 6, 7] {
        from: (cyclic(2), *, *) onto 2,
        to: (cyclic(2), *, *) onto 2 axes (0, 2, 2),
    }
    pub struct B: [f64; 5, 6, 7] {
        from: (cyclic(2), *, *) onto 2,
        to: (cyclic(2), *, *) onto 2 axes (3, 1, 2),
    }
    pub struct C: [f64; 5, 6] {
        from: (cyclic(2), *) onto 2,
        to: (cyclic(2), *) onto 2 axes (ROWS, 1),
    }
}

fn main() {}
