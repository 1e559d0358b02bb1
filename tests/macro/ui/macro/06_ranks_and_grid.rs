redist::redistribute! {
    pub struct A: [f64; 100, 100] {
        from: (cyclic(4), cyclic(4)) onto (2, 3) ranks 0..8,
        to: (cyclic(2), *) onto 2 ranks 12..8,
    }
    pub struct OnOne: [f64; 10, 20] { from: (*, *) ranks 2..5, to: (block, *) onto 2 }
}

fn main() {}
