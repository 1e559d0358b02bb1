redist::redistribute! {
    pub struct A: [f64; 1000] { from: cyclic(4) ontoo 3, to: cyclic(2) onto 3 rank 3.. }
    pub struct B: [f64; 1000] { from: cyclic(4) onto 3 offset 4, to: cyclic(2) Onto 3 shape 5 }
    pub struct C: [f64; 1000] { from: cyclic(4) onto 3 halo 1, to: cyclic(2) onto 3 }
}

fn main() {}
