redist::redistribute! {
    pub struct A(nb: usize): [f64; 100, 90] {
        from: (cyclic(nb), *) onto 3,
        to: (cyclic(4), *) onto 3,
        require: tables,
    }
    pub struct B(nb: usize, p: usize): [f64; 100, 90] {
        from: (block, cyclic(2)) onto (p, 2),
        to: (*, cyclic(2 * nb)) onto 3,
        require: tables,
    }
    pub struct C(peer: redist::Layout<1>): [f64; 100] { from: peer, to: cyclic(4) onto 3, require: tables }
    pub struct D(m: usize): [f64; 100, m] { from: (block, *) onto 2, to: (*, block) onto 2, require: tables }
    pub struct E(m: usize, n: usize): [f64; m, n] {
        from: (cyclic(4), *) onto 2,
        to: (*, block) onto n of (400, m + n),
        require: tables,
    }
}

fn main() {}
