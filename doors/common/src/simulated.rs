//! All ranks of a plan as threads of this process, which move parts of an array by the library's own
//! transport.

use crate::{DoorPlan, OfRuns, Scaling};
use redist::exec::{AnyBinder, AnyBound};
use redist::layout::Padding;
use redist::threads::{self, Failure, Rank};
use redist::transport::Route;
use redist::{AnyElement, Error, Side};
use std::sync::{Mutex, PoisonError};

/// One rank's arrays in memory, as bytes.
pub struct RankArrays<'a> {
    /// Its part before the move.
    pub source: &'a [u8],
    /// Places of the source's elements, and of the destination's, if they are not dense.
    pub paddings: [Option<Padding>; 2],
    /// Its part after the move.
    pub destination: &'a mut [u8],
}

/// The reason why a plan does not move what its layouts say.
#[derive(Debug, thiserror::Error)]
pub enum NotVerified {
    #[error(
        "the arrays of all ranks take {bytes} bytes, which cannot be had here; verify a plan of smaller extents"
    )]
    Memory { bytes: usize },
    #[error(transparent)]
    Failure(Failure<Error>),
    #[error(
        "rank {rank}: element {offset} of the local destination array is not the one that the layouts put there, by \
         the route {route}; this is a mistake of redist, please report the plan"
    )]
    Element { rank: usize, offset: usize, route: &'static str },
}

/// Ways of threads, with their names in messages.
const ROUTES: [(&str, Route); 2] = [("automatic", Route::Automatic), ("messages", Route::Messages)];

/// Runs every rank of the plan as a thread, and moves the arrays; each rank has its own, by rank.
///
/// # Errors
/// A thread cannot be started; the errors of binding and of a move.
///
/// # Panics
/// There are not as many arrays as ranks.
pub fn simulate(
    plan: &DoorPlan,
    element: AnyElement,
    arrays: Vec<RankArrays<'_>>,
) -> Result<(), Failure<Error>> {
    simulate_by(plan, || plan.binder(element), AnyBound::run, arrays)
}

/// As [`simulate`], but that functions receive what arrives, run by run, with its place in the
/// destination. Elements of destinations have `kept_bytes` bytes each. `function` makes a rank's own.
///
/// # Errors
/// As there.
///
/// # Panics
/// As there, and destinations that are not as many elements of `kept_bytes` bytes.
pub fn simulate_with(
    plan: &DoorPlan,
    element: AnyElement,
    kept_bytes: usize,
    function: impl Fn() -> OfRuns + Sync,
    arrays: Vec<RankArrays<'_>>,
) -> Result<(), Failure<Error>> {
    let run = |bound: &mut AnyBound, source: &[u8], destination: &mut [u8]| {
        bound.run_with(source, destination, kept_bytes, function())
    };
    simulate_by(plan, || plan.binder(element), run, arrays)
}

/// As [`simulate`], but that each destination becomes α op(A) + β B.
///
/// # Errors
/// As there, and elements that are not scaled.
///
/// # Panics
/// As there.
pub fn simulate_scaled(
    plan: &DoorPlan,
    element: AnyElement,
    scaling: &Scaling,
    arrays: Vec<RankArrays<'_>>,
) -> Result<(), Failure<Error>> {
    let run = |bound: &mut AnyBound, source: &[u8], destination: &mut [u8]| {
        run_scaled(bound, scaling, source, destination)
    };
    simulate_by(plan, || plan.binder(element), run, arrays)
}

/// Moves an array, and has the destination become α op(A) + β B.
///
/// # Errors
/// Elements are not scaled; those of [`AnyBound::run_with`].
pub fn run_scaled(
    bound: &mut AnyBound,
    scaling: &Scaling,
    source: &[u8],
    destination: &mut [u8],
) -> Result<(), Error> {
    let element = bound.element();
    let function = scaling.of(element).ok_or_else(|| not_scaled(element))?;
    bound.run_with(source, destination, element.bytes(), function)
}

fn not_scaled(element: AnyElement) -> Error {
    let reason = "types are f32, f64, c32, c64, i32 and i64; bring arrays of one of these".into();
    Error::Unavailable { what: format!("{} times a factor", element.name()), reason }
}

/// As [`simulate`], by options that `binder` sets, and by the move that `run` makes with a rank's arrays.
///
/// # Errors
/// As there.
///
/// # Panics
/// As there.
pub fn simulate_by(
    plan: &DoorPlan,
    binder: impl Fn() -> AnyBinder + Sync,
    run: impl Fn(&mut AnyBound, &[u8], &mut [u8]) -> Result<(), Error> + Sync,
    arrays: Vec<RankArrays<'_>>,
) -> Result<(), Failure<Error>> {
    let ranks = plan.any().ranks();
    assert_eq!(arrays.len(), ranks, "each rank has its arrays");
    let arrays: Vec<_> = arrays.into_iter().map(|arrays| Mutex::new(Some(arrays))).collect();
    let moved = |rank: &Rank| {
        let own = arrays[rank.rank()].lock().unwrap_or_else(PoisonError::into_inner).take();
        let RankArrays { source, paddings, destination } = own.expect("a rank runs once");
        let mut binder = binder();
        for (side, padding) in [Side::Source, Side::Destination].into_iter().zip(paddings) {
            if let Some(padding) = padding {
                binder = binder.padding(side, padding);
            }
        }
        run(&mut binder.bind(rank)?, source, destination)
    };
    threads::run(ranks, moved).map(drop)
}

/// Moves an array of bytes that tell all elements apart between threads, by each route. Looks at
/// every element of every destination. Returns the number of elements that moved in each.
///
/// # Errors
/// An element is wrong, memory or threads cannot be had.
pub fn verify(plan: &DoorPlan, element: AnyElement) -> Result<usize, NotVerified> {
    let (ranks, width) = (plan.any().ranks(), element.bytes());
    let mut sources = filled(plan, Side::Source, width)?;
    for (rank, source) in sources.iter_mut().enumerate() {
        let mut elements = source.chunks_exact_mut(width);
        plan.for_each_number(Side::Source, rank, &mut |number| {
            let element = elements.next().expect("an element for each number");
            number.into_iter().for_each(|number| write(number, element));
        });
    }
    let mut moved = 0;
    for (name, route) in ROUTES {
        let mut destinations = filled(plan, Side::Destination, width)?;
        let arrays = sources.iter().zip(&mut destinations);
        let arrays = arrays.map(|(source, destination)| RankArrays {
            source,
            paddings: [None, None],
            destination,
        });
        let binder = || plan.binder(element).route(route);
        simulate_by(plan, binder, AnyBound::run, arrays.collect()).map_err(NotVerified::Failure)?;
        moved = 0;
        let mut expected = vec![UNTOUCHED; width];
        for (rank, destination) in destinations.iter().enumerate().take(ranks) {
            let (mut wrong, mut elements) = (None, destination.chunks_exact(width).enumerate());
            plan.for_each_number(Side::Destination, rank, &mut |number| {
                let (offset, found) = elements.next().expect("an element for each number");
                match number {
                    Some(number) => write(number, &mut expected),
                    None => expected.fill(UNTOUCHED),
                }
                moved += usize::from(number.is_some());
                wrong = wrong.or((found != expected).then_some(offset));
            });
            if let Some(offset) = wrong {
                return Err(NotVerified::Element { rank, offset, route: name });
            }
        }
    }
    Ok(moved)
}

/// The byte of elements that nothing has written.
const UNTOUCHED: u8 = 0xa5;

/// Makes the local arrays of all ranks on a side.
fn filled(plan: &DoorPlan, side: Side, width: usize) -> Result<Vec<Vec<u8>>, NotVerified> {
    let lens = (0..plan.any().ranks()).map(|rank| plan.local(side, rank).len.saturating_mul(width));
    let lens: Vec<usize> = lens.collect();
    let bytes = lens.iter().copied().fold(0, usize::saturating_add);
    let made = lens.into_iter().map(|len| {
        let mut array = Vec::new();
        array.try_reserve_exact(len).map_err(|_| NotVerified::Memory { bytes })?;
        array.resize(len, UNTOUCHED);
        Ok(array)
    });
    made.collect()
}

/// Writes an element's number as bytes that look drawn, so that short elements differ, too.
fn write(number: usize, element: &mut [u8]) {
    for (word, bytes) in element.chunks_mut(8).enumerate() {
        bytes.copy_from_slice(&mixed(number as u64, word as u64).to_le_bytes()[..bytes.len()]);
    }
}

/// Mixes bits by the finaliser of SplitMix64 (Steele, Lea and Flood).
fn mixed(number: u64, word: u64) -> u64 {
    let sum = number.wrapping_add(word << 56).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let first = (sum ^ (sum >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let second = (first ^ (first >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    second ^ (second >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(extents: &[usize], from: &str, to: &str) -> DoorPlan {
        DoorPlan::parse(extents, from, to).unwrap()
    }

    #[test]
    fn plans_are_verified_with_elements_of_any_size() {
        let tiles = "(cyclic(2), cyclic(3)) onto (2, 2)";
        let section = "(block, *) onto 3 ranks [4, 0, 2] transposed of [20, 15] at [3, 2]";
        for (to, moved) in [("(*, block) onto 3 storage fortran", 12 * 9), (section, 12 * 9)] {
            let plan = plan(&[12, 9], tiles, to);
            for bytes in [1, 3, 8, 20] {
                let element = AnyElement::of_bytes(bytes).unwrap();
                assert_eq!(verify(&plan, element).unwrap(), moved, "{to}: {bytes}");
            }
        }
    }

    #[test]
    fn functions_convert_what_arrives() {
        let plan = plan(&[5], "block onto 2", "cyclic onto 2");
        let sources = [&[0, 1, 2][..], &[3, 4]];
        let mut found = [vec![0xff; 6], vec![0xff; 4]];
        let arrays = sources.iter().zip(&mut found).map(|(source, destination)| RankArrays {
            source,
            paddings: [None, None],
            destination,
        });
        let widen = || -> OfRuns {
            Box::new(|arrived, kept| {
                for (from, to) in arrived.iter().zip(kept.chunks_exact_mut(2)) {
                    to.copy_from_slice(&(100 * u16::from(*from)).to_ne_bytes());
                }
            })
        };
        let byte = AnyElement::of_bytes(1).unwrap();
        simulate_with(&plan, byte, 2, widen, arrays.collect()).unwrap();
        let words = found.map(|bytes| -> Vec<u16> {
            bytes.chunks_exact(2).map(|two| u16::from_ne_bytes([two[0], two[1]])).collect()
        });
        assert_eq!(words, [vec![0, 200, 400], vec![100, 300]]);
    }

    #[test]
    fn arrays_that_are_too_large_are_refused() {
        let plan = plan(&[1 << 62], "block onto 2", "cyclic onto 2");
        let refused = verify(&plan, AnyElement::of_bytes(8).unwrap()).unwrap_err();
        assert!(matches!(refused, NotVerified::Memory { .. }), "{refused}");
    }

    #[test]
    fn whole_arrays_are_dealt_and_put_together() {
        let plan = plan(
            &[4, 3],
            "(cyclic, *) onto 2 of [6, 5] at [1, 2]",
            "(*, block) onto 3 transposed of [5, 7] at [2, 1] storage fortran",
        );
        let element = AnyElement::of_bytes(1).unwrap();
        for side in [Side::Source, Side::Destination] {
            let (scatter, gather) = (plan.scattering(side), plan.scattering(side).inverse());
            let extents = plan.stored(side);
            assert_eq!(scatter.extents(), extents);
            let whole: Vec<u8> = (0..extents.iter().product::<usize>() as u8).collect();
            let ranks = scatter.any().ranks();
            let mut parts: Vec<Vec<u8>> = (0..ranks)
                .map(|rank| vec![0; scatter.local(Side::Destination, rank).len])
                .collect();
            let arrays = parts.iter_mut().enumerate().map(|(rank, part)| RankArrays {
                source: if rank == 0 { &whole } else { &[] },
                paddings: [None, None],
                destination: part,
            });
            simulate(&scatter, element, arrays.collect()).unwrap();
            for (rank, part) in parts.iter().enumerate() {
                for (offset, found) in part.iter().enumerate() {
                    let index = plan.global_index(side, rank, offset).unwrap();
                    let number = index.iter().zip(&extents).fold(0, |sum, (i, n)| sum * n + i);
                    assert_eq!(*found, whole[number]);
                }
            }
            let mut again = vec![0; whole.len()];
            let mut only = Some(&mut again[..]);
            let arrays = parts.iter().map(|part| RankArrays {
                source: part,
                paddings: [None, None],
                destination: only.take().unwrap_or_default(),
            });
            simulate(&gather, element, arrays.collect()).unwrap();
            assert_eq!(again, whole);
        }
    }
}
