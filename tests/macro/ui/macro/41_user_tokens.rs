redist::redistribute! {
    pub struct A: [f64; ROWS] { from: cyclic(0) onto 3, to: cyclic(2) onto 3 }
}

fn main() {}
