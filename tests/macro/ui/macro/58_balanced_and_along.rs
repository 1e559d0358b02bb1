redist::redistribute! {
    pub struct A: [f64; 100] { from: block balancd onto 3, to: (block balanced lst) onto 7 }
    pub struct B: [f64; 100] { from: block onto 3 copies 2 alon 1, to: block onto 3 copies 2 along 2 }
    pub struct C(axis: usize): [f64; 100] { from: block onto 2 copies 2 along axis, to: * copies 2 along 0 }
    pub struct D: [f64; 100] { from: block onto 2 ranks [3, 1] copies 2 along 1, to: * copies 4 along }
}

fn main() {}
