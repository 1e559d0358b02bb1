const ZERO: usize = 0;
const BIG: usize = 1 << 63;
const SIGNED: i32 = 4;

redist::redistribute! {
    pub struct A: [f64; BIG, 10, 10] {
        from: (cyclic(ZERO), block(ZERO), cyclic(SIGNED)) onto (ZERO, ZERO, 2),
        to: (cyclic(ZERO + 0), *, *) onto 2 of (BIG, 10, 10),
    }
    pub struct B: [f64; 100] { from: cyclic(BIG) onto 3, to: block onto 3 }
}

fn main() {}
