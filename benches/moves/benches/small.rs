//! Small moves between threads, by plans that the compiler knew and by plans made at run time.
//!
//! Figures are multiples of one `memcpy` pass over each rank's bytes, by all ranks at once between
//! two barriers, as many as a move has. A loop written by hand for constant blocks runs between the
//! same spinning barriers. Every destination is compared.
//!
//! `cargo bench -p redist-moves --bench small -- [SIZE]`

use redist::{Element, Error, Redistribution, Side, TypedPlan, redistribute, threads};
use redist_measuring::bench::{self, Bench};
use redist_measuring::{Measured, Method, Row, Task, Turns};
use redist_moves::Meeting;
use std::hint::black_box;
use std::sync::Mutex;

/// Columns.
const WAYS: [&str; 4] = ["memcpy", "by hand", "static", "run time"];

/// Bytes of a local array, with their name.
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

/// Copies from two ranks with blocks of `FROM` elements to one of two with blocks of `TO`.
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

fn measure<T: Element + PartialEq + Sync, const FROM: usize, const TO: usize>(
    item: &(impl Redistribution<1, Element = T> + Sync),
    value: fn(usize) -> T,
    turns: Turns,
) -> Result<Vec<Vec<f64>>, threads::Failure<Error>> {
    let plan = TypedPlan::<T, 1>::from(item.plan());
    let ranks = item.plan().ranks();
    // The same on all ranks, whose arrays may differ in length.
    let bytes = item.plan().extents()[0] / ranks * size_of::<T>();
    let repeats = (1 << 20) / bytes.max(1) + 1;
    let (meeting, times) = (Meeting::new(ranks), Mutex::new(Vec::new()));
    let len = |rank| item.plan().descriptor(Side::Source).local(rank).len();
    let source = |rank| (0..len(rank)).map(|index| value(index + rank)).collect();
    let sources: Vec<Vec<T>> = (0..ranks).map(source).collect();
    threads::run(ranks, |rank| {
        let mut bound = [item.bind(rank)?, plan.bind(rank)?];
        let source = &sources[rank.rank()];
        let mut destinations =
            [(); 3].map(|()| vec![T::ZERO; bound[0].local_len(Side::Destination)]);
        let mut copy = source.clone();
        let mut once = |way| match way {
            0 => between(&meeting, || {
                copy.copy_from_slice(black_box(source));
                black_box(&mut copy);
            }),
            1 => between(&meeting, || {
                let destination = &mut destinations[0];
                by_hand::<T, FROM, TO>(black_box(&sources), rank.rank(), destination);
            }),
            _ => bound[way - 2].run(source, &mut destinations[way - 1]),
        };
        let is_first = rank.rank() == 0;
        let samples = turns.take(WAYS.len(), |way| {
            meeting.timed(is_first, || (0..repeats).try_for_each(|_| once(way)))
        })?;
        let [by_hand, one, other] = destinations;
        assert!(by_hand == one && one == other, "all ways move the same");
        if is_first {
            let of_one = |way: Vec<f64>| way.iter().map(|time| time / repeats as f64).collect();
            *times.lock().expect("no rank panics here") = samples.into_iter().map(of_one).collect();
        }
        Ok::<_, Error>(())
    })?;
    Ok(times.into_inner().expect("no rank panics here"))
}

fn between(meeting: &Meeting, copy: impl FnOnce()) -> Result<(), Error> {
    meeting.wait();
    copy();
    meeting.wait();
    Ok(())
}

/// The bench of small moves.
struct Small;

macro_rules! rows {
    ($($item:ident $element:ident $from:literal $to:literal)*) => {
        const ITEMS: &[&str] =
            &[$(concat!(stringify!($element), " cyclic(", $from, ") → (", $to, ")")),*];

        fn samples(
            words: &str,
            bytes: usize,
            turns: Turns,
        ) -> Result<Vec<Vec<f64>>, Box<dyn std::error::Error>> {
            $(
                if words == concat!(stringify!($element), " cyclic(", $from, ") → (", $to, ")") {
                    let item = $item::new(2 * bytes / size_of::<$element>())?;
                    let value = |index| index as $element;
                    return Ok(measure::<_, $from, $to>(&item, value, turns)?);
                }
            )*
            Err(format!("there is no row '{words}'").into())
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

impl Bench for Small {
    fn name(&self) -> &'static str {
        "small"
    }

    fn rows(&self) -> Vec<Task> {
        let row = |size, item| Task { row: format!("{size}: {item}"), ranks: 2 };
        SIZES.iter().flat_map(|(_, size)| ITEMS.iter().map(move |item| row(size, item))).collect()
    }

    fn measure(&self, task: &Task, turns: Turns) -> Result<Row, Box<dyn std::error::Error>> {
        let (size, item) = task.row.split_once(": ").ok_or("a row is 'SIZE: ITEM'")?;
        let (bytes, _) = SIZES.iter().find(|(_, name)| *name == size).ok_or("no such size")?;
        let samples = samples(item, *bytes, turns)?;
        let methods = WAYS.iter().zip(&samples).map(|(way, times)| Method::timed(*way, times));
        Ok(Row::plain(&*task.row, 2, methods.collect()))
    }

    fn head(&self) -> String {
        format!(
            "2 ranks: times over one memcpy pass between two meetings\n{:32} {:<18}{:<18}{:<18}{:<18}{}",
            "", "static", "run time", "by hand", "run time ÷ static", "by hand ÷ static"
        )
    }

    fn line(&self, measured: &Measured) -> String {
        let over = |way: &str, unit: &str| {
            bench::cell(measured.figure(way, |row, times| {
                times.median / row.times(unit).map_or(f64::NAN, |unit| unit.median)
            }))
        };
        let cells = [
            ("static", "memcpy"),
            ("run time", "memcpy"),
            ("by hand", "memcpy"),
            ("run time", "static"),
            ("by hand", "static"),
        ];
        let cells = cells.map(|(way, unit)| format!("{:<18}", over(way, unit))).concat();
        format!("{:<32} {cells}", measured.task.row).trim_end().to_owned()
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    bench::main(Small)
}
