redist::redistribute! {
    pub struct Messages: [f64; 1200] { from: cyclic(10) onto 4, to: cyclic(30) onto 9, require: messages <= 6 }
    pub struct Steps: [f64; 1000, 900] {
        from: (cyclic(16), cyclic(16)) onto (2, 3),
        to: (*, block) onto 6,
        require: static, steps <= 3, messages <= 5,
    }
    pub struct Stays: [f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3, require: stays >= 50% }
    pub struct Elsewhere: [f64; 10] { from: * ranks 1.., to: *, require: tables, stays >= 1% }
    pub struct Met: [f64; 1003] {
        from: cyclic(10) onto 3,
        to: cyclic(2) onto 3,
        require: static, unrolled, messages <= 2, steps <= 3, stays >= 33%, memory <= 11 KiB,
    }
    pub struct Extent(m: usize): [f64; m] {
        from: cyclic(10) onto 3,
        to: cyclic(2) onto 3,
        require: tables, messages <= 2, memory <= 1GiB,
    }
    pub struct Peer(peer: redist::Layout<1>): [f64; 100] { from: peer, to: cyclic(4) onto 3, require: stays >= 10% }
}

fn main() {}
