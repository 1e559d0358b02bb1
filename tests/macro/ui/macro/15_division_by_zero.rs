redist::redistribute! {
    pub struct A: [f64; 1000] { from: cyclic(64 / 0) onto 3, to: cyclic(64 % (2 - 2)) onto 3 }
}

fn main() {}
