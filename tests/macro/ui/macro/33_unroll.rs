redist::redistribute! {
    pub struct A: [f64; 100000] { from: cyclic(63) onto 3, to: cyclic(64) onto 3, unroll: 100 }
    pub struct B: [f64; 100000] { from: cyclic(630) onto 3, to: cyclic(641) onto 3, unroll: 256 }
    pub struct C: [f64; 100000] { from: cyclic(63) onto 3, to: cyclic(64) onto 3, unroll: 257 }
    pub struct E: [f64; 100000] { from: cyclic(63) onto 3, to: cyclic(64) onto 3, unroll: 126 }
    pub struct D: [f64; 100000] { from: cyclic(63) onto 3, to: cyclic(64) onto 3, unroll: MANY }
}

fn main() {}
