const NB: usize = 4;

redist::redistribute! {
    pub struct A: [f64; 1000] { from: cyclic(NB - 5) onto 3, to: cyclic(64 / (NB - 4)) onto 3 }
}

fn main() {}
