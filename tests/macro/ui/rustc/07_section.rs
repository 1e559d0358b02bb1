const AT: usize = 40;
const STORED: usize = 128;

redist::redistribute! {
    pub struct A: [f64; 100] { from: cyclic(4) onto 3 of STORED at AT, to: block onto 3 }
    pub struct B: [f64; 100, 50] { from: (cyclic(4), *) onto 3, to: (block, *) onto 3 of (128, 64) at (0, AT) }
    pub struct C: [f64; STORED + 1] { from: cyclic(4) onto 3, to: cyclic(4) onto 2 of STORED }
}

fn main() {}
