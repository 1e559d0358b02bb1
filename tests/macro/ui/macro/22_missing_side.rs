redist::redistribute! {
    pub struct A: [f64; 1000] { from: cyclic(4) onto 3 }
    pub struct B: [f64; 10, 10] { to: (cyclic(4), *) onto 3 }
    pub struct C: [f64; 10, 10, 10] {}
}

fn main() {}
