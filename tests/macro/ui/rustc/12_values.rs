use redist::{Dist, Layout};

const LINE: Layout<1> = Layout::new([Dist::Cyclic(4)], [2]);
const WRONG: Layout<2> = Layout::new([Dist::Cyclic(4), Dist::Collapsed], [2, 3]);
const NUMBER: usize = 4;

redist::redistribute! {
    pub struct A: [f64; 100, 100] { from: LINE, to: (block, *) onto 3 }
    pub struct B: [f64; 100, 100] { from: (block, *) onto 3, to: WRONG }
    pub struct C: [f64; 100, 100] { from: WRONG, to: WRONG }
    pub struct D: [f64; 100] { from: NUMBER, to: cyclic(LINE) onto 3 }
}

fn main() {}
