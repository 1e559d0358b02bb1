//! Plans by lists between ranks that are threads, against the indices themselves.

use super::*;
use crate::layout::{Descriptor, Layout};
use crate::plan::Side;
use std::cell::Cell;
use std::collections::BTreeSet;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread;

/// A rank among threads, each of which has a channel to each.
struct OnThread {
    rank: usize,
    senders: Vec<Sender<(usize, Vec<u64>)>>,
    receiver: Receiver<(usize, Vec<u64>)>,
    /// Words of ranks that were not asked for yet.
    early: Vec<(usize, Vec<u64>)>,
    /// Messages that this rank has sent.
    sent: Cell<usize>,
    /// Ranks that this one has told its runs.
    told: Cell<usize>,
    /// Ranks that this one has sent to, and those that it has received from.
    met: [BTreeSet<usize>; 2],
}

impl Neighbours for OnThread {
    type Error = String;

    fn rank(&self) -> usize {
        self.rank
    }

    fn ranks(&self) -> usize {
        self.senders.len()
    }

    fn exchange(
        &mut self,
        to: Option<usize>,
        words: Vec<u64>,
        from: &[usize],
    ) -> Result<Vec<Vec<u64>>, String> {
        if let Some(to) = to {
            self.sent.set(self.sent.get() + 1);
            self.met[0].insert(to);
            self.senders[to].send((self.rank, words)).map_err(|error| error.to_string())?;
        }
        self.met[1].extend(from);
        self.came(from)
    }

    fn told(
        &mut self,
        to: usize,
        words: &[u64],
        (from, count): (usize, usize),
    ) -> Result<Vec<u64>, String> {
        self.told.set(self.told.get() + 1);
        self.senders[to].send((self.rank, words.to_vec())).map_err(|error| error.to_string())?;
        let words = self.came(&[from])?.concat();
        assert_eq!(words.len(), count, "rank {} from {from}", self.rank);
        Ok(words)
    }
}

impl OnThread {
    fn new(
        rank: usize,
        senders: Vec<Sender<(usize, Vec<u64>)>>,
        receiver: Receiver<(usize, Vec<u64>)>,
    ) -> Self {
        let (early, sent, told, met) = <(Vec<_>, Cell<_>, Cell<_>, [BTreeSet<_>; 2])>::default();
        Self { rank, senders, receiver, early, sent, told, met }
    }

    fn came(&mut self, from: &[usize]) -> Result<Vec<Vec<u64>>, String> {
        let mut all = Vec::new();
        for rank in from {
            loop {
                if let Some(at) = self.early.iter().position(|(sender, _)| sender == rank) {
                    all.push(self.early.remove(at).1);
                    break;
                }
                self.early.push(self.receiver.recv().map_err(|error| error.to_string())?);
            }
        }
        Ok(all)
    }
}

/// Runs `work` on so many threads, and returns what each has found.
fn on_threads<T: Send>(ranks: usize, work: impl Fn(&mut OnThread) -> T + Sync) -> Vec<T> {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..ranks).map(|_| channel()).unzip();
    thread::scope(|scope| {
        let threads: Vec<_> = receivers
            .into_iter()
            .enumerate()
            .map(|(rank, receiver)| {
                let (senders, work) = (senders.clone(), &work);
                let own = OnThread::new(rank, senders, receiver);
                scope.spawn(move || {
                    let mut own = own;
                    work(&mut own)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("no rank panics")).collect()
    })
}

type Programs = Result<Vec<ListProgram>, Vec<Option<ListError>>>;

fn programs(extent: usize, lists: &[[Vec<usize>; 2]], are_equal: bool) -> Programs {
    let planned = on_threads(lists.len(), |own| {
        let [from, to] = [0, 1].map(|side: usize| IndexList::new(&lists[own.rank][side]));
        let sides = ListSides { extent, lists: [&from, &to], are_equal };
        ListProgram::plan(&sides, own).unwrap()
    });
    match planned.iter().all(Result::is_ok) {
        true => Ok(planned.into_iter().flatten().collect()),
        false => Err(planned.into_iter().map(Result::err).collect()),
    }
}

fn places(message: &ListMessage) -> Vec<usize> {
    let place = |run: ListRun, number: usize, at: usize| {
        run.start.wrapping_add_signed(run.step * number as isize) + at
    };
    let of_part = |part: &ListPart| -> Vec<usize> {
        match part {
            ListPart::Places(places) => (0..places.len()).map(|number| places.at(number)).collect(),
            ListPart::Runs(run) => (0..run.count)
                .flat_map(|number| (0..run.len).map(move |at| place(*run, number, at)))
                .collect(),
        }
    };
    message.parts.iter().flat_map(of_part).collect()
}

/// Moves each index to the ranks that want it, and compares what has come with their lists.
fn check(extent: usize, lists: &[[Vec<usize>; 2]], are_equal: bool) -> Vec<ListProgram> {
    let programs = programs(extent, lists, are_equal).expect("lists without mistakes");
    for (rank, own) in programs.iter().enumerate() {
        assert_eq!(own.lens, [0, 1].map(|side: usize| lists[rank][side].len()));
        let mut found = vec![None; own.lens[1]];
        for incoming in &own.messages[1] {
            let sender = &programs[incoming.rank].messages[0];
            let outgoing = sender.iter().find(|message| message.rank == rank).unwrap();
            let (from, to) = (places(outgoing), places(incoming));
            assert_eq!((from.len(), to.len()), (outgoing.len, incoming.len));
            for (from, to) in from.into_iter().zip(to) {
                let index = lists[incoming.rank][0][from];
                assert_eq!(found[to].replace(index), None, "rank {rank} gets place {to} once");
            }
        }
        let found: Vec<usize> = found.into_iter().map(|index| index.expect("all came")).collect();
        assert_eq!(found, lists[rank][1], "rank {rank}");
    }
    let [sent, received] = [0, 1]
        .map(|side: usize| programs.iter().map(|own| own.messages[side].len()).sum::<usize>());
    assert_eq!(sent, received);
    programs
}

/// A generator of numbers: 64 bits of state.
struct Drawn(u64);

impl Drawn {
    fn below(&mut self, end: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % end.max(1)
    }
}

/// Deals a permutation in runs to ranks; wants are drawn, in runs, with duplicates.
fn drawn(drawn: &mut Drawn) -> (usize, Vec<[Vec<usize>; 2]>) {
    let (ranks, extent, longest) = (1 + drawn.below(9), 1 + drawn.below(120), 1 + drawn.below(12));
    let mut lists = vec![[Vec::new(), Vec::new()]; ranks];
    let mut runs = Vec::new();
    let mut index = 0;
    while index < extent {
        let end = extent.min(index + 1 + drawn.below(longest));
        runs.push(index..end);
        index = end;
    }
    for at in (1..runs.len()).rev() {
        runs.swap(at, drawn.below(at + 1));
    }
    for run in runs {
        let owner = drawn.below(ranks);
        match drawn.below(3) {
            0 => lists[owner][0].extend(run.rev()),
            _ => lists[owner][0].extend(run),
        }
    }
    for list in &mut lists {
        for _ in 0..drawn.below(8) {
            let (first, step) = (drawn.below(extent), drawn.below(4));
            let run = (0..1 + drawn.below(longest)).map(|number| first + step * number);
            list[1].extend(run.take_while(|index| *index < extent));
        }
    }
    (extent, lists)
}

#[test]
fn every_index_comes_to_those_who_want_it() {
    let mut numbers = Drawn(7);
    for _ in 0..400 {
        let (extent, lists) = drawn(&mut numbers);
        check(extent, &lists, false);
        // Far apart, indices are kept in no table.
        let far = |list: &Vec<usize>| list.iter().map(|index| 1000 * index).collect();
        let far: Vec<[Vec<usize>; 2]> = lists.iter().map(|own| own.each_ref().map(far)).collect();
        check(1000 * extent, &far, false);
    }
}

#[test]
fn indices_of_several_ranks_are_refused_unless_they_are_equal() {
    let lists = [[vec![0, 1, 2, 3], vec![3]], [vec![5, 4, 3], vec![3, 5, 3]], [vec![2], vec![2]]];
    let errors = programs(6, &lists, false).unwrap_err();
    let found: Vec<ListError> = errors.into_iter().flatten().collect();
    assert_eq!(found, [ListError::Twice { index: 2, ranks: [0, 2] }]);
    let far = lists
        .each_ref()
        .map(|own| own.each_ref().map(|list| list.iter().map(|index| 50 * index).collect()));
    assert!(programs(300, &far, false).is_err());
    check(300, &far, true);
    let programs = check(6, &lists, true);
    assert!(programs[2].messages[0].is_empty(), "the lowest rank sends");
}

#[test]
fn mistakes_name_index_and_rank() {
    let lists = [[vec![0, 1], vec![0]], [vec![2, 3], vec![1, 4]]];
    let found: Vec<_> = programs(5, &lists, false).unwrap_err();
    assert!(found.contains(&Some(ListError::Nowhere { index: 4, rank: 1 })), "{found:?}");
    let lists = [[vec![0, 1], vec![0]], [vec![2, 3], vec![1, 4, 7]]];
    let found: Vec<_> = programs(4, &lists, false).unwrap_err();
    let error = ListError::Outside { side: Side::Destination, place: 1, index: 4, extent: 4 };
    assert_eq!(found[1], Some(error));
    assert!(error.to_string().contains("index 4 at place 1, but there are 4 indices; list 0..4"));
}

/// Deals neighbours to ranks in a drawn order of these, and leaves gaps where `has_gaps`.
fn runs_of_ranks(numbers: &mut Drawn, has_gaps: bool) -> (usize, Vec<Vec<usize>>) {
    let ranks = 1 + numbers.below(9);
    let mut order: Vec<usize> = (0..ranks).collect();
    if numbers.below(2) == 0 {
        order.rotate_left(numbers.below(ranks));
    }
    let (mut lists, mut index) = (vec![Vec::new(); ranks], 0);
    for rank in order {
        index += if has_gaps { numbers.below(9) } else { 0 };
        let count = if numbers.below(5) == 0 { 0 } else { ranks + numbers.below(25) };
        lists[rank].extend(index..index + count);
        index += count;
    }
    // As many indices as let ranks tell each other of their runs.
    (if has_gaps { index + ranks * ranks } else { index.max(1) }, lists)
}

/// Some of these indices, in runs at drawn distances.
fn drawn_from(numbers: &mut Drawn, from: &[usize]) -> Vec<usize> {
    let mut all = Vec::new();
    for _ in 0..numbers.below(7) {
        let (first, step) = (numbers.below(from.len()), [0, 1, 1, 2, 3, 7][numbers.below(6)]);
        let run = (0..1 + numbers.below(60)).map(|number| first + step * number);
        let mut run: Vec<usize> = run.map_while(|place| from.get(place).copied()).collect();
        if numbers.below(3) == 0 {
            run.reverse();
        }
        all.extend(run);
    }
    all
}

#[test]
fn ranks_find_owners_by_themselves_where_each_has_one_run() {
    let mut numbers = Drawn(11);
    for case in 0..600 {
        let (extent, runs) = runs_of_ranks(&mut numbers, case % 2 == 0);
        let all = runs.concat();
        let lists: Vec<[Vec<usize>; 2]> =
            runs.into_iter().map(|run| [run, drawn_from(&mut numbers, &all)]).collect();
        check(extent, &lists, case % 3 == 0);
    }
}

#[test]
fn ranks_find_those_who_want_one_run_each() {
    let mut numbers = Drawn(13);
    for case in 0..600 {
        let (extent, runs) = runs_of_ranks(&mut numbers, false);
        let mut all = runs.concat();
        all.sort_unstable();
        // Every index of all, in runs of three, here in this order and there backwards.
        let mut own = vec![Vec::new(); runs.len()];
        for piece in all.chunks(1 + numbers.below(12)) {
            let rank = numbers.below(own.len());
            match numbers.below(3) {
                0 => own[rank].extend(piece.iter().rev()),
                1 => {
                    own[rank].extend(piece.iter().step_by(2).chain(piece.iter().skip(1).step_by(2)))
                }
                _ => own[rank].extend(piece),
            }
        }
        if extent == all.len() {
            let lists: Vec<_> = own.into_iter().zip(runs).map(|(own, run)| [own, run]).collect();
            check(extent, &lists, case % 5 == 0);
        }
    }
}

#[test]
fn mistakes_are_found_without_a_directory() {
    let block = |rank: usize| (8 * rank..8 * rank + 8).collect::<Vec<_>>();
    let turned = |rank: usize| block(1 - rank).into_iter().rev().collect::<Vec<_>>();
    let told = |lists: &[[Vec<usize>; 2]], extent| -> Vec<Option<ListError>> {
        programs(extent, lists, false).unwrap_err()
    };
    // All wanted, in one run each.
    let mut lists = [[turned(0), block(0)], [turned(1), block(1)]];
    assert!(programs(16, &lists, false).is_ok());
    lists[0][0][2] = 3;
    let twice = ListError::Twice { index: 3, ranks: [0, 1] };
    let nowhere = ListError::Nowhere { index: 13, rank: 1 };
    assert_eq!(told(&lists, 16), [Some(twice), Some(nowhere)]);
    lists[0][0][2] = 12;
    let twice = ListError::Twice { index: 12, ranks: [0, 0] };
    assert_eq!(told(&lists, 16), [None, Some(twice)]);
    lists[0][0].remove(2);
    assert_eq!(told(&lists, 16), [None, Some(nowhere)]);
    // Indices that nobody wants are refused twice, too.
    let [mut one, mut two] = lists.map(|[own, _]| [own, vec![0]]);
    (one[0][0], two[0][0], two[1]) = (4, 4, vec![1]);
    let lists = [one, two];
    let twice =
        |found: &Option<ListError>| matches!(found, Some(ListError::Twice { index: 4, .. }));
    assert!(told(&lists, 16).iter().any(twice));
    // Indices of one run of each rank, and one that is in none.
    let mut lists = [[block(0), turned(0)], [block(1), turned(1)]];
    lists[1][1].extend([17, 18]);
    assert_eq!(told(&lists, 20), [None, Some(ListError::Nowhere { index: 17, rank: 1 })]);
    lists[1][1][5] = 20;
    let outside = ListError::Outside { side: Side::Destination, place: 5, index: 20, extent: 20 };
    assert_eq!(told(&lists, 20), [None, Some(outside)]);
}

#[test]
fn an_index_between_runs_is_nobody_s() {
    let source = |rank: usize| (10 * rank + 2..10 * rank + 9).collect::<Vec<_>>();
    for (wanted, found) in
        [(vec![5, 9], 9), (vec![12, 1], 1), (vec![10], 10), (vec![4, 6, 8, 10, 12], 10)]
    {
        let lists = [[source(0), vec![18]], [source(1), wanted]];
        let expected = [None, Some(ListError::Nowhere { index: found, rank: 1 })];
        assert_eq!(programs(20, &lists, false).unwrap_err(), expected);
    }
}

#[test]
fn runs_that_overlap_are_refused_unless_elements_are_equal() {
    let lists = [[(0..8).collect(), vec![5, 9, 2]], [(4..12).collect(), vec![11, 5, 0]]];
    let twice = ListError::Twice { index: 4, ranks: [0, 1] };
    assert!(programs(12, &lists, false).unwrap_err().contains(&Some(twice)));
    let programs = check(12, &lists, true);
    let sent =
        |rank: usize| programs[rank].messages[0].iter().map(|message| message.len).sum::<usize>();
    assert_eq!([sent(0), sent(1)], [4, 2], "the lowest rank sends");
    // All have all, in no one run, and each wants a block.
    let all = || (0..16).rev().collect::<Vec<usize>>();
    let lists = [[all(), (8..16).collect()], [all(), (0..8).collect()]];
    let programs = check(16, &lists, true);
    assert!(programs[1].messages[0].is_empty());
    assert!(self::programs(16, &lists, false).is_err());
}

#[test]
fn runs_and_strides_are_found_among_places_in_no_order() {
    let source = (200..400).chain(0..200).collect::<Vec<usize>>();
    let mut wanted = vec![7, 2, 9, 0, 4, 13, 1];
    wanted.extend((210..310).step_by(2));
    wanted.extend([5, 3, 8, 11]);
    wanted.extend(330..350);
    wanted.extend([20, 17, 6, 30]);
    let programs = check(400, &[[source, wanted]], false);
    let run = |start, len, count, step| ListPart::Runs(ListRun { start, len, count, step });
    let places = |places: &[u32]| ListPart::Places(Places::Near(places.to_vec()));
    let expected = [
        places(&[207, 202, 209, 200, 204, 213, 201]),
        run(10, 1, 50, 2),
        places(&[205, 203, 208, 211]),
        run(130, 20, 1, 0),
        places(&[220, 217, 206, 230]),
    ];
    assert_eq!(programs[0].messages[0][0].parts[..], expected);
}

#[test]
fn the_way_of_words_is_half_where_each_has_one_run() {
    for ranks in [1, 2, 3, 5, 8] {
        let extent = ranks * ranks;
        let sent = on_threads(ranks, |own| {
            let run: Vec<usize> = (own.rank * ranks..(own.rank + 1) * ranks).collect();
            let dealt: Vec<usize> = (own.rank..extent).step_by(ranks).collect();
            let [run, dealt] = [run, dealt].map(|list| IndexList::new(&list));
            let sides = ListSides { extent, lists: [&run, &dealt], are_equal: false };
            let program = ListProgram::plan(&sides, own).unwrap().unwrap();
            assert_eq!(program.messages[0].len(), ranks);
            (own.sent.get(), own.told.get())
        });
        let steps = ranks.next_power_of_two().trailing_zeros() as usize;
        let most = sent.iter().map(|(sent, _)| *sent).max();
        assert_eq!(most, Some(steps), "{ranks}");
        assert!(sent.iter().all(|(_, told)| *told == steps), "{ranks}: {sent:?}");
    }
}

#[test]
fn strides_are_planned_as_strides() {
    let block = |rank: usize| (1000 * rank..1000 * (rank + 1)).collect::<Vec<_>>();
    let dealt = |rank: usize| (rank..2000).step_by(2).collect::<Vec<_>>();
    let there = check(2000, &[[block(0), dealt(0)], [block(1), dealt(1)]], false);
    let back = check(2000, &[[dealt(0), block(0)], [dealt(1), block(1)]], false);
    let strided = ListPart::Runs(ListRun { start: 1, len: 1, count: 500, step: 2 });
    let together = |start| ListPart::Runs(ListRun { start, len: 500, count: 1, step: 0 });
    let parts = |program: &ListProgram, side: usize, peer: usize| {
        program.messages[side][peer].parts.clone()
    };
    assert_eq!(parts(&there[0], 0, 1), core::slice::from_ref(&strided));
    assert_eq!(
        (parts(&there[0], 1, 0), parts(&there[0], 1, 1)),
        (vec![together(0)], vec![together(500)])
    );
    assert_eq!(parts(&back[0], 1, 1), [strided]);
    assert_eq!(
        (parts(&back[0], 0, 0), parts(&back[0], 0, 1)),
        (vec![together(0)], vec![together(500)])
    );
}

#[test]
fn runs_and_strides_are_found() {
    let list = IndexList::new(&[4, 5, 6, 9, 20, 18, 16, 14, 3, 3, 3, 8, 1]);
    let runs: Vec<_> = list.runs().map(|run| (run.first, run.step, run.count)).collect();
    assert_eq!(runs, [(4, 1, 3), (9, 1, 1), (20, -2, 4), (3, 0, 3), (8, 1, 1), (1, 1, 1)]);
    // Blocks of 16 on rank 0 go to three ranks in turn.
    let from = (0..480).collect::<Vec<usize>>();
    let to = |rank: usize| (0..480).filter(|index| index / 16 % 3 == rank).collect::<Vec<_>>();
    let lists = [[from, to(0)], [vec![], to(1)], [vec![], to(2)]];
    let programs = check(480, &lists, false);
    let run = ListRun { start: 16, len: 16, count: 10, step: 48 };
    assert_eq!(programs[0].messages[0][1].parts, [ListPart::Runs(run)]);
    assert_eq!(
        programs[1].messages[1][0].parts,
        [ListPart::Runs(ListRun { start: 0, len: 160, count: 1, step: 0 })]
    );
}

#[test]
fn lists_of_layouts_are_their_elements() {
    for text in [
        "(cyclic(2), block) onto (2, 2) first (1, 0)",
        "(block, cyclic) onto (2, 2) storage fortran order col",
        "(split([3, 2], block, cyclic), *) onto 4",
        "(*, *) ranks 2..3",
    ] {
        let text = text.replace("block, cyclic), *", "block onto 2, cyclic onto 2), *");
        let array = Descriptor::new([6, 7], text.parse::<Layout<2>>().unwrap()).unwrap();
        for rank in 0..5 {
            let list = IndexList::of(&array, rank);
            let found: Vec<usize> = list.runs().flat_map(|run| run.indices()).collect();
            let indices = array.local(rank).global_indices().map(|[row, column]| 7 * row + column);
            assert_eq!(found, indices.collect::<Vec<_>>(), "{text} {rank}");
        }
    }
    let rows = IndexList::new(&[5, 6, 2]).in_rows(10);
    let runs: Vec<_> = rows.runs().map(|run| (run.first, run.count, run.local)).collect();
    assert_eq!((runs, rows.len()), (vec![(50, 20, 0), (20, 10, 20)], 30));
}

#[test]
fn a_rank_sends_a_logarithm_of_messages_to_plan() {
    for (ranks, expected) in [(1, 0), (2, 2), (5, 6), (8, 6), (13, 8), (64, 12)] {
        let sent = on_threads(ranks, |own| {
            let list = IndexList::new(&[own.rank]);
            let next = IndexList::new(&[(own.rank + 1) % ranks]);
            let sides = ListSides { extent: ranks, lists: [&list, &next], are_equal: false };
            let program = ListProgram::plan(&sides, own).unwrap().unwrap();
            assert_eq!((program.messages[0].len(), program.messages[1].len()), (1, 1));
            let met = met(own.rank, ranks).map(BTreeSet::from_iter);
            assert_eq!(own.met, met, "rank {} of {ranks}", own.rank);
            own.sent.get()
        });
        assert_eq!(sent.into_iter().max(), Some(expected), "{ranks}");
    }
}

#[test]
fn a_rank_meets_few_ranks_to_plan() {
    for ranks in [1_usize, 2, 3, 17, 1000, 1 << 20, (1 << 20) - 7] {
        let most = 2 * ranks.next_power_of_two().trailing_zeros() as usize;
        for own in [0, ranks / 2, ranks - 1, ranks * 2 / 3] {
            let [to, from] = met(own, ranks);
            assert!(to.len() <= most && from.len() <= most, "{own} of {ranks}: {to:?} {from:?}");
            let is_mutual = |to: &usize| met(*to, ranks)[1].contains(&own);
            assert!(to.iter().all(is_mutual), "{own} of {ranks}");
        }
    }
}

#[test]
fn lists_are_the_same_however_they_are_made() {
    let mut numbers = Drawn(3);
    for _ in 0..200 {
        let (_, lists) = drawn(&mut numbers);
        for indices in lists.iter().flatten() {
            let list = IndexList::new(indices);
            let mut pushed = IndexList::default();
            indices.iter().for_each(|index| pushed.push(*index, 1, 1));
            for list in [&list, &pushed] {
                assert_eq!(list.len(), indices.len());
                assert!(list.runs().flat_map(|run| run.indices()).eq(indices.iter().copied()));
                let mut place = 0;
                for run in list.runs() {
                    assert_eq!(run.local, place);
                    place += run.count;
                }
            }
        }
    }
    let mut list = IndexList::new(&[9, 4]);
    list.push(5, 1, 1);
    let runs: Vec<_> = list.runs().map(|run| (run.first, run.count, run.local)).collect();
    assert_eq!(runs, [(9, 1, 0), (4, 2, 1)]);
}

#[test]
fn irregular_places_are_kept_in_one_part() {
    // A short run, and few places at equal distances, are places; longer ones are not.
    let mut wanted = vec![7, 2, 9, 0, 4, 13, 1, 2, 3, 20, 22, 24, 26, 11, 5];
    wanted.extend(30..38);
    wanted.extend((40..104).step_by(2));
    wanted.push(1);
    let lists = [[(0..104).collect::<Vec<usize>>(), wanted]];
    let programs = check(104, &lists, false);
    let parts = &programs[0].messages[0][0].parts;
    let run = |start, len, count, step| ListPart::Runs(ListRun { start, len, count, step });
    let places = |places: &[u32]| ListPart::Places(Places::Near(places.to_vec()));
    let expected = [
        places(&[7, 2, 9, 0, 4, 13, 1, 2, 3, 20, 22, 24, 26, 11, 5]),
        run(30, 8, 1, 0),
        run(40, 1, 32, 2),
        places(&[1]),
    ];
    assert_eq!(parts[..], expected);
    let far: Places = [3, 1 << 32].into_iter().collect();
    assert_eq!((far.at(0), far.at(1), far.part(1..2)), (3, 1 << 32, Places::Far(vec![1 << 32])));
}
