redist::redistribute! {
    pub struct A(m: f64): [f64; 10] { from: cyclic(4) onto 3, to: cyclic(2) onto 3 }
    pub struct B: [f64; 100] { from: 5, to: cyclic(2) onto 3 }
}

fn main() {}
