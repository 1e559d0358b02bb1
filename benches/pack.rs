//! Packing and unpacking of one rank as a fraction of `memcpy` of the same bytes, in the same run.
//!
//! kr→r and r→kr on 4 ranks: the macro's plan, the same plan made at run time, `memcpy`. Every benchmark states its
//! throughput; the table at the end states the fractions, from interleaved passes.

use criterion::{BenchmarkId, Criterion, Throughput};
use redist::{Element, Redistribution, RuntimePlan, Side, redistribute};
use std::hint::black_box;
use std::time::Instant;

redistribute! {
    struct Kr10: [f32; 20_000_000] { from: cyclic(10) onto 4, to: cyclic(2) onto 4 }
    struct Kr200: [f32; 20_000_000] { from: cyclic(200) onto 4, to: cyclic(2) onto 4 }
    struct Rk10: [f32; 20_000_000] { from: cyclic(2) onto 4, to: cyclic(10) onto 4 }
    struct SmallKr10: [f32; 1_000_000] { from: cyclic(10) onto 4, to: cyclic(2) onto 4 }
    struct SmallKr200: [f32; 1_000_000] { from: cyclic(200) onto 4, to: cyclic(2) onto 4 }
    struct SmallRk10: [f32; 1_000_000] { from: cyclic(2) onto 4, to: cyclic(10) onto 4 }
    struct General: [f32; 20_000_000] { from: cyclic(6) onto 4, to: cyclic(4) onto 4 }
}

/// One rank's work, ready to be timed.
struct Case {
    name: String,
    bytes: usize,
    work: Box<dyn FnMut()>,
}

fn pack<R: Redistribution<1>>(name: &str, plan: &R) -> Case {
    let packing = plan.packing(1);
    let local = vec![R::Element::ZERO; packing.local_len()];
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

fn unpack<R: Redistribution<1>>(name: &str, plan: &R) -> Case {
    let unpacking = plan.unpacking(1);
    let mut local = vec![R::Element::ZERO; unpacking.local_len()];
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
        unpacking.unpack(black_box(&mut local), &mut messages);
        black_box(&mut local);
    };
    Case { name: name.into(), bytes, work: Box::new(work) }
}

fn memcpy(bytes: usize, beside: &str) -> Case {
    let (from, mut to) = (vec![0u8; bytes], vec![0u8; bytes]);
    let work = move || {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    };
    Case { name: format!("memcpy, beside {beside}"), bytes, work: Box::new(work) }
}

/// The macro's plan and the same one made at run time, in both directions, and `memcpy`.
fn cases<R: Redistribution<1, Element = f32>>(plan: &R) -> Vec<Case> {
    let at_run_time = RuntimePlan::<f32, 1>::from(plan.plan());
    let name = format!("{}, {} KiB", plan.name(), plan.plan().descriptor(Side::Source).local_len(1) * 4 / 1024);
    let mut cases = vec![
        pack(&format!("pack, macro: {name}"), plan),
        pack(&format!("pack, run time: {name}"), &at_run_time),
        unpack(&format!("unpack, macro: {name}"), plan),
        unpack(&format!("unpack, run time: {name}"), &at_run_time),
    ];
    cases.push(memcpy(cases[0].bytes, &name));
    cases
}

fn all() -> Vec<Vec<Case>> {
    vec![
        cases(&SmallKr10::new()),
        cases(&SmallKr200::new()),
        cases(&SmallRk10::new()),
        cases(&Kr10::new()),
        cases(&Kr200::new()),
        cases(&Rk10::new()),
        cases(&General::new()),
    ]
}

/// Median seconds of each case over interleaved passes, so that a drift of the machine's speed meets all alike.
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
    println!("\nfraction of memcpy (medians of 31 interleaved passes):");
    for mut cases in all() {
        let medians = medians(&mut cases, 31);
        let (memcpy, others) = medians.split_last().expect("memcpy is a case");
        for (case, seconds) in cases.iter().zip(others) {
            println!("  {:<48} {:.2}", case.name, memcpy / seconds);
        }
    }
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args().sample_size(10);
    let mut group = criterion.benchmark_group("one rank of 4");
    for mut case in all().into_iter().flatten() {
        group.throughput(Throughput::Bytes(case.bytes as u64));
        group.bench_function(BenchmarkId::from_parameter(&case.name), |bencher| bencher.iter(&mut case.work));
    }
    group.finish();
    criterion.final_summary();
    fractions();
}
