//! Items of the macro's with the code that is expected for them, to be held against the bytes that
//! it copies.

use redist::exec::Inverse;
use redist::exec::Vectors;
use redist::{Element, Error, Redistribution, RuntimePlan, Side, Transport, redistribute};
use std::fmt::Debug;
use std::ops::Range;

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
    struct Crossed: [f32; 200, 210] { from: (cyclic(2), *) onto 3, to: (*, cyclic(5)) onto 4 }
}

/// Where code is expected to copy.
#[derive(Clone, Copy, Debug)]
pub struct Expected {
    /// How many of packing and unpacking together.
    pub messages: usize,
    /// Copies between the arrays of all ranks, or from chunks of them.
    pub arrays: bool,
}

impl Expected {
    const EVERYWHERE: Self = Self { messages: 2, arrays: true };
    const NOWHERE: Self = Self { messages: 0, arrays: false };
    /// On one side, moves of a constant length or a network are as fast, or there are too many
    /// kinds of ranks.
    const ONE_SIDE: Self = Self { messages: 1, arrays: true };
    /// The other side stores another dimension together.
    const ONE_END: Self = Self { messages: 1, arrays: false };
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
    there_and_back(visitor, "words", &Words::new(), [Expected::ONE_END, Expected::EVERYWHERE]);
    there_and_back(visitor, "r→kr", &Rk::new(), everywhere);
    there_and_back(visitor, "general", &General::new(), [Expected::ONE_SIDE; 2]);
    there_and_back(visitor, "f64", &Doubles::new(), everywhere);
    there_and_back(visitor, "u128", &Quads::new(), [Expected::ONE_SIDE; 2]);
    there_and_back(visitor, "rows", &Planes::new(), [Expected::ONE_SIDE; 2]);
    there_and_back(visitor, "long blocks", &Long::new(), [Expected::NOWHERE; 2]);
    there_and_back(visitor, "rows to columns", &Crossed::new(), [Expected::ONE_END; 2]);
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
        visitor.visit(&format!("{name}, back"), &back, vectors, expected);
    }
}

/// Bytes that written code copied on a rank.
#[derive(Clone, Copy, Debug, Default)]
pub struct Copied {
    /// In a move that all ranks run.
    pub arrays: usize,
    /// In one that is started, whose messages are packed and unpacked.
    pub messages: usize,
}

/// Moves an array both ways, and compares what arrives with what a run-time plan brings.
///
/// # Errors
/// Where a plan cannot be bound, or a move fails.
///
/// # Panics
/// If what arrives differs.
pub fn moved<R, C, const D: usize>(
    plan: &R,
    communicator: &C,
    vectors: Vectors,
) -> Result<Copied, Error>
where
    R: Redistribution<D, Element: Numbered>,
    C: Transport,
{
    let mut bound = plan.binder().max_vectors(vectors).bind(communicator)?;
    let mut other = RuntimePlan::<R::Element, D>::from(plan.plan()).bind(communicator)?;
    let (rank, len) = (bound.rank(), bound.local_len(Side::Source));
    let source: Vec<R::Element> =
        (0..len).map(|index| R::Element::numbered(100_000 * rank + index)).collect();
    let untouched = vec![R::Element::ZERO; bound.local_len(Side::Destination)];
    let [mut expected, mut found, mut again] = [(); 3].map(|()| untouched.clone());
    other.run(&source, &mut expected)?;
    bound.run(&source, &mut found)?;
    let arrays = bound.calls().written_bytes;
    bound.start(&source, &mut again)?.finish()?;
    assert!(found == expected && again == expected, "rank {rank} of {}, {vectors}", plan.name());
    Ok(Copied { arrays, messages: bound.calls().written_bytes - arrays })
}

/// Whether all ranks together copied as many bytes by written code as expected: most, or none.
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
    // Only x86-64 has networks: elsewhere there may be code for the side that they would take.
    let most = match expected.messages {
        1 if cfg!(not(target_arch = "x86_64")) => 2,
        ways => ways,
    };
    let range =
        |least: usize, most: usize| -> Range<usize> { least * bytes / 10 * 8..most * bytes + 1 };
    let arrays = usize::from(expected.arrays);
    let (arrays, messages) = (range(arrays, arrays), range(expected.messages, most));
    if arrays.contains(&all.arrays) && messages.contains(&all.messages) {
        return Ok(());
    }
    Err(format!("{name}, {vectors}: {all:?} of {bytes} bytes, but {expected:?}"))
}
