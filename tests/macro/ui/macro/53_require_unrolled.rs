redist::redistribute! {
    pub struct Long: [f64; 100_000] { from: cyclic(5000) onto 9, to: cyclic(4999) onto 9, require: unrolled }
    pub struct Given: [f64; 9] { from: gen_block([4, 5]) onto 2, to: cyclic onto 3, require: unrolled }
    pub struct Blocks(nb: usize): [f64; 1000] { from: cyclic(nb) onto 3, to: cyclic(4) onto 3, require: unrolled }
    pub struct Grid(p: usize): [f64; 1000] { from: cyclic(10) onto 3, to: cyclic(4) onto p, require: unrolled }
    pub struct Peer(peer: redist::Layout<1>): [f64; 100] { from: peer, to: cyclic(4) onto 3, require: unrolled }
    pub struct To(peer: redist::Layout<1>): [f64; 100] { from: cyclic(4) onto 3, to: peer, require: unrolled }
    pub struct Out: [f64; 1000] { from: cyclic(10) onto 3, to: cyclic(4) onto 3, unroll: 0, require: unrolled }
    pub struct Met(n: usize): [f32; n] { from: cyclic(10) onto 3, to: cyclic(4) onto 3, require: unrolled }
}

fn main() {}
