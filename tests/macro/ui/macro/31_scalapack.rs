redist::redistribute! {
    pub struct A: [f64; 5, 6] {
        from: scalapack(2, 2, 2),
        to: scalapack(2, 0, 2, 2, 0),
    }
    pub struct B: [f64; 5, 6, 7] {
        from: scalapack(2, 2, 2, 2),
        to: (cyclic(2), *, *) onto 2,
    }
}

fn main() {}
