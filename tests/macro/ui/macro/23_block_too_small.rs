redist::redistribute! {
    pub struct A: [f64; 10, 20] {
        from: (*, block(3)) onto 4,
        to: (block(5), block(4)) onto (3, 2) transposed,
    }
}

fn main() {}
