//! Channels between threads: accesses and their order, also after errors.

use super::{Failure, Rank, run};
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::transport::{
    Arrays, Channel, Joining, Lent, Options, Partners, Proposal, RankGroup, Shape, Source, Target,
};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

fn lending(rank: &Rank) -> Result<Box<dyn Channel>, Error> {
    let (element, options) = (ElementType::of::<u8>(), &Options::default());
    rank.open(Ok(Proposal {
        element,
        numbers: &[],
        description: format_args!(""),
        method: Method::AllAtOnce,
        arrays: &Default::default(),
        partners: &|| Partners::each_other(rank.rank(), rank.size()),
        options,
        joining: Joining::NEVER,
    }))
}

/// Shares this rank's arrays in a move, and lets `copy` read those of all.
fn lend(
    channel: &mut dyn Channel,
    ready: Result<(), Error>,
    source: &[u8],
    copy: impl FnOnce(&Lent<'_>),
) -> Result<(), Error> {
    let mut arrays = Arrays { source: Source::Own(source), target: Target::Own(&mut []) };
    // SAFETY: the shape is dropped before this returns or unwinds.
    match unsafe { channel.meet(ready, &mut arrays) }? {
        Shape::Lent(lent) => {
            copy(&lent);
            lent.end()
        }
        Shape::Pulled(mut pull) => pull.senders().inspect(|()| panic!("all ranks share")),
        _ => panic!("all ranks share"),
    }
}

fn nothing_is_lent(_: &Lent<'_>) {
    panic!("nothing is lent");
}

struct Tells<'a>(&'a AtomicBool);

impl Drop for Tells<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_panic_while_copying_keeps_the_source_until_no_rank_reads_it() {
    let (gone, read) = (AtomicBool::new(false), AtomicUsize::new(0));
    let result = run(3, |rank| {
        let mut channel = lending(rank)?;
        let here = rank.rank();
        let _tells = (here == 1).then(|| Tells(&gone));
        let source = vec![here as u8 + 7; 1000];
        lend(&mut *channel, Ok(()), &source, |lent| {
            assert!(here != 1, "rank 1 has had enough");
            thread::sleep(Duration::from_millis(50));
            assert!(!gone.load(Ordering::SeqCst), "the source of rank 1 must still be there");
            assert!(lent.sources[1].iter().all(|&value| value == 8));
            read.fetch_add(1, Ordering::SeqCst);
        })
    });
    // The failure names this rank, though the others ended before it did.
    assert_eq!(result, Err(Failure::Panic { rank: 1, message: "rank 1 has had enough".into() }));
    assert_eq!(read.into_inner(), 2);
}

#[test]
fn a_panic_while_copying_is_told_to_those_who_miss_its_share() {
    let result = run(3, |rank| {
        let mut channel = lending(rank)?;
        let copy = |_: &Lent<'_>| assert!(rank.rank() != 1, "rank 1 has had enough");
        let error = lend(&mut *channel, Ok(()), &[1], copy).unwrap_err();
        assert!(matches!(error, Error::PeerFailed { rank: 1, .. }), "{error}");
        Ok::<_, Error>(())
    });
    assert_eq!(result, Err(Failure::Panic { rank: 1, message: "rank 1 has had enough".into() }));
}

#[test]
fn a_panic_that_is_caught_leaves_the_channel_fit_for_use() {
    let result = run(3, |rank| {
        let mut channel = lending(rank)?;
        let enough = |_: &Lent<'_>| assert!(rank.rank() != 1, "rank 1 has had enough");
        let first = || lend(&mut *channel, Ok(()), &[1], enough);
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(first));
        assert_eq!(caught.is_err(), rank.rank() == 1);
        lend(&mut *channel, Ok(()), &[5], |lent| assert_eq!(lent.sources, [[5]; 3]))
    });
    result.unwrap();
}

#[test]
fn a_move_ends_when_the_last_rank_has_read() {
    let reading = AtomicUsize::new(0);
    let result = run(4, |rank| {
        let mut channel = lending(rank)?;
        for round in 0..20 {
            lend(&mut *channel, Ok(()), &[rank.rank() as u8 * 50 + round as u8], |lent| {
                reading.fetch_add(1, Ordering::SeqCst);
                if rank.rank() == round % 4 {
                    thread::sleep(Duration::from_millis(2));
                }
                let expected: Vec<u8> = (0..4).map(|rank| rank * 50 + round as u8).collect();
                assert_eq!(
                    lent.sources.iter().map(|source| source[0]).collect::<Vec<_>>(),
                    expected
                );
            })?;
            assert!(
                reading.load(Ordering::SeqCst) >= 4 * (round + 1),
                "all ranks have read in round {round}"
            );
        }
        Ok::<_, Error>(())
    });
    result.unwrap();
}

#[test]
fn a_rank_that_is_not_ready_lends_nothing() {
    let result = run(3, |rank| {
        let mut channel = lending(rank)?;
        let own = Error::TooFewRanks { needed: 9, size: 3 };
        let ready = if rank.rank() == 2 { Err(own.clone()) } else { Ok(()) };
        let error = lend(&mut *channel, ready, &[1], nothing_is_lent).unwrap_err();
        let told = Error::PeerFailed { rank: 2, reason: own.reason() };
        assert_eq!(error, if rank.rank() == 2 { own } else { told });
        let mut lent = 0;
        lend(&mut *channel, Ok(()), &[5], |_| lent += 1)?;
        assert_eq!(lent, 1, "and the next move works");
        Ok::<_, Error>(())
    });
    result.unwrap();
}

#[test]
fn ranks_that_lost_one_are_told_again_and_again() {
    let told = AtomicUsize::new(0);
    let result = run(3, |rank| {
        let mut channel = lending(rank)?;
        for _ in 0..3 {
            if rank.rank() == 2 {
                return Err(Error::TooFewRanks { needed: 0, size: 0 });
            }
            let error = lend(&mut *channel, Ok(()), &[1], nothing_is_lent).unwrap_err();
            assert!(matches!(error, Error::RankEnded { .. }), "{error}");
            told.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    assert!(matches!(result, Err(Failure::Error { rank: 2, .. })), "{result:?}");
    assert_eq!(told.into_inner(), 6);
}
