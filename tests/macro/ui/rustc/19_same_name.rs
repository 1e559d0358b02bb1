pub struct A;

redist::redistribute! {
    pub struct A: [f64; 1000] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
    pub struct B: [f64; 1000] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
}

redist::redistribute! {
    struct B(m: usize): [f64; m] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
}

fn main() {}
