//! Packing and unpacking of one rank as a fraction of `memcpy` of the same bytes, in the same run.
//!
//! kr→r, r→kr and a general redistribution on 4 ranks, each planned by the macro from literals, by
//! rustc from constants and at run time, beside `memcpy`. Every benchmark states its throughput;
//! the table at the end states the fractions, from interleaved passes.

use criterion::{BenchmarkId, Criterion, Throughput};
use redist::{Redistribution, RuntimePlan, Side, redistribute};
use std::hint::black_box;
use std::time::Instant;

/// Blocks that only rustc knows.
const BLOCKS: [usize; 4] = [2, 4, 10, 200];

redistribute! {
    struct Kr10: [f32; 20_000_000] { from: cyclic(10) onto 4, to: cyclic(2) onto 4 }
    struct Kr200: [f32; 20_000_000] { from: cyclic(200) onto 4, to: cyclic(2) onto 4 }
    struct Rk10: [f32; 20_000_000] { from: cyclic(2) onto 4, to: cyclic(10) onto 4 }
    struct General: [f32; 20_000_000] { from: cyclic(10) onto 4, to: cyclic(4) onto 4 }
    struct SmallKr10: [f32; 1_000_000] { from: cyclic(10) onto 4, to: cyclic(2) onto 4 }
    struct SmallKr200: [f32; 1_000_000] { from: cyclic(200) onto 4, to: cyclic(2) onto 4 }
    struct SmallRk10: [f32; 1_000_000] { from: cyclic(2) onto 4, to: cyclic(10) onto 4 }
    struct SmallGeneral: [f32; 1_000_000] { from: cyclic(10) onto 4, to: cyclic(4) onto 4 }

    struct ConstKr10: [f32; 20_000_000] { from: cyclic(BLOCKS[2]) onto 4, to: cyclic(BLOCKS[0]) onto 4 }
    struct ConstKr200: [f32; 20_000_000] { from: cyclic(BLOCKS[3]) onto 4, to: cyclic(BLOCKS[0]) onto 4 }
    struct ConstRk10: [f32; 20_000_000] { from: cyclic(BLOCKS[0]) onto 4, to: cyclic(BLOCKS[2]) onto 4 }
    struct ConstGeneral: [f32; 20_000_000] { from: cyclic(BLOCKS[2]) onto 4, to: cyclic(BLOCKS[1]) onto 4 }
    struct SmallConstKr10: [f32; 1_000_000] { from: cyclic(BLOCKS[2]) onto 4, to: cyclic(BLOCKS[0]) onto 4 }
    struct SmallConstKr200: [f32; 1_000_000] { from: cyclic(BLOCKS[3]) onto 4, to: cyclic(BLOCKS[0]) onto 4 }
    struct SmallConstRk10: [f32; 1_000_000] { from: cyclic(BLOCKS[0]) onto 4, to: cyclic(BLOCKS[2]) onto 4 }
    struct SmallConstGeneral: [f32; 1_000_000] { from: cyclic(BLOCKS[2]) onto 4, to: cyclic(BLOCKS[1]) onto 4 }
}

/// One rank's work, ready to be timed.
struct Case {
    name: String,
    bytes: usize,
    work: Box<dyn FnMut()>,
}

/// Elements in memory of their own: pages that were never written to are all one page, which stays
/// in the first cache.
fn written(len: usize) -> Vec<f32> {
    vec![1.0; len]
}

fn pack<R: Redistribution<1, Element = f32>>(name: &str, plan: &R) -> Case {
    let packing = plan.packing(1);
    let local = written(packing.local_len());
    let lengths: Vec<usize> = packing.envelopes().iter().map(|envelope| envelope.len).collect();
    let mut buffer = local.clone();
    let bytes = size_of_val(local.as_slice());
    let work = move || {
        let mut rest = buffer.as_mut_slice();
        let mut messages = Vec::with_capacity(lengths.len());
        for &len in &lengths {
            let (message, after) = rest.split_at_mut(len);
            messages.push(message);
            rest = after;
        }
        packing.pack(black_box(&local), &mut messages);
        black_box(&mut buffer);
    };
    Case { name: name.into(), bytes, work: Box::new(work) }
}

fn unpack<R: Redistribution<1, Element = f32>>(name: &str, plan: &R) -> Case {
    let unpacking = plan.unpacking(1);
    let mut local = written(unpacking.local_len());
    let lengths: Vec<usize> = unpacking.envelopes().iter().map(|envelope| envelope.len).collect();
    let buffer = local.clone();
    let bytes = size_of_val(local.as_slice());
    let work = move || {
        let mut rest = buffer.as_slice();
        let mut messages = Vec::with_capacity(lengths.len());
        for &len in &lengths {
            let (message, after) = rest.split_at(len);
            messages.push(message);
            rest = after;
        }
        unpacking.unpack(black_box(&mut local), &messages);
        black_box(&mut local);
    };
    Case { name: name.into(), bytes, work: Box::new(work) }
}

fn memcpy(bytes: usize, beside: &str) -> Case {
    let from = written(bytes / size_of::<f32>());
    let mut to = from.clone();
    let work = move || {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    };
    Case { name: format!("memcpy, beside {beside}"), bytes, work: Box::new(work) }
}

/// One redistribution in three tiers and both directions, and `memcpy`.
fn cases<A, B>(literal: &A, constant: &B) -> Vec<Case>
where
    A: Redistribution<1, Element = f32>,
    B: Redistribution<1, Element = f32>,
{
    assert_eq!(literal.plan().digest(), constant.plan().digest(), "tiers of one redistribution");
    let at_run_time = RuntimePlan::<f32, 1>::from(literal.plan());
    let bytes = literal.plan().descriptor(Side::Source).local_len(1) * size_of::<f32>();
    let name = format!("{}, {} KiB", literal.name().trim_start_matches("Small"), bytes / 1024);
    vec![
        pack(&format!("{name}, pack, literals"), literal),
        pack(&format!("{name}, pack, constants"), constant),
        pack(&format!("{name}, pack, run time"), &at_run_time),
        unpack(&format!("{name}, unpack, literals"), literal),
        unpack(&format!("{name}, unpack, constants"), constant),
        unpack(&format!("{name}, unpack, run time"), &at_run_time),
        memcpy(bytes, &name),
    ]
}

fn all() -> Vec<Vec<Case>> {
    vec![
        cases(&SmallKr10::new(), &SmallConstKr10::new()),
        cases(&SmallKr200::new(), &SmallConstKr200::new()),
        cases(&SmallRk10::new(), &SmallConstRk10::new()),
        cases(&SmallGeneral::new(), &SmallConstGeneral::new()),
        cases(&Kr10::new(), &ConstKr10::new()),
        cases(&Kr200::new(), &ConstKr200::new()),
        cases(&Rk10::new(), &ConstRk10::new()),
        cases(&General::new(), &ConstGeneral::new()),
    ]
}

/// Median seconds of each case over interleaved passes, so that a drift of the machine's speed
/// meets all alike.
fn medians(cases: &mut [Case], passes: usize) -> Vec<f64> {
    let mut times = vec![Vec::new(); cases.len()];
    for _ in 0..passes {
        for (case, times) in cases.iter_mut().zip(&mut times) {
            let start = Instant::now();
            (case.work)();
            times.push(start.elapsed().as_secs_f64());
        }
    }
    times.iter_mut().for_each(|times| times.sort_by(f64::total_cmp));
    times.iter().map(|times| times[times.len() / 2]).collect()
}

fn fractions() {
    println!("\nfraction of memcpy (medians of 51 interleaved passes):");
    println!("  {:<28} {:>9} {:>9} {:>9}", "", "literals", "constants", "run time");
    for mut cases in all() {
        let medians = medians(&mut cases, 51);
        let (memcpy, others) = medians.split_last().expect("memcpy is a case");
        for (case, seconds) in cases.chunks(3).zip(others.chunks(3)) {
            let name = case[0].name.trim_end_matches(", literals");
            let fractions: Vec<f64> = seconds.iter().map(|seconds| memcpy / seconds).collect();
            println!(
                "  {name:<28} {:>9.2} {:>9.2} {:>9.2}",
                fractions[0], fractions[1], fractions[2]
            );
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let mut group = criterion.benchmark_group("one rank of 4");
    for mut case in all().into_iter().flatten() {
        group.throughput(Throughput::Bytes(case.bytes as u64));
        group.bench_function(BenchmarkId::from_parameter(&case.name), |bencher| {
            bencher.iter(&mut case.work)
        });
    }
    group.finish();
    criterion.final_summary();
    fractions();
}
