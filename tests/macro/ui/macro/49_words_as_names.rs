const RANKS: usize = 3;
const FIRST: usize = 1;

const fn ranks() -> usize {
    3
}

redist::redistribute! {
    pub struct A(at: usize, order: usize): [f64; 100] {
        from: cyclic(4) onto RANKS first FIRST of 200 at at,
        to: cyclic(2) onto ranks() order col first order,
    }
    pub struct B: [f64; 100] { from: cyclic(4) onto ranks 0..3, to: cyclic(2) onto first (1, 0) }
    pub struct C: [f64; 100] { from: cyclic(4) onto order col, to: cyclic(2) onto transposed }
}

fn main() {}
