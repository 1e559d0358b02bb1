//! Whole moves between threads, from guarded arrays to guarded arrays.

use crate::cases::{Known, each};
use crate::elements::{empty, held};
use redist::plan::schedule::Method;
use redist::threads::{self, Rank};
use redist::transport::{Route, Way};
use redist::{Bound, Error, Redistribution, RuntimePlan, Side};
use redist_testing::guarded::{Flush, noting};
use redist_testing::strategies::{awkward_cases_on, long_lines};

/// How a move is made.
#[derive(Clone, Copy, Debug)]
enum How {
    /// Between lent arrays.
    Lent,
    /// By messages.
    Messages,
    /// By messages in steps.
    Steps,
    /// Every other rank only starts it.
    Started,
}

impl How {
    const ALL: [Self; 4] = [Self::Lent, Self::Messages, Self::Steps, Self::Started];

    fn bind<const N: usize, const D: usize>(
        self,
        plan: &RuntimePlan<[u8; N], D>,
        rank: &Rank,
    ) -> Result<Bound<[u8; N], D>, Error> {
        let binder = plan.binder();
        let bound = match self {
            How::Lent | How::Started => binder,
            How::Messages => binder.route(Route::Messages),
            How::Steps => binder.method(Method::Caterpillar),
        };
        let bound = bound.bind(rank)?;
        let lends = matches!(self, How::Lent | How::Started);
        assert_eq!(bound.way(), if lends { Way::Lent } else { Way::Messages });
        Ok(bound)
    }
}

fn moves<const N: usize, const D: usize>(known: &Known<D>, how: How, flush: Flush) {
    let words = format!("{:?}, {N} bytes, {how:?}, flush {flush:?}", known.case);
    let plan = RuntimePlan::<[u8; N], D>::from(known.plan);
    let result = threads::run(known.ranks(), |rank| {
        noting(&words, || {
            let mut bound = how.bind(&plan, rank)?;
            let here = rank.rank();
            let source = held::<N>(here, bound.local_len(Side::Source), flush);
            let mut destination = empty::<N>(bound.local_len(Side::Destination), flush);
            if matches!(how, How::Started) && here.is_multiple_of(2) {
                bound.start(&*source, &mut *destination)?.finish()?;
            } else {
                bound.run(&*source, &mut *destination)?;
            }
            assert_eq!(destination[..], known.moved::<N>(here), "{words}, rank {here}");
            Ok::<_, Error>(())
        })
    });
    result.unwrap_or_else(|failure| panic!("{words}: {failure}"));
}

fn every_way<const D: usize>(known: &Known<D>) {
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
