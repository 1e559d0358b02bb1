redist::redistribute! {
    pub struct A: [f64; 1000] { from: cyclic(NB) onto 3, to: peer }
}

fn main() {}
