const NB: usize = 2;

struct Solver;

impl Solver {
    redist::redistribute! {
        /// A type, which no `impl` has room for.
        pub struct A: [f64; 1000] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
    }
    redist::redistribute! { struct B: [f64; 1000] { from: cyclic(10) onto 3, to: cyclic(NB) onto 3 } }
}

trait Solve {
    redist::redistribute! { struct C(m: usize): [f64; m] { from: cyclic(10) onto 3, to: cyclic(NB) onto 3 } }
}

fn main() {}
