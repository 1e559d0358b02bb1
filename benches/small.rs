//! Small moves between threads, by plans that the compiler knew and by plans made at run time.
//!
//! Each is a multiple of one `memcpy` pass by all ranks at once between two barriers, over the bytes
//! of a rank: what a move costs at least, which has to meet before and after the copy, too. Beside
//! them is a loop over the pieces of both sides' blocks, written by hand for constant blocks, between
//! the same barriers, which spin. Ways take turns, so that a drift of the machine's speed meets all
//! alike. Every destination is compared.
//!
//! `cargo bench --bench small -- [SIZE]`: all sizes, or those that begin so.

use redist::{Element, Error, Redistribution, RuntimePlan, Side, redistribute, threads};
use std::hint::{black_box, spin_loop};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Rounds in which each way is taken.
const ROUNDS: usize = 31;

/// Bytes of each rank's array.
const SIZES: [(usize, &str); 7] = [
    (4 << 10, "4 KiB"),
    (16 << 10, "16 KiB"),
    (32 << 10, "32 KiB"),
    (64 << 10, "64 KiB"),
    (256 << 10, "256 KiB"),
    (1 << 20, "1 MiB"),
    (8 << 20, "8 MiB"),
];

redistribute! {
    struct Singles(n: usize): [f32; n] { from: cyclic(5) onto 2, to: cyclic(1) onto 2 }
    struct Pairs(n: usize): [f64; n] { from: cyclic(10) onto 2, to: cyclic(2) onto 2 }
    struct PairsBack(n: usize): [f64; n] { from: cyclic(2) onto 2, to: cyclic(10) onto 2 }
    struct General(n: usize): [f32; n] { from: cyclic(4) onto 2, to: cyclic(10) onto 2 }
    struct Rounds(n: usize): [f32; n] { from: cyclic(200) onto 2, to: cyclic(2) onto 2 }
    struct Tiles(n: usize): [f64; n] { from: cyclic(64) onto 2, to: cyclic(32) onto 2 }
}

/// A barrier that spins, as one would write for moves of some microseconds: `std`'s sleeps.
struct Spinning {
    ranks: usize,
    arrived: AtomicUsize,
}

impl Spinning {
    fn wait(&self) {
        let number = self.arrived.fetch_add(1, Ordering::AcqRel);
        let all = (number / self.ranks + 1) * self.ranks;
        while self.arrived.load(Ordering::Acquire) < all {
            spin_loop();
        }
    }
}

/// Copies to one of two ranks with blocks of `TO` elements from two with blocks of `FROM`.
fn by_hand<T: Copy, const FROM: usize, const TO: usize>(
    sources: &[Vec<T>],
    rank: usize,
    destination: &mut [T],
) {
    for (number, block) in destination.chunks_mut(TO).enumerate() {
        let mut at = (2 * number + rank) * TO;
        let mut rest = block;
        while !rest.is_empty() {
            let (source, first) = (at / FROM, at % FROM);
            let (piece, after) = rest.split_at_mut(rest.len().min(FROM - first));
            let from = source / 2 * FROM + first;
            piece.copy_from_slice(&sources[source % 2][from..from + piece.len()]);
            at += piece.len();
            rest = after;
        }
    }
}

/// Number of ways.
const WAYS: usize = 4;

/// Seconds of a `memcpy` pass, of the loop by hand, of the static plan, and of the other, in the
/// median.
fn measure<T: Element + PartialEq + Sync, const FROM: usize, const TO: usize>(
    item: &(impl Redistribution<1, Element = T> + Sync),
    value: fn(usize) -> T,
) -> Result<[f64; WAYS], threads::Failure<Error>> {
    let plan = RuntimePlan::<T, 1>::from(item.plan());
    let ranks = item.plan().ranks();
    // The same on all ranks, whose arrays may differ in length.
    let bytes = item.plan().extents()[0] / ranks * size_of::<T>();
    let repeats = (1 << 20) / bytes.max(1) + 1;
    let (barrier, times) = (
        Spinning { ranks, arrived: AtomicUsize::new(0) },
        Mutex::new([const { Vec::new() }; WAYS]),
    );
    let sources: Vec<Vec<T>> = (0..ranks)
        .map(|rank| (0..item.packing(rank).local_len()).map(|index| value(index + rank)).collect())
        .collect();
    threads::run(ranks, |rank| {
        let mut bound = [item.bind(rank)?, plan.bind(rank)?];
        let source = &sources[rank.rank()];
        let mut destinations =
            [(); 3].map(|()| vec![T::ZERO; bound[0].local_len(Side::Destination)]);
        let mut copy = source.clone();
        for _ in 0..ROUNDS {
            for way in 0..WAYS {
                barrier.wait();
                let start = Instant::now();
                for _ in 0..repeats {
                    match way {
                        0 => between(&barrier, || {
                            copy.copy_from_slice(black_box(source));
                            black_box(&mut copy);
                        }),
                        1 => between(&barrier, || {
                            let destination = &mut destinations[0];
                            by_hand::<T, FROM, TO>(black_box(&sources), rank.rank(), destination);
                        }),
                        _ => bound[way - 2].run(source, &mut destinations[way - 1])?,
                    }
                }
                barrier.wait();
                if rank.rank() == 0 {
                    let seconds = start.elapsed().as_secs_f64() / repeats as f64;
                    times.lock().expect("no rank panics here")[way].push(seconds);
                }
            }
        }
        let [by_hand, one, other] = destinations;
        assert!(by_hand == one && one == other, "all ways move the same");
        Ok::<_, Error>(())
    })?;
    Ok(times.into_inner().expect("no rank panics here").map(median))
}

fn between(barrier: &Spinning, copy: impl FnOnce()) {
    barrier.wait();
    copy();
    barrier.wait();
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let only = std::env::args().skip(1).find(|text| !text.starts_with("--")).unwrap_or_default();
    println!(
        "2 ranks: times over one memcpy pass between two barriers; medians of {ROUNDS} rounds"
    );
    println!(
        "{:10} {:24} {:>8} {:>10} {:>8} {:>18} {:>17}",
        "", "", "static", "run time", "by hand", "run time ÷ static", "by hand ÷ static"
    );
    macro_rules! rows {
        ($($item:ident $element:ident $from:literal $to:literal)*) => {
            for (bytes, size) in SIZES {
                if !size.starts_with(&only) {
                    continue;
                }
                $(
                    let item = $item::new(2 * bytes / size_of::<$element>())?;
                    let [memcpy, by_hand, one, other] =
                        measure::<_, $from, $to>(&item, |index| index as $element)?;
                    println!(
                        "{size:10} {:24} {:>8.2} {:>10.2} {:>8.2} {:>18.2} {:>17.2}",
                        concat!(stringify!($element), " cyclic(", $from, ") → (", $to, ")"),
                        one / memcpy, other / memcpy, by_hand / memcpy, other / one, by_hand / one,
                    );
                )*
            }
        };
    }
    rows!(
        Singles f32 5 1
        Pairs f64 10 2
        PairsBack f64 2 10
        General f32 4 10
        Rounds f32 200 2
        Tiles f64 64 32
    );
    Ok(())
}
