const P: usize = 3;
const Q: usize = 2;

redist::redistribute! {
    pub struct Ranks: [f64; 100, 50] { from: (cyclic(4), block) onto (P, Q) ranks 0..P, to: (*, *) }
}

redist::redistribute! {
    pub struct First: [f64; 100, 50] { from: (*, block) onto 2, to: (cyclic(4), *) onto P first Q + 1 }
}

redist::redistribute! {
    pub struct Block: [f64; 100, 50] { from: (*, block(8 * Q)) onto P, to: (*, *) }
}

redist::redistribute! {
    pub struct Large: [f64; 100, 50] { from: (*, *), to: (block, block) onto (1 << 20, 4096 * P) }
}

redist::redistribute! {
    pub struct High: [f64; 100, 50] { from: (*, block) onto 2 ranks (P << 30).., to: (block, *) onto 3 }
}

redist::redistribute! {
    pub struct Elements: [f64; P << 61, P] { from: (*, *), to: (block, *) onto 4 }
}

fn main() {}
