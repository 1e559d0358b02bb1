redist::redistribute! {
    pub struct A: [f64; 100, 100_000_000] {
        from: (*, cyclic(9_991)) onto 3,
        to: (*, cyclic(10_000)) onto 3,
        require: tables,
    }
    pub struct B: [f64; 100_000_000_000_000] {
        from: cyclic(10_000_019) onto 3,
        to: cyclic(10_000_000) onto 3,
        require: static,
    }
}

fn main() {}
