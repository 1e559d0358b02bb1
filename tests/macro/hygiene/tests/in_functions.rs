//! The macro in every place for items: in functions, in methods of generic types, in other macros.

#![deny(warnings)]
#![forbid(unsafe_code)]

use redist::exec::Tier;
use redist::plan::Class;
use redist::{Element, Redistribution, redistribute};

#[test]
fn in_a_function() {
    const NB: usize = 4;
    redistribute! { struct Local: [f64; 10 * NB] { from: cyclic(NB) onto 2, to: cyclic(NB / 2) onto 2 } }
    assert_eq!(Local::new().plan().axis(0).class(), Class::KrToR { k: 2, r: 2 });
    {
        // The inner one is meant.
        const NB: usize = 5;
        redistribute! { struct Local: [f64; 10 * NB] { from: cyclic(NB) onto 2, to: cyclic(1) onto 2 } }
        assert_eq!(Local::new().plan().extents(), [50]);
    }
    const PLAN: Local = Local::new();
    assert_eq!((PLAN.plan().extents(), PLAN.tier()), ([40], Tier::Constant));
}

#[test]
fn in_a_closure_and_a_constant() {
    let ranks = || {
        redistribute! { struct Local(p: usize): [u8; 100] { from: block onto p, to: cyclic onto 2 } }
        Local::new(7).unwrap().plan().ranks()
    };
    const EXTENT: usize = {
        redistribute! { struct Local: [u8; 100] { from: block onto 3, to: cyclic onto 2 } }
        size_of::<Local>() + 100
    };
    assert_eq!((ranks(), EXTENT), (7, 100));
}

trait Tiles {
    const NB: usize;

    /// A method that has a body already.
    fn digest(&self) -> redist::plan::Digest {
        redistribute! { struct Within: [f64; 60] { from: cyclic(5) onto 2, to: cyclic(3) onto 2 } }
        Within::new().plan().digest()
    }
}

struct Solver<T, const P: usize>(T);

impl<T: Element, const P: usize> Solver<T, P> {
    fn blocks(&self) -> [usize; 2] {
        const NB: usize = 4;
        // An item cannot name the generics around it, so it has its own.
        redistribute! {
            struct Within<E: Element, const Q: usize>: [E; 60] { from: cyclic(NB) onto Q, to: cyclic(NB + 1) onto Q }
        }
        let axis = Within::<T, P>::new().plan().axis(0);
        [redist::Side::Source, redist::Side::Destination].map(|side| axis.side(side).block())
    }
}

impl<T, const P: usize> Tiles for Solver<T, P> {
    const NB: usize = 6;
}

#[test]
fn in_generic_methods() {
    let solver = Solver::<_, 3>(0.0);
    assert_eq!(solver.blocks(), [4, 5]);
    assert_eq!(solver.digest(), solver.digest());
    redistribute! {
        struct Outside: [f64; 60] { from: cyclic(<Solver<f64, 3> as Tiles>::NB) onto 2, to: cyclic(4) onto 2 }
    }
    assert_eq!(Outside::new().plan().axis(0).window(), 12);
    assert_eq!(solver.0, 0.0);
}

macro_rules! reblock {
    ($name:ident, $element:ty, $extent:expr, $source:expr => $destination:expr, $ranks:literal) => {
        redistribute! {
            struct $name: [$element; $extent] {
                from: cyclic($source) onto $ranks,
                to: cyclic(2 * $destination) onto $ranks,
            }
        }
    };
}

#[test]
fn in_a_macro() {
    const NB: usize = 4;
    // An expression stays together without visible parentheses.
    reblock!(Constants, f64, 10 * NB, NB + 1 => NB - 1, 2);
    reblock!(Literals, [u8; 3], 1 + 9, 3 => 1 + 2, 2);
    let blocks = |axis: redist::plan::Axis| {
        (axis.side(redist::Side::Source).block(), axis.side(redist::Side::Destination).block())
    };
    assert_eq!(blocks(Constants::new().plan().axis(0)), (5, 6));
    assert_eq!(blocks(Literals::new().plan().axis(0)), (3, 6));
}
