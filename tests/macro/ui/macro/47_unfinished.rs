const ROWS: usize = 100;

redist::redistribute! {
    pub struct A(nb: usize): [f64; ROWS] { from: cyclic(nb.) onto 2, to: block onto ROWS.min(4) }
    pub struct B(m: usize): [f64; 10 *] { from: cyclic(m) onto (2 +), to: }
    pub struct C(m: usize): [f64; m + ROWS] { from: cyclic(4) onto 2, to: cyclic(2) onto }
    pub struct D(a: Layout<1>): [f64; ROWS] { from: a, to: }
}

fn main() {}
