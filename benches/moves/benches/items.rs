//! Sixty items of the macro (`src/items.rs`) beside plans made at run time of the same layouts.
//!
//! No extent is a multiple of a period, so that ranks have heads and tails. Up to 4 ranks move
//! between threads. All ranks pack and unpack, one after the other, on one thread.
//!
//! `cargo bench -p redist-moves --bench items -- [WORDS]`

use redist::{Element, Error, Redistribution, RuntimePlan, Side, redistribute, threads};
use redist_measuring::bench::{self, Bench};
use redist_measuring::{Measured, Method, Row, Task, Turns};
use redist_moves::Meeting;
use std::cell::RefCell;
use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Mutex;
use std::time::Instant;

const WORKS: [&str; 3] = ["move", "pack", "unpack"];

const WAYS: [&str; 2] = ["static", "run time"];

/// The least bytes of a sample, for the clock's resolution.
const SAMPLE: usize = 1 << 20;

/// Most ranks that move between threads.
const MOST_THREADS: usize = 4;

type Pair = [f64; 2];

/// An element with a number that tells its place.
trait Numbered: Element + PartialEq + Sync {
    fn numbered(index: usize) -> Self;
}

macro_rules! numbered {
    ($($number:ident)*) => {
        $(impl Numbered for $number {
            fn numbered(index: usize) -> Self {
                (index % 251 + 1) as Self
            }
        })*
    };
}

numbered!(u8 u16 f32 f64);

impl Numbered for Pair {
    fn numbered(index: usize) -> Self {
        [index as f64, 1.0]
    }
}

/// Returns seconds of each move, by the item and by the plan made at run time.
fn moves<T: Numbered>(
    item: &(impl Redistribution<1, Element = T> + Sync),
    turns: Turns,
) -> Result<Vec<Vec<f64>>, threads::Failure<Error>> {
    let plan = RuntimePlan::<T, 1>::from(item.plan());
    let ranks = item.plan().ranks();
    let calls = SAMPLE / (item.plan().extents()[0] / ranks * size_of::<T>()).max(1) + 1;
    let (meeting, times) = (Meeting::new(ranks), Mutex::new(Vec::new()));
    threads::run(ranks, |rank| {
        let mut bound = [item.bind(rank)?, plan.bind(rank)?];
        let len = |side| bound[0].local_len(side);
        let (held, len) = (len(Side::Source), len(Side::Destination));
        let source: Vec<T> = (0..held).map(|at| T::numbered(at + rank.rank())).collect();
        let mut destination = vec![T::ZERO; len];
        let is_first = rank.rank() == 0;
        let samples = turns.take(WAYS.len(), |way| {
            let mut once = || bound[way].run(black_box(&source), &mut destination);
            meeting.timed(is_first, || (0..calls).try_for_each(|_| once()))
        })?;
        let [mut by_item, mut by_plan] = [(); 2].map(|()| vec![T::ZERO; len]);
        bound[0].run(&source, &mut by_item)?;
        bound[1].run(&source, &mut by_plan)?;
        assert!(by_item == by_plan, "both move the same");
        if is_first {
            let of_one = |way: Vec<f64>| way.iter().map(|time| time / calls as f64).collect();
            *times.lock().expect("no rank panics here") = samples.into_iter().map(of_one).collect();
        }
        Ok::<_, Error>(())
    })?;
    Ok(times.into_inner().expect("no rank panics here"))
}

/// The arrays that all ranks pack from and unpack to, one after the other.
struct Arrays<T> {
    source: Vec<T>,
    buffer: RefCell<Vec<T>>,
    destination: RefCell<Vec<T>>,
}

type Work<'a> = Box<dyn FnMut() + 'a>;

impl<T: Numbered> Arrays<T> {
    fn new(item: &impl Redistribution<1, Element = T>) -> Self {
        let most = |side| {
            let descriptor = *item.plan().descriptor(side);
            (0..item.plan().ranks()).map(|rank| descriptor.local_len(rank)).max().unwrap_or(0)
        };
        let (held, len) = (most(Side::Source), most(Side::Destination));
        Self {
            source: (0..held).map(T::numbered).collect(),
            buffer: RefCell::new((0..held.max(len)).map(T::numbered).collect()),
            destination: RefCell::new(vec![T::ZERO; len]),
        }
    }

    fn packs<'a>(&'a self, plan: &impl Redistribution<1, Element = T>) -> Work<'a> {
        let each: Vec<_> =
            (0..plan.plan().ranks()).map(|rank| plan.binder().packing(rank)).collect();
        Box::new(move || {
            let mut buffer = self.buffer.borrow_mut();
            for packing in &each {
                let mut rest = buffer.as_mut_slice();
                let mut messages = Vec::with_capacity(packing.envelopes().len());
                for envelope in packing.envelopes() {
                    let (message, after) = rest.split_at_mut(envelope.len);
                    messages.push(message);
                    rest = after;
                }
                packing.pack(black_box(&self.source[..packing.local_len()]), &mut messages);
            }
            black_box(&mut buffer);
        })
    }

    fn unpacks<'a>(&'a self, plan: &impl Redistribution<1, Element = T>) -> Work<'a> {
        let each: Vec<_> =
            (0..plan.plan().ranks()).map(|rank| plan.binder().unpacking(rank)).collect();
        Box::new(move || {
            let (buffer, mut local) = (self.buffer.borrow(), self.destination.borrow_mut());
            for unpacking in &each {
                let mut rest = black_box(buffer.as_slice());
                let mut messages = Vec::with_capacity(unpacking.envelopes().len());
                for envelope in unpacking.envelopes() {
                    let (message, after) = rest.split_at(envelope.len);
                    messages.push(message);
                    rest = after;
                }
                unpacking.unpack(&mut local[..unpacking.local_len()], &messages);
            }
            black_box(&mut local);
        })
    }

    /// Checks that two works leave the same in the array that they write.
    fn compare(written: &RefCell<Vec<T>>, works: [&mut Work<'_>; 2]) {
        let [first, second] = works.map(|work| {
            written.borrow_mut().fill(T::ZERO);
            work();
            written.borrow().clone()
        });
        assert!(first == second, "both copy the same");
    }
}

/// Returns seconds of packing and unpacking of all ranks, by the item and by the plan.
fn messages<T: Numbered>(
    item: &impl Redistribution<1, Element = T>,
    turns: Turns,
) -> Vec<Vec<f64>> {
    let plan = RuntimePlan::<T, 1>::from(item.plan());
    let arrays = Arrays::new(item);
    let [mut pack, mut packs, mut unpack, mut unpacks] =
        [arrays.packs(item), arrays.packs(&plan), arrays.unpacks(item), arrays.unpacks(&plan)];
    Arrays::compare(&arrays.buffer, [&mut pack, &mut packs]);
    Arrays::compare(&arrays.destination, [&mut unpack, &mut unpacks]);
    let mut works = [pack, packs, unpack, unpacks];
    let calls = SAMPLE / (item.plan().extents()[0] * size_of::<T>()).max(1) + 1;
    let Ok(mut samples) = turns.take(works.len(), |number| {
        let start = Instant::now();
        (0..calls).for_each(|_| (works[number])());
        Ok::<_, Infallible>(start.elapsed().as_secs_f64())
    });
    samples.iter_mut().flatten().for_each(|sample| *sample /= calls as f64);
    samples
}

fn name(work: &str, way: &str) -> String {
    format!("{work}, {way}")
}

fn measure<T: Numbered>(
    item: &(impl Redistribution<1, Element = T> + Sync),
    turns: Turns,
) -> Result<Vec<Method>, Box<dyn std::error::Error>> {
    let mut all = Vec::new();
    if item.plan().ranks() <= MOST_THREADS {
        all.extend(WAYS.map(|way| name("move", way)).into_iter().zip(moves(item, turns)?));
    }
    let names = ["pack", "unpack"].map(|work| WAYS.map(|way| name(work, way)));
    all.extend(names.into_iter().flatten().zip(messages(item, turns)));
    Ok(all.into_iter().map(|(name, samples)| Method::timed(name, &samples)).collect())
}

struct Items;

macro_rules! items {
    (@ $element:ident $from:literal $to:literal $ranks:literal $kib:literal) => {
        concat!(
            stringify!($element), " cyclic(", $from, ") → (", $to, ") on ", $ranks, ", ", $kib, " KiB"
        )
    };
    ($($element:ident { $($from:literal to $to:literal on $ranks:literal of $kib:literal;)* })*) => {
        const ROWS: &[(&str, usize)] =
            &[$($((items!(@ $element $from $to $ranks $kib), $ranks),)*)*];

        fn methods(row: &str, turns: Turns) -> Result<Vec<Method>, Box<dyn std::error::Error>> {
            $($(
                if row == items!(@ $element $from $to $ranks $kib) {
                    redistribute! {
                        struct Item(n: usize): [$element; n] {
                            from: cyclic($from) onto $ranks,
                            to: cyclic($to) onto $ranks,
                        }
                    }
                    let extent = ($kib << 10) / size_of::<$element>() * $ranks + $from + 1;
                    return measure(&Item::new(extent)?, turns);
                }
            )*)*
            Err(format!("there is no row '{row}'").into())
        }
    };
}

redist_moves::each_item!(items);

impl Items {
    fn ratio(measured: &Measured, work: &str) -> Option<redist_measuring::Spread> {
        let [by_item, by_plan] = WAYS.map(|way| name(work, way));
        measured.figure(&by_item, |row, times| {
            times.median / row.times(&by_plan).map_or(f64::NAN, |other| other.median)
        })
    }

    /// Returns the geometric mean of the medians of all works that a row has.
    fn of_all(measured: &Measured) -> Option<f64> {
        let ratios: Vec<_> = WORKS.iter().filter_map(|work| Self::ratio(measured, work)).collect();
        let sum: f64 = ratios.iter().map(|ratio| ratio.median.ln()).sum();
        (!ratios.is_empty()).then(|| (sum / ratios.len() as f64).exp())
    }
}

impl Bench for Items {
    fn name(&self) -> &'static str {
        "items"
    }

    fn turns(&self) -> Turns {
        Turns { seconds: 0.3, most: 101, ..Turns::default() }
    }

    fn rows(&self) -> Vec<Task> {
        ROWS.iter().map(|(row, ranks)| Task { row: (*row).into(), ranks: *ranks }).collect()
    }

    fn measure(&self, task: &Task, turns: Turns) -> Result<Row, Box<dyn std::error::Error>> {
        Ok(Row::plain(&*task.row, task.ranks, methods(&task.row, turns)?))
    }

    fn head(&self) -> String {
        let columns = WORKS.map(|work| format!("{work:<18}")).concat();
        format!("static ÷ run time\n{:<42} {columns}all, mean", "")
    }

    fn line(&self, measured: &Measured) -> String {
        let cell = |work| format!("{:<18}", bench::cell(Self::ratio(measured, work)));
        let all = Self::of_all(measured).map_or("–".into(), |mean| format!("{mean:.2}"));
        format!("{:<42} {}{all}", measured.task.row, WORKS.map(cell).concat())
    }

    fn summary(&self, measured: &[Measured]) -> String {
        let line = |words: &str, is: fn(f64) -> bool| {
            let of = |work| measured.iter().filter_map(move |row| Self::ratio(row, work));
            let count = |work| of(work).filter(|ratio| is(ratio.median)).count();
            let all = measured.iter().filter_map(Self::of_all).filter(|mean| is(*mean)).count();
            let cells = WORKS.map(|work| format!("{:<18}", count(work))).concat();
            format!("{words:<42} {cells}{all}\n")
        };
        line("rows", |_| true)
            + &line("rows at .8 or less", |ratio| ratio <= 0.8)
            + &line("rows above 1.03", |ratio| ratio > 1.03)
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    bench::main(Items)
}
