//! Items of the macro's with the code that is expected for them, to be held against the bytes that
//! it copies.

use redist::exec::{CopiedBytes, Inverse, Vectors};
use redist::transport::Route;
use redist::{Element, Error, Redistribution, RuntimePlan, Side, Transport, redistribute};
use std::fmt::Debug;

/// Ranks of the largest item.
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
    struct Long: [f64; 50_000] { from: cyclic(63) onto 3, to: cyclic(64) onto 4 }
    struct Crossed: [f32; 20, 6010] { from: (cyclic(2), *) onto 3, to: (*, cyclic(5)) onto 4 }
}

/// Where code is expected to copy: between the arrays of all ranks, or from chunks of them; into
/// messages; and out of them.
#[derive(Clone, Copy, Debug)]
pub struct Expected([bool; 3]);

/// What [`Expected`] and [`Copied`] list.
const WAYS: [&str; 3] = ["arrays", "packing", "unpacking"];

impl Expected {
    const EVERYWHERE: Self = Self([true; 3]);
    const NOWHERE: Self = Self([false; 3]);
    /// On the other side moves of a constant length or a network are as fast, or there are too many
    /// kinds of ranks.
    const PACKS: Self = Self([true, true, false]);
    const UNPACKS: Self = Self([true, false, true]);
    /// No code that SSE2 can run is written for the rest.
    const PACKS_ONLY: Self = Self([false, true, false]);

    /// Of the inverse: what packs there unpacks on the way back.
    fn turned(self) -> Self {
        let Self([arrays, packing, unpacking]) = self;
        Self([arrays, unpacking, packing])
    }
}

/// Elements that can be told apart.
pub trait Numbered: Element + PartialEq + Debug + Sync {
    /// Number `number`, or what of it such an element can hold.
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

/// What is done with each item.
pub trait Visitor {
    /// Does it, by instructions up to some.
    fn visit<R, const D: usize>(
        &mut self,
        name: &str,
        plan: &R,
        vectors: Vectors,
        expected: Expected,
    ) where
        R: Redistribution<D, Element: Numbered> + Sync;
}

/// Hands over all items, there and back, with each set of instructions that the processor has and
/// that code is written for.
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
    there_and_back(visitor, "long blocks", &Long::new(), [Expected::NOWHERE; 2]);
    there_and_back(visitor, "rows to columns", &Crossed::new(), [Expected::PACKS; 2]);
}

/// `expected` by SSE2, and by longer vectors.
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

/// Bytes that were copied in a move that all ranks run, and in one that is started: packed, and
/// unpacked.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copied {
    /// By written code.
    pub written: [usize; 3],
    /// By whatever it was.
    pub all: [usize; 3],
}

impl Copied {
    /// The differences between what was counted before the moves, between them, and after them.
    fn between(counts: [CopiedBytes; 4]) -> Self {
        let differences = |of: fn(&CopiedBytes) -> usize| -> [usize; 3] {
            std::array::from_fn(|way| of(&counts[way + 1]) - of(&counts[way]))
        };
        Self { written: differences(|bytes| bytes.written), all: differences(CopiedBytes::all) }
    }

    /// On this rank and another.
    pub fn plus(self, other: Self) -> Self {
        let sum =
            |one: [usize; 3], other: [usize; 3]| std::array::from_fn(|at| one[at] + other[at]);
        Self { written: sum(self.written, other.written), all: sum(self.all, other.all) }
    }
}

/// Moves an array both ways, all ranks by a route and then started, and compares what arrives with what
/// a run-time plan brings.
///
/// # Errors
/// Where a plan cannot be bound, or a move fails.
///
/// # Panics
/// If what arrives differs.
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
    let mut other = RuntimePlan::<R::Element, D>::from(plan.plan()).bind(communicator)?;
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

/// Whether all ranks together copied all bytes once in each way, and as many by written code as
/// expected: all but the first and last steps of rows, or none.
///
/// # Errors
/// What was found.
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
        // Only x86-64 has networks: elsewhere there may be code for the side that they would take.
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

/// The first and the last step of a row are at most so much less than all of it, in the items here.
const LEAST_PERCENT: usize = 99;
