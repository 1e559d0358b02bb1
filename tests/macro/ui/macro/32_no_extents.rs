redist::redistribute! {
    pub struct A: [f64; ] { from: cyclic(2) onto 2, to: cyclic(3) onto 2 }
    pub struct B: [f64] { from: cyclic(2) onto 2, to: cyclic(3) onto 2 }
    pub struct C: f64 { from: cyclic(2) onto 2, to: cyclic(3) onto 2 }
}

fn main() {}
