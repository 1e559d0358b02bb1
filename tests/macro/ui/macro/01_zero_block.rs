redist::redistribute! {
    pub struct A: [f64; 1000, 10] { from: (cyclic(0), *) onto 3, to: (*, block(1 - 1)) onto 3 }
}

fn main() {}
