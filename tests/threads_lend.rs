//! Ranks that lend each other their source arrays: who may read them until when, whatever goes wrong.

use redist::plan::schedule::Method;
use redist::threads::{self, Failure, Rank};
use redist::transport::{Arrived, Channel, Lent, Proposal};
use redist::{Digest, ElementType, Envelope, Error, Redistribution, RuntimePlan, Side, Transport};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

/// A channel on which every rank sends one element to every rank.
fn channel(rank: &Rank) -> Result<threads::ThreadChannel, Error> {
    let messages: Vec<Envelope> = (0..rank.size()).map(|rank| Envelope { rank, len: 1 }).collect();
    let (outgoing, incoming) = (&messages[..], &messages[..]);
    let (element, digest, method) = (ElementType::of::<u8>(), Digest(1), Method::AllAtOnce);
    let description = format_args!("");
    rank.open(Ok(Proposal { element, digest, description, method, steps: None, outgoing, incoming }))
}

fn never(_: &mut [&mut [u8]]) {
    panic!("nothing is packed where all ranks lend");
}

fn nothing_arrives(_: Arrived<'_, '_>, _: &mut [u8]) {
    panic!("nothing arrives");
}

/// Tells when it is dropped, and takes its time over it.
struct Tells<'a>(&'a AtomicBool);

impl Drop for Tells<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::SeqCst);
        thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn a_panic_while_copying_keeps_the_source_until_nobody_reads_it() {
    let (gone, read) = (AtomicBool::new(false), AtomicUsize::new(0));
    let result = threads::run(3, |rank| {
        let mut channel = channel(rank)?;
        let here = rank.rank();
        let _tells = (here == 1).then(|| Tells(&gone));
        let source = vec![here as u8 + 7; 1000];
        let unpack = &mut |arrived: Arrived<'_, '_>, _: &mut [u8]| {
            let Arrived::Lent(Lent { sources, .. }) = arrived else { panic!("all ranks lend") };
            assert!(here != 1, "rank 1 has had enough");
            thread::sleep(Duration::from_millis(50));
            assert!(!gone.load(Ordering::SeqCst), "the source of rank 1 must still be there");
            assert!(sources[1].iter().all(|&value| value == 8));
            read.fetch_add(1, Ordering::SeqCst);
        };
        channel.exchange(Ok(()), &source, &mut [], &mut never, unpack)
    });
    // It is named, though the others ended before it did.
    assert_eq!(result, Err(Failure::Panic { rank: 1, message: "rank 1 has had enough".into() }));
    assert_eq!(read.into_inner(), 2);
}

#[test]
fn a_panic_while_copying_is_told_to_those_who_miss_its_share() {
    let result = threads::run(3, |rank| {
        let mut channel = channel(rank)?;
        let copy = &mut |_: Arrived<'_, '_>, _: &mut [u8]| assert!(rank.rank() != 1, "rank 1 has had enough");
        let error = channel.exchange(Ok(()), &[1], &mut [2], &mut never, copy).unwrap_err();
        assert!(matches!(error, Error::PeerFailed { rank: 1, .. }), "{error}");
        Ok::<_, Error>(())
    });
    assert_eq!(result, Err(Failure::Panic { rank: 1, message: "rank 1 has had enough".into() }));
}

#[test]
fn an_exchange_ends_when_the_last_rank_has_read() {
    let reading = AtomicUsize::new(0);
    let result = threads::run(4, |rank| {
        let mut channel = channel(rank)?;
        for round in 0..20 {
            let unpack = &mut |arrived: Arrived<'_, '_>, _: &mut [u8]| {
                let Arrived::Lent(Lent { sources, .. }) = arrived else { panic!("all ranks lend") };
                reading.fetch_add(1, Ordering::SeqCst);
                if rank.rank() == round % 4 {
                    thread::sleep(Duration::from_millis(2));
                }
                let expected: Vec<u8> = (0..4).map(|rank| rank * 50 + round as u8).collect();
                assert_eq!(sources.iter().map(|source| source[0]).collect::<Vec<_>>(), expected);
            };
            channel.exchange(Ok(()), &[rank.rank() as u8 * 50 + round as u8], &mut [], &mut never, unpack)?;
            assert!(reading.load(Ordering::SeqCst) >= 4 * (round + 1), "all ranks have read in round {round}");
        }
        Ok::<_, Error>(())
    });
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn a_rank_that_is_not_ready_lends_nothing() {
    let result = threads::run(3, |rank| {
        let mut channel = channel(rank)?;
        let own = Error::TooFewRanks { needed: 9, size: 3 };
        let ready = if rank.rank() == 2 { Err(own.clone()) } else { Ok(()) };
        let error = channel.exchange(ready, &[1], &mut [], &mut never, &mut nothing_arrives).unwrap_err();
        let told = Error::PeerFailed { rank: 2, reason: own.reason() };
        assert_eq!(error, if rank.rank() == 2 { own } else { told });
        let mut arrived = 0;
        channel.exchange(Ok(()), &[5], &mut [], &mut never, &mut |_, _| arrived += 1)?;
        assert_eq!(arrived, 1, "and the next exchange works");
        Ok::<_, Error>(())
    });
    assert!(result.is_ok(), "{result:?}");
}

#[test]
fn ranks_that_lost_one_are_told_again_and_again() {
    let told = AtomicUsize::new(0);
    let result = threads::run(3, |rank| {
        let mut channel = channel(rank)?;
        for _ in 0..3 {
            if rank.rank() == 2 {
                return Err(Error::TooFewRanks { needed: 0, size: 0 });
            }
            let error = channel.exchange(Ok(()), &[1], &mut [], &mut never, &mut nothing_arrives).unwrap_err();
            assert!(matches!(error, Error::RankEnded { .. }), "{error}");
            told.fetch_add(1, Ordering::Relaxed);
        }
        Ok(())
    });
    assert!(matches!(result, Err(Failure::Error { rank: 2, .. })), "{result:?}");
    assert_eq!(told.into_inner(), 6);
}

/// Some run the move, others start it and finish it late; who does what changes from round to round.
#[test]
fn ranks_may_run_what_others_start() {
    let plan = RuntimePlan::<u64, 1>::parse([1003], "cyclic(10) onto 3", "cyclic(3) onto 4").unwrap();
    let part = |side: Side, rank: usize, round: u64| -> Vec<u64> {
        let descriptor = *plan.plan().descriptor(side);
        let mut local = vec![0; descriptor.local_len(rank)];
        for global in (0..1003).filter(|&global| descriptor.owner([global]) == rank) {
            local[descriptor.local_offset([global])] = global as u64 + round;
        }
        local
    };
    let result = threads::run(4, |rank| {
        let mut bound = plan.bind(rank)?;
        let mut destination = vec![0; bound.local_len(Side::Destination)];
        for round in 0..64u64 {
            let mut source = part(Side::Source, rank.rank(), round);
            if round >> rank.rank() & 1 == 1 {
                let started = bound.start(&source, &mut destination)?;
                source.fill(u64::MAX); // may be written to
                thread::yield_now();
                started.finish()?;
            } else {
                bound.run(&source, &mut destination)?;
            }
            assert_eq!(destination, part(Side::Destination, rank.rank(), round), "round {round}");
        }
        Ok::<_, Error>(())
    });
    assert!(result.is_ok(), "{result:?}");
}
