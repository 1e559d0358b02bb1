redist::redistribute! {
    pub struct A: [f64; 10 - 20] { from: cyclic(-4) onto 3, to: cyclic(2) onto 3 first -1 }
}

fn main() {}
