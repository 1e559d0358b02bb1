redist::redistribute! {
    pub struct A: [f64; 100, 10_000_000] {
        from: (*, cyclic(9_991)) onto 3,
        to: (*, cyclic(10_000)) onto 3,
        tables: 1_000,
    }
    pub struct B: [f64; 100_000_000_000_000] {
        from: cyclic(10_000_019) onto 3,
        to: cyclic(10_000_000) onto 3,
        tables: 1_000,
    }
    pub struct C: [f64; 1000] { from: cyclic(63) onto 3, to: cyclic(64) onto 3, tables: 10_000_000 }
}

fn main() {}
