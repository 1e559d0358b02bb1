//! Times of packing, unpacking and index computation, method by method.

use crate::processes::Timed;
use crate::sampling::turns;
use anyhow::bail;
use redist::Side;
use redist_measuring::median;
use redist_study::packing::{self, KrCase, PackingMethod, Planned, RunTime, Truth};
use serde::Serialize;
use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

/// One method in one case: a line of `times.csv`. Means over the ranks, medians over the passes.
#[derive(Clone, Debug, Serialize)]
pub struct Row {
    /// Elements of the array.
    pub elements: usize,
    /// Ranks on either side.
    pub ranks: usize,
    pub source: String,
    pub destination: String,
    pub direction: &'static str,
    /// Elements in a large block over elements in a small one.
    pub k: usize,
    /// Elements in a small block.
    pub r: usize,
    pub method: &'static str,
    /// Index computation and packing.
    pub pack_nanoseconds: f64,
    /// Index computation and unpacking.
    pub unpack_nanoseconds: f64,
    /// Index computation, packing and unpacking.
    pub nanoseconds: f64,
    /// Index computation of packing and of unpacking, without copying.
    pub index_nanoseconds: f64,
    /// Index computation of both, and our kernels' copying with a plan that was made before.
    pub our_copy_nanoseconds: f64,
    /// `our_copy_nanoseconds`, as a multiple of a plan made at run time in the same case.
    pub our_copy_over_run_time_plan: f64,
    /// `nanoseconds`, as a multiple of a plan made at run time in the same case.
    pub over_run_time_plan: f64,
}

impl Timed for Row {
    fn times(&mut self) -> Vec<&mut f64> {
        vec![
            &mut self.pack_nanoseconds,
            &mut self.unpack_nanoseconds,
            &mut self.nanoseconds,
            &mut self.index_nanoseconds,
            &mut self.our_copy_nanoseconds,
            &mut self.our_copy_over_run_time_plan,
            &mut self.over_run_time_plan,
        ]
    }
}

/// Checks all methods bit by bit, then measures the phases of each in turn, rank after rank.
pub fn measure(case: &KrCase, passes: usize) -> anyhow::Result<Vec<Row>> {
    let (methods, truth) = (packing::all(), Truth::of(case));
    if let Some(wrong) = methods.iter().find_map(|method| truth.refute(case, &**method)) {
        bail!("{wrong}, in {case:?}");
    }
    let planned = Planned::new(case);
    let all: Vec<&dyn PackingMethod> =
        methods.iter().map(|method| &**method).chain([&planned as &dyn PackingMethod]).collect();
    let Ok(samples) = turns(passes).take(3 * all.len(), |number| {
        let phase = [pack_once, unpack_once, index_once][number % 3];
        let seconds = |rank| phase(case, all[number / 3], &truth, rank);
        Ok::<_, Infallible>(mean_seconds(case, seconds))
    });
    let nanoseconds = |phase: &Vec<f64>| median(phase) * 1e9;
    let mut times: Vec<[f64; 3]> = samples
        .chunks(3)
        .map(|phases| [0, 1, 2].map(|phase| nanoseconds(&phases[phase])))
        .collect();
    let copy = times.pop().map_or(f64::NAN, |[pack, unpack, _]| pack + unpack);
    let ours =
        methods.iter().position(|method| method.name() == RunTime.name()).map(|ours| times[ours]);
    let ours: f64 = ours.map_or(f64::NAN, |[pack, unpack, _]| pack + unpack);
    let rows = methods.iter().zip(times);
    Ok(rows.map(|(method, times)| row(case, method.name(), times, [copy, ours])).collect())
}

fn row(
    case: &KrCase,
    method: &'static str,
    [pack, unpack, index]: [f64; 3],
    [copy, ours]: [f64; 2],
) -> Row {
    Row {
        elements: case.elements,
        ranks: case.ranks,
        source: case.word(Side::Source),
        destination: case.word(Side::Destination),
        direction: case.direction(),
        k: case.k,
        r: case.r,
        method,
        pack_nanoseconds: pack,
        unpack_nanoseconds: unpack,
        nanoseconds: pack + unpack,
        index_nanoseconds: index,
        our_copy_nanoseconds: index + copy,
        our_copy_over_run_time_plan: (index + copy) / ours,
        over_run_time_plan: (pack + unpack) / ours,
    }
}

pub fn index_once(case: &KrCase, method: &dyn PackingMethod, truth: &Truth, rank: usize) -> f64 {
    let (sent, received) = (truth.sent_from[rank].len(), truth.received_into[rank].len());
    let start = Instant::now();
    method.indices(black_box(case), rank, Side::Source, sent);
    method.indices(black_box(case), rank, Side::Destination, received);
    start.elapsed().as_secs_f64()
}

pub fn mean_seconds(case: &KrCase, seconds: impl FnMut(usize) -> f64) -> f64 {
    (0..case.ranks).map(seconds).sum::<f64>() / case.ranks as f64
}

/// Times packing on a rank. Buffers are in cache for all methods alike.
pub fn pack_once(case: &KrCase, method: &dyn PackingMethod, truth: &Truth, rank: usize) -> f64 {
    let local = &truth.sent_from[rank];
    let mut buffer = local.clone();
    let mut rest = buffer.as_mut_slice();
    let lengths = truth.lengths(Side::Source, rank).into_iter();
    let mut message = |len| rest.split_off_mut(..len).expect("the buffer holds all messages");
    let mut messages: Vec<_> = lengths.map(&mut message).collect();
    let start = Instant::now();
    method.pack(case, rank, black_box(local), &mut messages);
    let seconds = start.elapsed().as_secs_f64();
    black_box(&mut buffer);
    seconds
}

pub fn unpack_once(case: &KrCase, method: &dyn PackingMethod, truth: &Truth, rank: usize) -> f64 {
    let mut local = truth.received_into[rank].clone();
    let buffer = local.clone();
    let mut rest = buffer.as_slice();
    let lengths = truth.lengths(Side::Destination, rank).into_iter();
    let mut message = |len| rest.split_off(..len).expect("the buffer holds all messages");
    let messages: Vec<_> = lengths.map(&mut message).collect();
    let start = Instant::now();
    method.unpack(case, rank, black_box(&messages), &mut local);
    let seconds = start.elapsed().as_secs_f64();
    black_box(&mut local);
    seconds
}
