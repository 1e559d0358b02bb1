//! Moves by lists between threads, against the indices themselves.

use super::*;
use crate::transport::threads;

/// Moves the value of each index, twice, and compares.
fn check<T: Element + PartialEq + core::fmt::Debug>(
    extent: usize,
    lists: &[[Vec<usize>; 2]],
    value: impl Fn(usize) -> T + Sync,
) {
    threads::run(lists.len(), |rank| {
        let [from, to] = &lists[rank.rank()];
        let own = [IndexList::new(from), IndexList::new(to)];
        let mut bound = IndexMove::<T>::new(extent, own).bind(rank)?;
        let source: Vec<T> = from.iter().map(|index| value(*index)).collect();
        for _ in 0..2 {
            let mut found = vec![T::ZERO; bound.local_len(Side::Destination)];
            bound.run(&source, &mut found)?;
            assert!(found.iter().zip(to).all(|(found, index)| *found == value(*index)));
            // Others may run what some start.
            found.fill(T::ZERO);
            let mut changing = source.clone();
            if rank.rank() % 3 == 1 {
                bound.run(&source, &mut found)?;
            } else {
                let mut started = bound.start(&changing, &mut found)?;
                changing.fill(T::ZERO);
                while !started.test()? {
                    std::thread::yield_now();
                }
                started.finish()?;
            }
            assert!(found.iter().zip(to).all(|(found, index)| *found == value(*index)));
        }
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn elements_come_where_their_index_is_wanted() {
    for ranks in [1, 2, 3, 5, 8, 9] {
        let extent = 97;
        let lists: Vec<[Vec<usize>; 2]> = (0..ranks)
            .map(|rank| {
                let own = (0..extent).filter(|index| index * index / 7 % ranks == rank);
                let wanted = (0..extent).map(|place| (place * 29 + rank) % extent);
                [own.collect(), wanted.step_by(1 + rank % 3).collect()]
            })
            .collect();
        check(extent, &lists, |index| index as u64);
        check(extent, &lists, |index| [index as u8, 1, (index * 3) as u8]);
        check(extent, &lists, |index| [index as f64; 5]);
    }
}

#[test]
fn mistakes_reach_all_ranks() {
    let errors = threads::run(3, |rank| {
        let own = IndexList::new(&[rank.rank(), 2]);
        let lists = [own, IndexList::new(&[0])];
        Ok::<_, Error>(IndexMove::<f32>::new(3, lists).bind(rank).err().unwrap().to_string())
    })
    .unwrap();
    let twice = |error: &String| error.contains("index 2 is in the source lists of ranks [0, 1]");
    assert!(errors.iter().all(twice), "{errors:?}");
}

#[test]
fn wrong_lengths_are_told_and_the_next_move_works() {
    threads::run(2, |rank| {
        let lists = [IndexList::new(&[rank.rank()]), IndexList::new(&[1 - rank.rank()])];
        let mut bound = IndexMove::<u8>::new(2, lists).bind(rank)?;
        let (mut found, source) = ([7], [rank.rank() as u8, 9]);
        let error = bound.run(&source[..1 + rank.rank()], &mut found).unwrap_err();
        assert_eq!(matches!(error, Error::LocalLength { .. }), rank.rank() == 1, "{error}");
        bound.run(&source[..1], &mut found)?;
        assert_eq!(found, [1 - rank.rank() as u8]);
        let (own, other) = (rank.rank(), 1 - rank.rank());
        let told = format!(
            "rank {own}: has 1 element, 1 message of 1 run out; is to have 1 element, 1 message of 1 run in; \
             0 elements to its own array, in 0 runs\n  to rank {other}: 1 element in 1 run, 1 element by a list\n  \
             from rank {other}: 1 element in 1 run, 1 element by a list"
        );
        assert_eq!(bound.explain(), told);
        let started = bound.start(&source[..1 + rank.rank()], &mut found);
        let error = started.and_then(StartedIndexMove::finish).unwrap_err();
        assert_eq!(matches!(error, Error::LocalLength { .. }), rank.rank() == 1, "{error}");
        bound.start(&source[..1], &mut found)?.finish()?;
        Ok::<_, Error>(())
    })
    .unwrap();
}

#[test]
fn a_started_move_that_is_dropped_is_received_by_the_next_call() {
    threads::run(3, |rank| {
        let own = rank.rank();
        let lists = [IndexList::new(&[own, 3 + own]), IndexList::new(&[(own + 1) % 3, 3 + own])];
        let mut bound = IndexMove::<u16>::new(6, lists).bind(rank)?;
        let source = |call: u16| [10 * call + own as u16, 10 * call + 3 + own as u16];
        let mut found = [99; 2];
        drop(bound.start(&source(1), &mut found)?);
        assert_eq!(found, [99; 2]);
        bound.run(&source(2), &mut found)?;
        assert_eq!(found, [20 + ((own + 1) % 3) as u16, 23 + own as u16]);
        Ok::<_, Error>(())
    })
    .unwrap();
}

/// Elements that stay are copied once, as by a loop; those of other ranks when they are packed, and
/// when they have come.
#[test]
fn a_permutation_copies_no_element_more_often_than_it_must() {
    const EXTENT: usize = 600;
    let pivots: Vec<usize> = (0..EXTENT).map(|place| place * 7 % EXTENT * 11 % EXTENT).collect();
    for ranks in [1, 2, 3] {
        let share = EXTENT / ranks;
        let counts = threads::run(ranks, |rank| {
            let own: Vec<usize> = (rank.rank() * share..(rank.rank() + 1) * share).collect();
            let wanted: Vec<usize> = own.iter().map(|place| pivots[*place]).collect();
            let away = wanted.iter().filter(|index| **index / share != rank.rank()).count();
            let lists = [IndexList::new(&own), IndexList::new(&wanted)];
            let mut bound = IndexMove::<u32>::new(EXTENT, lists).bind(rank)?;
            let source: Vec<u32> = own.iter().map(|index| *index as u32).collect();
            let mut found = vec![0; share];
            bound.run(&source, &mut found)?;
            assert!(found.iter().zip(&wanted).all(|(found, index)| *found as usize == *index));
            let bytes = bound.mover.exchange.copying.counter.bytes.all();
            // A permutation brings as many elements as it sends.
            Ok::<_, Error>((bytes, 4 * (share + away)))
        })
        .unwrap();
        assert!(counts.iter().all(|(bytes, expected)| bytes == expected), "{ranks}: {counts:?}");
    }
}

#[test]
fn volumes_tell_each_partner_and_how_elements_are_copied() {
    threads::run(3, |rank| {
        // Blocks of 100 become every third index; rank 0 has a run of rank 2 and two single ones, too.
        let own: Vec<usize> = (100 * rank.rank()..100 * (rank.rank() + 1)).collect();
        let mut wanted: Vec<usize> = (rank.rank()..300).step_by(3).collect();
        if rank.rank() == 0 {
            wanted.extend((210..230).chain([299, 40]));
        }
        let lists = [IndexList::new(&own), IndexList::new(&wanted)];
        let bound = IndexMove::<u16>::new(300, lists).bind(rank)?;
        let numbers = |side| -> Vec<[usize; 5]> {
            let all = bound.volumes(side).iter();
            all.map(|own| [own.rank, own.elements, own.runs, own.strides, own.singles]).collect()
        };
        let (out, come) = (numbers(Side::Source), numbers(Side::Destination));
        match rank.rank() {
            0 => {
                // 35 of its own: 34 at equal distances, and one more.
                assert_eq!(out, [[0, 35, 35, 1, 1], [1, 33, 33, 1, 0], [2, 33, 33, 1, 0]]);
                // 33 of rank 2 lie together, 20 behind these, and one behind those.
                assert_eq!(come, [[0, 35, 35, 1, 1], [1, 33, 1, 0, 0], [2, 54, 1, 0, 0]]);
            }
            2 => {
                assert_eq!(out[0], [0, 54, 35, 1, 1]);
                let text = bound.explain();
                let line = "to rank 0: 54 elements in 35 runs, 1 group at equal distances, 1 element by a list";
                assert!(text.contains(line), "{text}");
                assert!(text.ends_with("to its own array: 34 elements in 34 runs, 1 group at equal distances"), "{text}");
            }
            _ => assert_eq!(come.len(), 3),
        }
        let sums = [out, come].map(|all| all.iter().map(|volume| volume[1]).sum::<usize>());
        assert_eq!(sums[1], wanted.len());
        Ok::<_, Error>(())
    })
    .unwrap();
}
