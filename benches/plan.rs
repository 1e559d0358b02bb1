//! What a plan made at run time costs one rank, for grids from 4 to 1 000 000 ranks.
//!
//! kr→r with k = 5 and r = 2, an extent of 2^40 elements. Three steps: the plan itself; with the
//! program of one rank, where both grids grow together; with the program, where only the other side
//! grows and with it the number of messages that the rank has to send.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use redist::layout::Dist;
use redist::program::Program;
use redist::{Layout, Plan, Side};
use std::hint::black_box;

const EXTENT: [usize; 1] = [1 << 40];
const RANKS: [usize; 4] = [4, 64, 4096, 1_000_000];

fn layout(block: usize, ranks: usize) -> Layout<1> {
    Layout::new([Dist::Cyclic(block)], [ranks])
}

fn plan(here: usize, there: usize) -> Plan<1> {
    Plan::new(black_box(EXTENT), black_box(layout(10, here)), black_box(layout(2, there)))
        .expect("layouts that meet")
}

fn plan_time(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("plan");
    for ranks in RANKS {
        group.bench_function(BenchmarkId::from_parameter(ranks), |bencher| {
            bencher.iter(|| {
                let plan = plan(ranks, ranks);
                (
                    plan.axis(0).class(),
                    plan.axis(0).window_pieces(),
                    plan.volume(ranks - 1, 1),
                    plan.digest(),
                )
            });
        });
    }
    group.finish();
}

fn program_time(criterion: &mut Criterion, name: &str, here: impl Fn(usize) -> usize) {
    let mut group = criterion.benchmark_group(name);
    for ranks in RANKS {
        let messages =
            Program::new(&plan(here(ranks), ranks).into(), &[], Side::Source, 1).envelopes().len();
        let id = BenchmarkId::from_parameter(format!("{ranks} ranks, {messages} messages"));
        group.bench_function(id, |bencher| {
            bencher.iter(|| Program::new(&plan(here(ranks), ranks).into(), &[], Side::Source, 1));
        });
    }
    group.finish();
}

fn plans(criterion: &mut Criterion) {
    plan_time(criterion);
    program_time(criterion, "plan and program of one rank, as many ranks there as here", |ranks| {
        ranks
    });
    program_time(criterion, "plan and program of one rank of 4", |_| 4);
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = plans
}
criterion_main!(benches);
