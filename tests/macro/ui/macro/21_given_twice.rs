redist::redistribute! {
    pub struct A: [f64; 1000] {
        from: cyclic(4) onto 3,
        to: cyclic(2) onto 3 onto 4 order row order col,
        from: cyclic(8) onto 3,
        unroll: 4,
        unroll: 8,
    }
    pub struct B: [f64; 10, 10] {
        from: scalapack(2, 2, 2, 2, 0, 0) first (1, 1),
        to: scalapack(2, 2, 2, 2) first (1, 1),
    }
}

fn main() {}
