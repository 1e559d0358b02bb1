redist::redistribute! {
    pub struct A: [f64; 1000.0] { from: cyclic(4) onto 3, to: cyclic(2.5) onto 3e0 }
}

fn main() {}
