const ZERO: usize = 0;
const BIG: usize = 1 << 63;
const SIGNED: i32 = 4;

redist::redistribute! {
    pub struct A: [f64; BIG, 10, 10] {
        from: (cyclic(ZERO), block(ZERO), cyclic(SIGNED)) onto (ZERO, ZERO, 2),
        to: (cyclic(ZERO + 0), *, *) onto 2 of (BIG, 10, 10),
    }
}

fn main() {}
