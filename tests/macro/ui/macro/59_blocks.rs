redist::redistribute! {
    pub struct A: [f64; 100] { from: blocks([40, 30, 101], [0, 3, 1, 2]) onto 3, to: blocks([50], [0]) onto 2 }
    pub struct B: [f64; 100] { from: blocks([50]) onto 2, to: blocks onto 2 }
    pub struct C: [f64; 100] { from: blocks([50], 0) onto 2, to: blocks([50], [0, 1], [2]) onto 2 }
    pub struct D(cut: usize): [f64; 100] { from: blocks([cut], [0, 1]) onto 2, to: blocs([50], [0, 1]) onto 2 }
}

fn main() {}
