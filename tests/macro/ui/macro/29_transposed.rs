redist::redistribute! {
    pub struct A: [f64; 5, 6, 7] {
        from: (cyclic(2), *, *) onto 2,
        to: (cyclic(2), *, *) onto 2 transposed,
    }
    pub struct B: [f64; 5, 6] {
        from: (cyclic(2), *) onto 2,
        to: (cyclic(2), *) onto 2 transposed axes (1, 0),
    }
    pub struct C: [f64; 5] { from: cyclic(2) onto 2, to: cyclic(3) onto 2 transposed }
}

fn main() {}
