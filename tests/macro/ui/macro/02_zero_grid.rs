redist::redistribute! {
    pub struct A: [f64; 1000, 10] { from: (*, cyclic(4)) onto 0, to: (block, block) onto (2, 0) }
}

fn main() {}
