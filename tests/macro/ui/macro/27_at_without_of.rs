redist::redistribute! {
    pub struct A: [f64; 50] { from: cyclic(16) onto 2 at 20, to: cyclic(4) onto 2 }
}

fn main() {}
