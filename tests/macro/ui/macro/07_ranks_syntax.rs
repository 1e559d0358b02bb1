redist::redistribute! {
    pub struct A: [f64; 100] { from: cyclic(4) onto 3 ranks 3, to: cyclic(2) onto 3 ranks ..3 }
    pub struct B: [f64; 100] { from: cyclic(4) onto 3 ranks 0..=2, to: cyclic(2) onto 3 ranks }
}

fn main() {}
