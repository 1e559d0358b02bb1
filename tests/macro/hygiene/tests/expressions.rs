//! Every form of expression for a size or a side, and all attributes around an item.

#![deny(warnings)]
#![forbid(unsafe_code)]

use redist::layout::{Dist, Ranks};
use redist::{Element, Layout, Redistribution, TypedPlan, redistribute};

const ARRAY: [usize; 3] = [2, 3, 4];
const WIDTH: u8 = 5;

mod sizes {
    pub trait Tiles {
        const NB: usize;
    }

    pub struct Qr;

    impl Tiles for Qr {
        const NB: usize = 6;
    }

    pub const fn block(of: usize) -> usize {
        of + 1
    }
}

const fn rows(ranks: usize) -> Layout<2> {
    Layout::new([Dist::Block, Dist::Collapsed], [ranks, 1])
}

const fn cyclic<const B: usize>() -> Layout<1> {
    Layout::new([Dist::Cyclic(B)], [2])
}

redistribute! {
    struct Constants: [f64; ARRAY.len() * 40, size_of::<f64>()] {
        from: (cyclic(ARRAY[1]), cyclic({ const X: usize = 2; X })) onto (sizes::block(1), if WIDTH > 4 { 2 } else { 1 }),
        to: (cyclic(WIDTH as usize), cyclic(<sizes::Qr as sizes::Tiles>::NB - ARRAY[0])) onto (ARRAY[0], 2),
    }
    struct Sides: [f64; 60, 60] { from: rows(3).first([2, 0]), to: { rows(ARRAY[2]) } }
    struct Given(nb: usize, peer: Layout<2>): [f64; 60, 60] {
        from: peer.ranks(Ranks::From(nb.min(2))),
        to: (cyclic(nb.max(ARRAY[0])), cyclic([nb, 2][0] + { let nb = 1; nb })) onto (2, 2),
    }
    struct Computed(ranks: usize): [f64; 60, 60] { from: rows(ranks * 2), to: rows(ranks) }
    struct OfGenerics<const B: usize>: [f64; 60] { from: cyclic::<B>(), to: cyclic(B.div_ceil(2)) onto { B } }
    struct Raw(r#type: usize, r#fn: usize): [f64; r#fn] { from: cyclic(r#type) onto 2, to: block onto 2 }
    struct Defaults<'a, T: Element = f64, const B: usize = 4>: [T; 60] where T: 'a { from: cyclic(B) onto 2, to: block onto 2 }
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    struct Derived<T: Element>(n: usize): [T; n] { from: cyclic(3) onto 2, to: block onto 2 }
    #[allow(non_camel_case_types)]
    pub(crate) struct lower: [f64; 60] { from: cyclic(3) onto 2, to: block onto 2 }
}

fn same<const D: usize>(plan: &impl Redistribution<D>, from: &str, to: &str) {
    let other = TypedPlan::<u8, D>::parse(plan.plan().extents(), from, to).unwrap();
    assert_eq!(plan.plan(), other.plan(), "{}", plan.name());
}

#[test]
fn they_are_what_they_say() {
    same(
        &Constants::new(),
        "(cyclic(3), cyclic(2)) onto (2, 2)",
        "(cyclic(5), cyclic(4)) onto (2, 2)",
    );
    same(&Sides::new(), "(block, *) onto 3 first 2", "(block, *) onto 4");
    let given = Given::new(3, rows(3)).unwrap();
    same(&given, "(block, *) onto 3 ranks 2..5", "(cyclic(3), cyclic(4)) onto (2, 2)");
    same(&Computed::new(2).unwrap(), "(block, *) onto 4", "(block, *) onto 2");
    same(&OfGenerics::<5>::new(), "cyclic(5) onto 2", "cyclic(3) onto 5");
    same(&Raw::new(3, 70).unwrap(), "cyclic(3) onto 2", "block onto 2");
    same(&Defaults::<f32, 4>::new(), "cyclic(4) onto 2", "block onto 2");
    same(&<Defaults>::new(), "cyclic(4) onto 2", "block onto 2");
    same(&lower::new(), "cyclic(3) onto 2", "block onto 2");
    assert_eq!(Derived::<f64>::new(9).unwrap(), Derived::new(9).unwrap());
}

macro_rules! passed_on {
    ($name:ident, $block:ident, $type:ty, $path:path, $literal:literal, $size:expr, $side:expr, $($rest:tt)*) => {
        redistribute! {
            struct $name: [$type; 10 * $literal] {
                from: cyclic(<$path as sizes::Tiles>::NB + 2 * $size) onto $block,
                to: $side,
                $($rest)*
            }
        }
    };
}

#[test]
fn passed_on_by_a_macro() {
    use sizes::Qr;
    const P: usize = 2;
    passed_on!(Passed, P, f64, Qr, 6, P + 1, cyclic::<4>(), unroll: 0);
    same(&Passed::new(), "cyclic(12) onto 2", "cyclic(4) onto 2");
}
