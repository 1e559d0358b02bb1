redist::redistribute! {
    pub struct A: [f64; 1000] { from: cyclic(4) onto 3, to: cyclic(2) onto 3, require: statik }
    pub struct B: [f64; 1000] { from: cyclic(4) onto 3, to: cyclic(2) onto 3, require: nothing }
}

fn main() {}
