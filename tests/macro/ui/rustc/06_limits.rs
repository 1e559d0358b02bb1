const S: usize = 63;
const T: usize = 64;

redist::redistribute! {
    pub struct A: [f64; 100_000] { from: cyclic(S) onto 3, to: cyclic(T) onto 3, tables: 100 }
    pub struct B: [f64; 10, 100_000] { from: (*, cyclic(S)) onto 3, to: (*, cyclic(T)) onto 3, unroll: 100 }
    pub struct C: [f64; 10, 100_000_000] {
        from: (*, cyclic(10_000 - 1)) onto 3,
        to: (*, cyclic(T * 200)) onto 3,
        require: tables,
    }
    pub struct D(m: usize): [f64; m] { from: cyclic(S) onto 3, to: cyclic(T) onto 3, tables: 100, unroll: 100 }
    pub struct E(p: usize): [f64; 10] { from: cyclic(S) onto p, to: cyclic(10_000 * T - 1) onto 3, require: tables }
}

fn main() {}
