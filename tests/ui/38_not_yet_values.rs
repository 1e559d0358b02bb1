struct Peer {
    layout: redist::Layout<1>,
}
const PEER: Peer = Peer { layout: redist::Layout::new([redist::Dist::Block], [4]) };
redist::redistribute! {
    pub struct A: [f64; 100] { from: PEER.layout, to: gen_block([10, 20, 70]) onto 3 }
    pub struct B: [f64; 100] { from: 5, to: cyclic(2) onto 3 }
}

fn main() {}
