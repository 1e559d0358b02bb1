redist::redistribute! {
    pub enum A: [f64; 100] { from: cyclic(4) onto 3, to: cyclic(2) onto 3 }
    pub struct: [f64; 100] { from: cyclic(4) onto 3, to: cyclic(2) onto 3 }
    pub struct B: [f64; 100];
    pub struct C: [f64; 100] { from: cyclic(4) onto 3 to: cyclic(2) onto 3 }
    pub struct D: [f64; 100] { from: cyclic(4) onto 3; to: cyclic(2) onto 3 }
    pub struct E: [f64; 100] { from = cyclic(4) onto 3, to = cyclic(2) onto 3 }
    pub struct F: [f64; 100, 100] { from: (cyclic(4) block) onto (3, 2), to: (cyclic(2), *) 3 }
    pub struct G: [f64; 100, 100] { from: (block, block) onto 3, 2, to: (cyclic(2), *) onto }
    pub struct H: [f64; 100] { from: , to: cyclic() onto 3 order }
    pub struct I: [f64; 100] { from: cyclic(2, 3) onto 3, to: gen_block onto 3 }
    pub struct J: [f64; 100] { from: cyclic 4 onto 3, to: onto 3 order row }
    pub struct K: [f64; 100] { from: cyclic(4) onto 3, to: cyclic(2) onto 3, crate: 5 }
}

fn main() {}
