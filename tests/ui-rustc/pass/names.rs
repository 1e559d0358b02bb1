//! Accepted: the user's constants may have any name, also in the type of the elements.

pub const FROM: usize = 3;
pub const TO: usize = 4;
pub const PLAN: usize = 2;
pub const PACK: usize = 2;
pub const EXTENTS: usize = 5;
redist::redistribute! {
    pub struct A: [[f64; FROM]; 100] { from: cyclic(4) onto 2, to: cyclic(3) onto 2 }
    pub struct B: [[f64; PLAN]; TO * 30] { from: cyclic(TO) onto 2, to: cyclic(FROM) onto 2 }
    pub struct C<T: redist::Element>: [[T; PACK]; TO * 30] { from: cyclic(EXTENTS) onto 2, to: cyclic(FROM) onto 2 }
    pub struct D<const NB: usize>(m: usize): [[f64; EXTENTS]; m] { from: cyclic(NB) onto 2, to: cyclic(FROM) onto 2 }
    pub struct E<const PLAN: usize>: [[f64; EXTENTS]; 100] { from: cyclic(PLAN) onto 2, to: cyclic(FROM) onto 2 }
}

fn main() {}
