//! Small moves between threads, by plans that the compiler knew and by plans made at run time.
//!
//! Each is a multiple of one `memcpy` pass by all ranks at once between two barriers, over the bytes
//! of a rank: what a hand-written move costs at least, which has to meet before and after the copy,
//! too. Ways take turns, so that a drift of the machine's speed meets all alike. Every destination
//! is compared.
//!
//! `cargo bench --bench small`

use redist::{Bound, Element, Error, Redistribution, RuntimePlan, Side, redistribute, threads};
use std::hint::black_box;
use std::sync::{Barrier, Mutex};
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

/// Seconds of a `memcpy` pass, of the static plan, and of the other, in the median.
fn measure<T: Element + PartialEq>(
    item: &(impl Redistribution<1, Element = T> + Sync),
    value: fn(usize) -> T,
) -> Result<[f64; 3], threads::Failure<Error>> {
    let plan = RuntimePlan::<T, 1>::from(item.plan());
    let ranks = item.plan().ranks();
    // The same on all ranks, whose arrays may differ in length.
    let bytes = item.plan().extents()[0] / ranks * size_of::<T>();
    let repeats = (1 << 20) / bytes.max(1) + 1;
    let (barrier, times) = (Barrier::new(ranks), Mutex::new([const { Vec::new() }; 3]));
    threads::run(ranks, |rank| {
        let mut bound = [item.bind(rank)?, plan.bind(rank)?];
        let source: Vec<T> = (0..bound[0].local_len(Side::Source)).map(value).collect();
        let mut destinations =
            [(); 2].map(|()| vec![T::ZERO; bound[0].local_len(Side::Destination)]);
        let mut copy = source.clone();
        for _ in 0..ROUNDS {
            for way in 0..3 {
                barrier.wait();
                let start = Instant::now();
                for _ in 0..repeats {
                    take(way, (&mut bound, &barrier), (&source, &mut copy), &mut destinations)?;
                }
                barrier.wait();
                if rank.rank() == 0 {
                    let seconds = start.elapsed().as_secs_f64() / repeats as f64;
                    times.lock().expect("no rank panics here")[way].push(seconds);
                }
            }
        }
        let [one, other] = destinations;
        assert!(one == other, "both plans move the same");
        Ok::<_, Error>(())
    })?;
    Ok(times.into_inner().expect("no rank panics here").map(median))
}

fn take<T: Element>(
    way: usize,
    (bound, barrier): (&mut [Bound<T, 1>; 2], &Barrier),
    (source, copy): (&[T], &mut [T]),
    destinations: &mut [Vec<T>; 2],
) -> Result<(), Error> {
    if way > 0 {
        return bound[way - 1].run(source, &mut destinations[way - 1]);
    }
    barrier.wait();
    copy.copy_from_slice(black_box(source));
    black_box(copy);
    barrier.wait();
    Ok(())
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!(
        "2 ranks: times over one memcpy pass between two barriers; medians of {ROUNDS} rounds"
    );
    println!("{:10} {:28} {:>8} {:>10} {:>18}", "", "", "static", "run time", "run time ÷ static");
    macro_rules! rows {
        ($($item:ident $element:ident $name:literal)*) => {
            for (bytes, size) in SIZES {
                $(
                    let item = $item::new(2 * bytes / size_of::<$element>())?;
                    let [memcpy, one, other] = measure(&item, |index| index as $element)?;
                    println!(
                        "{size:10} {:28} {:>8.2} {:>10.2} {:>18.2}",
                        $name, one / memcpy, other / memcpy, other / one,
                    );
                )*
            }
        };
    }
    rows!(
        Singles f32 "f32 cyclic(5) → (1)"
        Pairs f64 "f64 cyclic(10) → (2)"
        PairsBack f64 "f64 cyclic(2) → (10)"
        General f32 "f32 cyclic(4) → (10)"
        Rounds f32 "f32 cyclic(200) → (2)"
        Tiles f64 "f64 cyclic(64) → (32)"
    );
    Ok(())
}
