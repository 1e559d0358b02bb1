redist::redistribute! {
    pub struct Twice: [f64; 100] {
        from: cyclic(4) onto 5 ranks [3, 1, 4, 1, 3],
        to: cyclic(2) onto 3 ranks [2, 2147483647, 2],
    }
    pub struct Count: [f64; 100, 90] {
        from: (cyclic(4), block) onto (2, 3) ranks [0, 2, 4, 6],
        to: (*, *) ranks [1, 2],
    }
    pub struct Numbers: [f64; 100] { from: block onto 3 ranks [0, -1, 2.5], to: block onto 2 ranks [] }
    pub struct Words: [f64; 100] { from: block onto 2 ranks [0 1], to: block onto 2 }
    pub struct Open(m: usize): [f64; m] { from: block onto 4, to: cyclic(3) onto 4, relabel: to }
    pub struct Side: [f64; 100] { from: block onto 4, to: cyclic(3) onto 4, relabel: from }
    pub struct Many: [f64; 10000] { from: block onto 4, to: cyclic(3) onto 2000, relabel: to }
}

fn main() {}
