redist::redistribute! {
    pub struct A(m: usize, k: usize, a: redist::Layout<1>): [f64; m] { from: cyclic(4) onto 3, to: cyclic(2) onto 3 }
    pub struct B(p: usize): [f64; 100] { from: cyclic(4) onto self::p, to: cyclic(x.p) onto 3 }
}

fn main() {
    let _ = A::new(1, 2, "block onto 3".parse().unwrap()).unwrap();
}
