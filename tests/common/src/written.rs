//! Items of the macro with their expected code, for comparison with the bytes that it copies.

use redist::exec::{CopiedBytes, Inverse, Vectors};
use redist::transport::Route;
use redist::{Element, Error, Redistribution, Side, Transport, TypedPlan, redistribute};
use std::fmt::Debug;

pub const RANKS: usize = 4;

const NB: usize = 10;
const P: usize = 3;

redistribute! {
    struct Kr: [f32; 30_000] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
    struct OfConstants: [f32; 30_000] { from: cyclic(NB) onto P, to: cyclic(NB / 5) onto P }
    struct OfGenerics<const B: usize, const R: usize>: [f32; 30_000] {
        from: cyclic(B) onto R,
        to: cyclic(2) onto R,
    }
    struct OfParameters(n: usize): [f32; n] { from: cyclic(NB) onto P, to: cyclic(2) onto P }
    struct Bytes: [u8; 90_000] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
    struct Words: [u16; 60_000] { from: cyclic(3) onto 2, to: cyclic(12) onto 3 }
    struct Rk: [f32; 50_000] { from: cyclic(1) onto 3, to: cyclic(5) onto 2 }
    struct General: [i32; 50_000] { from: cyclic(4) onto 3, to: cyclic(6) onto 4 }
    struct Doubles: [f64; 40_000] { from: cyclic(3) onto 4, to: cyclic(5) onto 3 }
    struct Quads: [u128; 20_000] { from: cyclic(2) onto 3, to: cyclic(3) onto 2 }
    struct Planes: [f32; 40, 3000] { from: (*, cyclic(6)) onto 2, to: (*, cyclic(4)) onto 3 }
    struct Long: [u16; 50_000] { from: cyclic(63) onto 3, to: cyclic(64) onto 4 }
    struct Crossed: [f32; 20, 6010] { from: (cyclic(2), *) onto 3, to: (*, cyclic(5)) onto 4 }
}

/// The copies by expected code: between arrays or from chunks, into messages, and out of them.
#[derive(Clone, Copy, Debug)]
pub struct Expected([bool; 3]);

/// Entries of [`Expected`] and [`Copied`].
const WAYS: [&str; 3] = ["arrays", "packing", "unpacking"];

impl Expected {
    const EVERYWHERE: Self = Self([true; 3]);
    const NOWHERE: Self = Self([false; 3]);
    /// Elsewhere, constant lengths or a network are as fast, or ranks are of too many kinds.
    const PACKS: Self = Self([true, true, false]);
    const UNPACKS: Self = Self([true, false, true]);
    /// SSE2 runs no code for the rest.
    const PACKS_ONLY: Self = Self([false, true, false]);

    /// Returns the inverse's expectation: packing and unpacking change places.
    fn turned(self) -> Self {
        let Self([arrays, packing, unpacking]) = self;
        Self([arrays, unpacking, packing])
    }
}

pub trait Numbered: Element + PartialEq + Debug + Sync {
    /// Returns `number`, or the part of it that such an element holds.
    fn numbered(number: usize) -> Self;
}

macro_rules! numbered {
    ($($element:ty)*) => {$(impl Numbered for $element {
        fn numbered(number: usize) -> Self {
            number as $element
        }
    })*};
}

numbered! { u8 u16 i32 f32 f64 u128 }

pub trait Visitor {
    /// Visits it, with instructions up to some.
    fn visit<R, const D: usize>(
        &mut self,
        name: &str,
        plan: &R,
        vectors: Vectors,
        expected: Expected,
    ) where
        R: Redistribution<D, Element: Numbered> + Sync;
}

/// Passes all items, there and back, with each set of the processor's instructions that has code.
pub fn each(visitor: &mut impl Visitor) {
    let everywhere = [Expected::EVERYWHERE; 2];
    there_and_back(visitor, "literals", &Kr::new(), everywhere);
    there_and_back(visitor, "constants", &OfConstants::new(), everywhere);
    there_and_back(visitor, "generics", &OfGenerics::<10, 3>::new(), everywhere);
    let given = OfParameters::new(30_000).expect("an extent that fits");
    there_and_back(visitor, "an extent at run time", &given, everywhere);
    // SSE2 moves no single bytes or pairs of them.
    there_and_back(visitor, "bytes", &Bytes::new(), [Expected::NOWHERE, Expected::EVERYWHERE]);
    there_and_back(visitor, "words", &Words::new(), [Expected::PACKS_ONLY, Expected::EVERYWHERE]);
    there_and_back(visitor, "r→kr", &Rk::new(), everywhere);
    there_and_back(visitor, "general", &General::new(), [Expected::UNPACKS; 2]);
    there_and_back(visitor, "f64", &Doubles::new(), everywhere);
    there_and_back(visitor, "u128", &Quads::new(), [Expected::UNPACKS; 2]);
    there_and_back(visitor, "rows", &Planes::new(), [Expected::PACKS; 2]);
    there_and_back(visitor, "long steps of short runs", &Long::new(), [Expected::NOWHERE; 2]);
    there_and_back(visitor, "rows to columns", &Crossed::new(), [Expected::PACKS; 2]);
}

/// Visits an item and its inverse; `expected` by SSE2, and by longer vectors.
fn there_and_back<R, const D: usize>(
    visitor: &mut impl Visitor,
    name: &str,
    plan: &R,
    expected: [Expected; 2],
) where
    R: Redistribution<D, Element: Numbered> + Sync,
{
    let back: Inverse<R::Element, D> = plan.inverse();
    for vectors in Vectors::runnable().filter(|level| *level > Vectors::Portable) {
        let expected = expected[usize::from(vectors != Vectors::Sse2)];
        visitor.visit(name, plan, vectors, expected);
        visitor.visit(&format!("{name}, back"), &back, vectors, expected.turned());
    }
}

/// Bytes copied in a move that all ranks run, and in a started one: packed, and unpacked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copied {
    pub written: [usize; 3],
    pub all: [usize; 3],
}

impl Copied {
    /// Subtracts the counts before, between and after the moves.
    fn between(counts: [CopiedBytes; 4]) -> Self {
        let differences = |of: fn(&CopiedBytes) -> usize| -> [usize; 3] {
            std::array::from_fn(|way| of(&counts[way + 1]) - of(&counts[way]))
        };
        Self { written: differences(|bytes| bytes.written), all: differences(CopiedBytes::all) }
    }

    pub fn plus(self, other: Self) -> Self {
        let sum =
            |one: [usize; 3], other: [usize; 3]| std::array::from_fn(|at| one[at] + other[at]);
        Self { written: sum(self.written, other.written), all: sum(self.all, other.all) }
    }
}

/// Moves an array both ways, all ranks by a route and then started. Compares with a run-time plan.
pub fn moved<R, C, const D: usize>(
    plan: &R,
    communicator: &C,
    (vectors, route): (Vectors, Route),
) -> Result<Copied, Error>
where
    R: Redistribution<D, Element: Numbered>,
    C: Transport,
{
    let mut bound = plan.binder().max_vectors(vectors).route(route).bind(communicator)?;
    let mut other = TypedPlan::<R::Element, D>::from(plan.plan()).bind(communicator)?;
    let (rank, len) = (bound.rank(), bound.local_len(Side::Source));
    let source: Vec<R::Element> =
        (0..len).map(|index| R::Element::numbered(100_000 * rank + index)).collect();
    let untouched = vec![R::Element::ZERO; bound.local_len(Side::Destination)];
    let [mut expected, mut found, mut again] = [(); 3].map(|()| untouched.clone());
    other.run(&source, &mut expected)?;
    bound.run(&source, &mut found)?;
    let ran = bound.copied_bytes();
    let started = bound.start(&source, &mut again)?;
    let packed = started.copied_bytes();
    started.finish()?;
    assert!(found == expected && again == expected, "rank {rank} of {}, {vectors}", plan.name());
    Ok(Copied::between([CopiedBytes::default(), ran, packed, bound.copied_bytes()]))
}

/// Checks that all ranks together copied all bytes once in each way. Expected code copies all but
/// the first and last steps of rows.
pub fn check<R, const D: usize>(
    (name, vectors): (&str, Vectors),
    plan: &R,
    (expected, all): (Expected, Copied),
) -> Result<(), String>
where
    R: Redistribution<D, Element: Numbered>,
{
    let bytes = plan.plan().extents().iter().product::<usize>() * size_of::<R::Element>();
    for (way, name_of_way) in WAYS.iter().enumerate() {
        // Only x86-64 has networks, so elsewhere their side may have code, too.
        let any = cfg!(not(target_arch = "x86_64")) && way > 0;
        let right = match expected.0[way] {
            true => all.written[way] >= bytes / 100 * LEAST_PERCENT && all.written[way] <= bytes,
            false => all.written[way] == 0 || any,
        };
        if !right || all.all[way] != bytes {
            return Err(format!(
                "{name}, {vectors}, {name_of_way}: {all:?} of {bytes} bytes, but {expected:?}"
            ));
        }
    }
    Ok(())
}

/// The least percentage of a row without its first and last step.
const LEAST_PERCENT: usize = 99;
