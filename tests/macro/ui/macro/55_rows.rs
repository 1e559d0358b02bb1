redist::redistribute! {
    pub struct Sum: [f64; 12] { from: rows([3, 4 x 2], block) onto 2, to: points([5, 5, 5]) onto 3 }
    pub struct Shared: [f64; 12] { from: rows([6, 6], cyclic, points(2)) onto 3, to: block onto 2 }
    pub struct Syntax: [f64; 12] { from: rows([6, 6]) onto 3, to: points(12) onto 2 }
    pub struct Words: [f64; 12] { from: rows([6, 6], block, 3) onto 3, to: points([6 x n]) onto 2 }
    pub struct Unrolled: [f64; 12] { from: cyclic(4) onto 3, to: points([12]) onto 2, require: unrolled }
    pub struct Many: [f64; 12] { from: points([6, 6]) onto 10_000_000, to: rows([6, 6], block, points(9_000_000)) onto 9_000_000 }
    pub struct Parameter(k: usize): [f64; 12] { from: rows([k, 12 - k], block) onto 2, to: block onto 3 }
}

fn main() {}
