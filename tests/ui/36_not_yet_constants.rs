const NB: usize = 64;
mod sizes {
    pub const ROWS: usize = 1000;
}
redist::redistribute! {
    pub struct A: [f64; sizes::ROWS] { from: cyclic(NB) onto 3, to: cyclic(NB / 2) onto 3 }
}

fn main() {}
