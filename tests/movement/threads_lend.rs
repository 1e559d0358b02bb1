//! Ranks that share their arrays, beside ranks that only start a move.

use redist::threads;
use redist::{Error, Redistribution, Side, TypedPlan};
use std::thread;

#[test]
fn ranks_may_run_what_others_start() {
    let plan = TypedPlan::<u64, 1>::parse([1003], "cyclic(10) onto 3", "cyclic(3) onto 4").unwrap();
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

/// Some run, some start, one passes too little. All get an error, and the next move works.
#[test]
fn a_wrong_length_where_others_start_stops_all() {
    let plan = TypedPlan::<u64, 1>::parse([90], "block onto 3", "cyclic onto 3").unwrap();
    let result = threads::run(3, |rank| {
        let mut bound = plan.bind(rank)?;
        let source = vec![1; 30];
        for round in 0..27u64 {
            let (starts, culprit) = (round >> rank.rank() & 1 == 1, round as usize / 9);
            let short = if rank.rank() == culprit { &source[1..] } else { &source[..] };
            let mut destination = vec![7; 30];
            let moved = match starts {
                true => bound.start(short, &mut destination).and_then(|started| started.finish()),
                false => bound.run(short, &mut destination),
            };
            match moved {
                Err(Error::LocalLength { .. }) if rank.rank() == culprit => {}
                Err(Error::PeerFailed { rank: told, .. }) if told == culprit => {}
                other => panic!("rank {}: {other:?}", rank.rank()),
            }
            assert_eq!(destination, [7; 30], "nothing may move");
            bound.run(&source, &mut destination)?;
            assert_eq!(destination, [1; 30]);
        }
        Ok::<_, Error>(())
    });
    assert!(result.is_ok(), "{result:?}");
}
