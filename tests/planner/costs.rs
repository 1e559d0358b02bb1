//! Costs of plans for 4 to 1 000 000 ranks: closed forms cost the same, lists their length.

use redist::layout::interchange::{Placement, from_placements};
use redist::layout::{Dist, Layout};
use redist::plan::Plan;
use redist::program::Program;
use redist::{Side, threads};
use std::hint::black_box;
use std::time::{Duration, Instant};

const EXTENT: usize = (1 << 30) + 7;

const RANKS: [usize; 3] = [4, 1_000, 1_000_000];

/// A kind of move, and its layouts on so many ranks.
type Kind = (&'static str, fn(usize) -> [Layout<1>; 2]);

const KINDS: [Kind; 6] = [
    ("block → cyclic(64)", |ranks| on(ranks, [Dist::Block, Dist::Cyclic(64)])),
    ("block balanced → cyclic(64)", |ranks| {
        on(ranks, [Dist::Balanced { last: false }, Dist::Cyclic(64)])
    }),
    ("block balanced → block balanced last", |ranks| {
        on(ranks, [false, true].map(|last| Dist::Balanced { last }))
    }),
    ("blocks, one part a rank → block", |ranks| on(ranks, [reversed(ranks), Dist::Block])),
    ("shards of shards → shards", |ranks| shards([Placement::Shard(0); 2], ranks)),
    ("strided shards → shards", |ranks| {
        let strided = Placement::StridedShard { dim: 0, split_factor: ranks / 2 };
        shards([strided, Placement::Shard(0)], ranks)
    }),
];

fn on(ranks: usize, dists: [Dist; 2]) -> [Layout<1>; 2] {
    dists.map(|dist| Layout::new([dist], [ranks]))
}

/// One part a rank, the first on the last rank.
fn reversed(ranks: usize) -> Dist {
    let cuts: Vec<usize> = (1..ranks).map(|rank| rank * (EXTENT / ranks)).collect();
    Dist::blocks(&cuts, &(0..ranks).rev().collect::<Vec<_>>())
}

fn shards(placements: [Placement; 2], ranks: usize) -> [Layout<1>; 2] {
    let numbers: Vec<usize> = (0..ranks).collect();
    let from = from_placements([EXTENT], &[2, ranks / 2], &numbers, &placements);
    [*from.expect("shards").layout(), on(ranks, [Dist::Block; 2])[0]]
}

/// Plans, and finds what ranks compare and what two of them exchange.
fn plan([from, to]: [Layout<1>; 2]) -> Plan<1> {
    let plan = Plan::new([EXTENT], black_box(from), black_box(to)).expect("layouts that meet");
    let axis = plan.axis(0);
    black_box((axis.class(), axis.pieces(), plan.volume(1, 0), plan.digest()));
    plan
}

fn time<T>(work: impl FnOnce() -> T) -> (Duration, T) {
    let began = Instant::now();
    let made = work();
    (began.elapsed(), made)
}

#[test]
fn balanced_blocks_of_a_million_ranks_cost_what_those_of_four_cost() {
    for (name, layouts) in &KINDS[1..3] {
        let least = |ranks| (0..9).map(|_| time(|| plan(layouts(ranks))).0).min();
        let (few, many) = (least(4).unwrap_or_default(), least(1_000_000).unwrap_or_default());
        // A walk over all ranks would take some thousand times as long.
        assert!(many < 100 * few, "{name}: {many:?} against {few:?} for 4 ranks");
    }
}

/// Prints the table of `docs/internals/planning.md`: `cargo test --release --test planner --
/// --ignored --nocapture costs::`.
#[test]
#[ignore = "prints times"]
fn costs_of_all_kinds() {
    println!("| move | ranks | layouts, µs | plan, µs | one rank's program, µs | MiB |");
    for (name, layouts) in KINDS {
        for ranks in RANKS {
            // A thread of its own gives back what it has allocated, but for the lists.
            let row = threads::run(1, |_| {
                let (made, both) = time(|| layouts(ranks));
                let (planned, found) = time(|| plan(both));
                let (programmed, program) =
                    time(|| Program::new(&found.into(), &[], Side::Source, 1));
                assert_eq!(program.moved(), found.descriptor(Side::Source).local_len(1));
                Ok::<_, redist::Error>([made, planned, programmed].map(|time| time.as_micros()))
            });
            let [made, planned, programmed] = row.expect("a plan")[0];
            let memory = resident().map_or(String::new(), |kib| format!("{}", kib / 1024));
            println!("| {name} | {ranks} | {made} | {planned} | {programmed} | {memory} |");
        }
    }
}

/// Returns the most memory that the process has had, in KiB, where the system tells.
fn resident() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Returns the device of an index on a mesh of two dimensions, and its place there, by `torch.chunk`'s
/// rules. The first dimension takes its shares out of as many chunks as the second has devices.
fn strided(index: usize, extent: usize, [ways, factor]: [usize; 2]) -> (usize, usize) {
    let chunk = extent.div_ceil(factor);
    let share = |len: usize, way: usize| {
        let part = len.div_ceil(ways);
        (way * part).min(len)..((way + 1) * part).min(len)
    };
    let (number, within) = (index / chunk, index % chunk);
    let len = |number: usize| chunk.min(extent.saturating_sub(number * chunk));
    let way = (0..ways).find(|way| share(len(number), *way).contains(&within)).expect("a share");
    let whole = extent / chunk;
    let all = share(chunk, way).len() * whole + share(len(whole), way).len();
    let place = share(chunk, way).len() * number + within - share(len(number), way).start;
    let own = all.div_ceil(factor);
    (way * factor + place / own, place % own)
}

/// A million ranks if all is played.
#[test]
fn strided_shards_of_many_ranks_are_where_chunks_put_them() {
    let ranks = if redist_testing::drawn::all() { 1_000_000 } else { 50_000 };
    let extent = 20 * ranks + 7;
    let (mesh, numbers) = ([2, ranks / 2], (0..ranks).collect::<Vec<usize>>());
    let placements =
        [Placement::StridedShard { dim: 0, split_factor: ranks / 2 }, Placement::Shard(0)];
    let array = from_placements([extent], &mesh, &numbers, &placements).expect("shards");
    let ends = [0, 1, extent / 2, extent - 2, extent - 1];
    let drawn = (0..400).map(|number: usize| number.wrapping_mul(0x9e37_79b9_7f4a_7c15) % extent);
    for index in drawn.chain(ends) {
        let (device, place) = strided(index, extent, mesh);
        assert_eq!(array.owner([index]), device, "index {index}");
        assert_eq!(array.local(device).offset_of([index]), Some(place), "index {index}");
    }
    let plain = on(ranks, [Dist::Block; 2])[0];
    let plan = Plan::new([extent], *array.layout(), plain).expect("layouts that meet");
    let block = extent.div_ceil(ranks);
    for own in [0, 1, ranks / 3, ranks - 1] {
        let to = (own * block..extent.min((own + 1) * block))
            .map(|index| strided(index, extent, mesh).0);
        let stays = to.filter(|device| *device == own).count();
        assert_eq!(plan.volume(own, own), stays, "rank {own}");
    }
}
