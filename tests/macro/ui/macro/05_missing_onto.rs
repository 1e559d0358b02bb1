redist::redistribute! {
    pub struct A: [f64; 100, 100] {
        from: (cyclic(4), *),
        to: (cyclic(2), block) first (0, 1),
    }
}

fn main() {}
