//! The strictest user: all lints are errors, all public items have docs, nothing is unsafe.

#![deny(
    warnings,
    missing_docs,
    missing_debug_implementations,
    unreachable_pub,
    unused_qualifications,
    unused_crate_dependencies,
    clippy::all,
    clippy::pedantic
)]
#![forbid(unsafe_code)]

use redist::{Element, Layout, redistribute};

/// Elements in a block.
const NB: usize = 6;

/// A layout known to the compiler.
const ROWS: Layout<2> =
    Layout::new([redist::layout::Dist::Block, redist::layout::Dist::Collapsed], [3, 1]);

/// Sizes of a factorisation.
pub trait Tiles {
    /// Elements in a tile's edge.
    const NB: usize;
}

/// A QR factorisation.
#[derive(Clone, Copy, Debug)]
pub struct Qr;

impl Tiles for Qr {
    const NB: usize = 4;
}

/// An element of one's own.
#[derive(Clone, Copy, Debug, Default, PartialEq, Element)]
#[repr(C)]
pub struct Particle {
    /// Its place.
    pub place: [f64; 3],
    /// Its weight.
    pub mass: f32,
    charge: i32,
}

/// A generic one.
#[derive(Clone, Copy, Debug, Element)]
#[repr(C)]
pub struct Weighted<T: Element, const D: usize>(pub [T; D], pub T)
where
    T: PartialEq;

/// A struct around a struct.
#[derive(Clone, Copy, Debug, Element)]
#[repr(transparent)]
pub struct Marked(Weighted<u16, 3>);

redistribute! {
    /// Structs.
    pub struct Particles: [Particle; 1003] { from: cyclic(10) onto 3, to: cyclic(4) onto 3 }
    /// Generic structs.
    pub struct Points: [Weighted<f32, 2>; 100] { from: cyclic(NB) onto 2, to: block onto 3 }
    /// Structs around structs.
    pub struct Marks(m: usize): [Marked; m] { from: cyclic(NB) onto 2, to: block onto 3 }
    /// Literals.
    pub struct Literals: [f64; 1003] { from: cyclic(10) onto 3, to: cyclic(4) onto 3 }
    /// Constants.
    pub struct Constants: [f64; 100, 90] {
        from: (cyclic(NB), cyclic(<Qr as Tiles>::NB)) onto (2, 2),
        to: (cyclic(NB + 1), *) onto 4,
    }
    /// A generic element.
    pub struct Elements<T: Element>: [T; 100] where T: PartialEq { from: cyclic(NB) onto 2, to: block onto 3 }
    /// A constant generic.
    pub struct Generics<const B: usize>: [f64; 1000] { from: cyclic(B) onto 4, to: cyclic(2 * B + 1) onto 5 }
    /// Extents at run time.
    pub struct Extents(m: usize, n: usize): [f32; m, n] {
        from: (cyclic(NB), cyclic(3)) onto (2, 2),
        to: (cyclic(4), cyclic(NB)) onto (2, 2),
    }
    /// Blocks and grids at run time.
    pub struct Blocks(nb: usize, p: usize): [f32; 200] { from: cyclic(nb) onto p, to: cyclic(2 * nb) onto 3 }
    /// One side at run time.
    pub struct Couple(peer: Layout<2>): [f64; 60, 60] { from: peer, to: (cyclic(NB), cyclic(NB)) onto (2, 2) }
    /// One side a constant.
    pub struct Value: [f64; 60, 60] { from: ROWS, to: (*, block) onto 3 }
    /// Everything at run time.
    pub struct Any<T: Element>(m: usize, a: Layout<1>, b: Layout<1>): [T; m] { from: a, to: b }
}

// Unused private items give no warning from inside the expansion.
redistribute! {
    struct Unused: [u8; 10] { from: block onto 2, to: cyclic onto 2 }
}

#[cfg(test)]
mod tests {
    use super::{
        Any, Blocks, Constants, Couple, Elements, Extents, Generics, Literals, Marks, Particles,
        Points, Value,
    };
    use redist::{Error, Redistribution, TypedPlan};

    fn same<const D: usize>(plan: &impl Redistribution<D>, from: &str, to: &str) {
        let other = TypedPlan::<u8, D>::parse(plan.plan().extents(), from, to).expect("a layout");
        assert_eq!(plan.plan(), other.plan(), "{}", plan.name());
    }

    #[test]
    fn they_plan() -> Result<(), Error> {
        let peer = || "(block, *) onto 3".parse().expect("a layout");
        let line = |text: &str| text.parse().expect("a layout");
        same(&Particles::new(), "cyclic(10) onto 3", "cyclic(4) onto 3");
        same(&Points::new(), "cyclic(6) onto 2", "block onto 3");
        same(&Marks::new(50)?, "cyclic(6) onto 2", "block onto 3");
        same(&Literals::new(), "cyclic(10) onto 3", "cyclic(4) onto 3");
        same(&Constants::new(), "(cyclic(6), cyclic(4)) onto (2, 2)", "(cyclic(7), *) onto 4");
        same(&Elements::<u16>::new(), "cyclic(6) onto 2", "block onto 3");
        same(&Generics::<3>::new(), "cyclic(3) onto 4", "cyclic(7) onto 5");
        same(
            &Extents::new(50, 40)?,
            "(cyclic(6), cyclic(3)) onto (2, 2)",
            "(cyclic(4), cyclic(6)) onto (2, 2)",
        );
        same(&Blocks::new(5, 2)?, "cyclic(5) onto 2", "cyclic(10) onto 3");
        same(&Couple::new(peer())?, "(block, *) onto 3", "(cyclic(6), cyclic(6)) onto (2, 2)");
        same(&Value::new(), "(block, *) onto 3", "(*, block) onto 3");
        same(
            &Any::<f64>::new(9, line("block onto 2"), line("cyclic onto 2"))?,
            "block onto 2",
            "cyclic onto 2",
        );
        Ok(())
    }
}
