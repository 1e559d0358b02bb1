const A: usize = 4;
const B: usize = 2 * A;

redist::redistribute! {
    pub struct Twice: [f64; 100] { from: cyclic(4) onto 3 ranks [8, A, B], to: block onto 2 }
    pub struct Grid: [f64; 100] { from: cyclic(4) onto 3, to: block onto A ranks [0, 2, 4] }
    pub struct High: [f64; 100] { from: cyclic(4) onto 3, to: block onto 2 ranks [0, A << 40] }
    pub struct Right: [f64; 100] { from: cyclic(4) onto 3 ranks [A, 2, B], to: block onto 2 }
}

fn main() {}
