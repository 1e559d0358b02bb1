use redist::{Dist, Layout};

const P: usize = 9;
const FROM: Layout<1> = Layout::new([Dist::Cyclic(10)], [4]);

redist::redistribute! {
    pub struct Messages: [f64; 1200] { from: FROM, to: cyclic(30) onto P, require: messages <= 6 }
    pub struct Several: [f64; 1003] {
        from: cyclic(10) onto P,
        to: cyclic(2) onto P,
        require: static, steps <= 8, stays >= 90%, memory <= 1 KiB,
    }
    pub struct Room: [f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3, require: memory <= 10 KiB }
    pub struct Turns: [f64; 1200] { from: cyclic(64) onto 2, to: cyclic(32) onto 2, require: unrolled }
    pub struct Section: [f64; 1000] {
        from: cyclic(10) onto 3 of 1200 at P,
        to: cyclic(2) onto 3,
        require: unrolled,
    }
    pub struct Ranks: [f64; 1200] { from: cyclic(64) onto P, to: cyclic(4) onto P, require: unrolled }
    pub struct Met: [f64; 1003] {
        from: cyclic(10) onto (P / 3),
        to: cyclic(2) onto 3,
        require: static, unrolled, messages <= 2, steps <= 3, stays >= 33%, memory <= 10856,
    }
}

fn main() {}
