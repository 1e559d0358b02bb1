//! Moves touch nothing outside of arrays.

use crate::cases::{Known, each};
use crate::elements::{empty, held};
use redist::exec::{CopiedBytes, Vectors};
use redist::threads::{self, Rank};
use redist::transport::{Route, Way};
use redist::{Bound, Error, Redistribution, Side, TypedPlan, redistribute};
use redist_testing::guarded::{Flush, noting};
use redist_testing::strategies::{Case, awkward_cases_on, long_lines};

#[derive(Clone, Copy, Debug)]
enum How {
    Lent,
    Messages,
    /// Every other rank only starts it.
    Started,
}

impl How {
    const ALL: [Self; 3] = [Self::Lent, Self::Messages, Self::Started];

    fn bind<const N: usize, const D: usize>(
        self,
        plan: &impl Redistribution<D, Element = [u8; N]>,
        rank: &Rank,
        most: Vectors,
    ) -> Result<Bound<[u8; N], D>, Error> {
        let binder = plan.binder().max_vectors(most);
        let bound = match self {
            How::Lent | How::Started => binder,
            How::Messages => binder.route(Route::Messages),
        };
        let bound = bound.bind(rank)?;
        let lends = matches!(self, How::Lent | How::Started);
        assert_eq!(bound.way(), if lends { Way::Lent } else { Way::Messages });
        Ok(bound)
    }
}

fn moves<const N: usize, const D: usize>(known: &Known<D>, how: How, flush: Flush) {
    let plan = TypedPlan::<[u8; N], D>::from(known.plan);
    let (_, copied) = moves_by::<N, D>(known, &plan, (how, Vectors::detected()), flush);
    assert_eq!(copied.written, 0, "{:?}, {N} bytes, {how:?}", known.case);
}

/// Returns rank 0's description, and all ranks' bytes by each kind of code.
fn moves_by<const N: usize, const D: usize>(
    known: &Known<D>,
    plan: &(impl Redistribution<D, Element = [u8; N]> + Sync),
    (how, most): (How, Vectors),
    flush: Flush,
) -> (String, CopiedBytes) {
    let words = format!("{:?}, {N} bytes, {how:?}, {most}, flush {flush:?}", known.case);
    let result = threads::run(known.ranks(), |rank| {
        noting(&words, || {
            let mut bound = how.bind(plan, rank, most)?;
            let here = rank.rank();
            let source = held::<N>(here, bound.local_len(Side::Source), flush);
            let mut destination = empty::<N>(bound.local_len(Side::Destination), flush);
            if matches!(how, How::Started) && here.is_multiple_of(2) {
                bound.start(&*source, &mut *destination)?.finish()?;
            } else {
                bound.run(&*source, &mut *destination)?;
            }
            assert_eq!(destination[..], known.moved::<N>(here), "{words}, rank {here}");
            Ok::<_, Error>((bound.explain(), bound.copied_bytes()))
        })
    });
    let mut ranks = result.unwrap_or_else(|failure| panic!("{words}: {failure}"));
    let mut copied = CopiedBytes::default();
    ranks.iter().for_each(|(_, bytes)| copied += *bytes);
    let elements: usize = known.messages.values().map(Vec::len).sum();
    // In a move that some ranks start, elements between ranks that run take one pass.
    let (least, most) = match how {
        How::Lent => (1, 1),
        How::Started => (1, 2),
        _ => (2, 2),
    };
    let passes = least * elements * N..=most * elements * N;
    assert!(passes.contains(&copied.all()), "{words}: {copied:?}");
    (ranks.swap_remove(0).0, copied)
}

redistribute! {
    struct Bytes: [[u8; 1]; 3001] { from: cyclic(12) onto 2, to: cyclic(5) onto 3 first 1 }
    struct Words: [[u8; 4]; 1511] { from: cyclic(5) onto 3, to: cyclic onto 3 }
    struct Doubles: [[u8; 8]; 1003] { from: cyclic(4) onto 3 first 2, to: cyclic(6) onto 4 }
    struct Large: [[u8; 8]; 200_003] { from: cyclic(10) onto 2, to: cyclic(2) onto 3 }
    struct Planes: [[u8; 4]; 9, 500] { from: (block, cyclic(10)) onto (2, 2), to: (*, cyclic(4)) onto 3 }
}

fn of_item<const N: usize, const D: usize>(
    item: &(impl Redistribution<D, Element = [u8; N]> + Sync),
) {
    let plan = item.plan();
    let layout = |side| *plan.descriptor(side).layout();
    let (from, to) = (layout(Side::Source), layout(Side::Destination));
    let known = Known::new(Case { extents: plan.extents(), from, to });
    for most in Vectors::runnable() {
        for how in How::ALL {
            for flush in Flush::BOTH {
                let (words, copied) = moves_by::<N, D>(&known, item, (how, most), flush);
                let by_code = words.contains("code for these blocks");
                // Shorter runs than SSE2 moves are the exception.
                let expected = matches!(how, How::Lent)
                    && match most {
                        Vectors::Portable => false,
                        Vectors::Sse2 => N >= 4,
                        _ => true,
                    };
                assert!(by_code || !expected, "{most}, {how:?}: {words}");
                assert!(copied.written > 0 || !by_code, "{most}, {how:?}: {words}: {copied:?}");
            }
        }
    }
}

#[test]
fn items_of_the_macro() {
    of_item(&Bytes::new());
    of_item(&Bytes::new().inverse());
    of_item(&Words::new());
    of_item(&Words::new().inverse());
    of_item(&Doubles::new());
    of_item(&Doubles::new().inverse());
    of_item(&Large::new());
    of_item(&Planes::new());
}

pub fn every_way<const D: usize>(known: &Known<D>) {
    for how in How::ALL {
        for flush in Flush::BOTH {
            moves::<1, D>(known, how, flush);
            moves::<3, D>(known, how, flush);
            moves::<4, D>(known, how, flush);
            moves::<8, D>(known, how, flush);
            moves::<16, D>(known, how, flush);
        }
    }
}

#[test]
fn lines() {
    each(12, awkward_cases_on::<1>(6), every_way);
}

#[test]
fn long() {
    each(16, long_lines(), every_way);
}

#[test]
fn planes() {
    each(12, awkward_cases_on::<2>(6), every_way);
}

#[test]
fn spaces() {
    each(12, awkward_cases_on::<3>(6), every_way);
}
