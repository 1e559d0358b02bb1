const NB: u32 = 4;
const NAME: &str = "4";

redist::redistribute! {
    pub struct A: [f64; 1000, 10] { from: (cyclic(NB), *) onto 3, to: (*, block) onto NAME }
    pub struct B(m: usize): [f64; m] { from: cyclic(m as u32) onto 3, to: block onto 3 }
}

fn main() {}
