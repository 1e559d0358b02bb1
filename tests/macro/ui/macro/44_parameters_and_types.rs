redist::redistribute! {
    pub struct A(a: Layout<1>): [f64; 100, 90] { from: a, to: (block, *) onto 2 }
    pub struct B(a: Layout<2>, b: Layout<2>): [f64; 100] { from: cyclic(a) onto 2, to: block onto b }
    pub struct C(n: usize): [f64; 100, 90] { from: (block, *) onto 2, to: n }
    pub struct D(a: Layout<3>): [f64; a, 20] { from: (block, *) onto 2, to: a }
}

fn main() {}
