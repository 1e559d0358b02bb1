redist::redistribute! {
    pub struct A: [f64; 100] { from: block onto 4, to: * copies 4 storage c }
}

fn main() {}
