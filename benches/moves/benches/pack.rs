//! Packing and unpacking of one rank of 4 beside `memcpy` of the same bytes, in the same process.
//!
//! kr→r, r→kr and general redistributions, each planned by the macro from literals, by rustc from
//! constants and at run time, as fractions of `memcpy`'s speed. `kernels` has many more blocks.
//!
//! `cargo bench -p redist-moves --bench pack -- [WORDS]`

use redist::{Element, Redistribution, TypedPlan, redistribute};
use redist_measuring::bench::{self, Bench};
use redist_measuring::{Measured, Method, Row, Task, Turns, perhaps_slower};
use std::cell::RefCell;
use std::convert::Infallible;
use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

/// Bytes of a local array, with their name.
const SIZES: [(usize, &str); 3] = [(32 << 10, "32 KiB"), (1 << 20, "1 MiB"), (20 << 20, "20 MiB")];

/// Blocks of which only rustc knows the numbers.
const BLOCKS: [usize; 201] = {
    let mut blocks = [0; 201];
    let mut number = 0;
    while number < blocks.len() {
        blocks[number] = number;
        number += 1;
    }
    blocks
};

/// Columns: the stage that plans.
const TIERS: [&str; 3] = ["literals", "constants", "run time"];

/// Ranks on both sides.
const RANKS: usize = 4;
/// The rank whose work is measured.
const RANK: usize = 1;

/// The least bytes of a sample, for the clock's resolution.
const SAMPLE: usize = 1 << 20;

type Work<'a> = Box<dyn FnMut() + 'a>;

/// Arrays of one measurement.
struct Arrays<T> {
    local: RefCell<Vec<T>>,
    buffer: RefCell<Vec<T>>,
}

impl<T: Element> Arrays<T> {
    fn new(len: usize, value: T) -> Self {
        let written = || RefCell::new(black_box(vec![value; len]));
        Self { local: written(), buffer: written() }
    }

    fn packs<'a>(&'a self, plan: &impl Redistribution<1, Element = T>) -> Work<'a> {
        let packing = plan.binder().packing(RANK);
        let lengths: Vec<usize> = packing.envelopes().iter().map(|envelope| envelope.len).collect();
        Box::new(move || {
            let mut buffer = self.buffer.borrow_mut();
            let mut rest = buffer.as_mut_slice();
            let mut messages = Vec::with_capacity(lengths.len());
            for &len in &lengths {
                let (message, after) = rest.split_at_mut(len);
                messages.push(message);
                rest = after;
            }
            packing.pack(black_box(&self.local.borrow()[..packing.local_len()]), &mut messages);
            black_box(&mut buffer);
        })
    }

    fn unpacks<'a>(&'a self, plan: &impl Redistribution<1, Element = T>) -> Work<'a> {
        let unpacking = plan.binder().unpacking(RANK);
        let lengths: Vec<usize> =
            unpacking.envelopes().iter().map(|envelope| envelope.len).collect();
        Box::new(move || {
            let (buffer, mut local) = (self.buffer.borrow(), self.local.borrow_mut());
            let mut rest = black_box(buffer.as_slice());
            let mut messages = Vec::with_capacity(lengths.len());
            for &len in &lengths {
                let (message, after) = rest.split_at(len);
                messages.push(message);
                rest = after;
            }
            unpacking.unpack(&mut local[..unpacking.local_len()], &messages);
            black_box(&mut local);
        })
    }

    fn copies<'a>(&'a self, len: usize) -> Work<'a> {
        Box::new(move || {
            let mut buffer = self.buffer.borrow_mut();
            buffer[..len].copy_from_slice(black_box(&self.local.borrow()[..len]));
            black_box(&mut buffer);
        })
    }
}

fn measure<T: Element>(
    literal: &impl Redistribution<1, Element = T>,
    constant: &impl Redistribution<1, Element = T>,
    value: T,
    turns: Turns,
) -> Vec<Method> {
    assert_eq!(literal.plan().digest(), constant.plan().digest(), "tiers of one redistribution");
    let at_run_time = TypedPlan::<T, 1>::from(literal.plan());
    let lengths =
        [literal.binder().packing(RANK).local_len(), literal.binder().unpacking(RANK).local_len()];
    let arrays = Arrays::new(lengths[0].max(lengths[1]), value);
    let [literals, constants, run_time] = TIERS;
    let mut works: Vec<(String, Work<'_>)> = vec![
        ("memcpy".into(), arrays.copies(lengths[0])),
        (format!("pack, {literals}"), arrays.packs(literal)),
        (format!("pack, {constants}"), arrays.packs(constant)),
        (format!("pack, {run_time}"), arrays.packs(&at_run_time)),
        (format!("unpack, {literals}"), arrays.unpacks(literal)),
        (format!("unpack, {constants}"), arrays.unpacks(constant)),
        (format!("unpack, {run_time}"), arrays.unpacks(&at_run_time)),
    ];
    let calls = SAMPLE / (lengths[0] * size_of::<T>()).max(1) + 1;
    let Ok(mut samples) = turns.take(works.len(), |number| {
        let start = Instant::now();
        let mut work = || (0..calls).for_each(|_| (works[number].1)());
        if number == 0 {
            work()
        } else {
            perhaps_slower(work)
        }
        Ok::<_, Infallible>(start.elapsed().as_secs_f64())
    });
    samples.iter_mut().flatten().for_each(|sample| *sample /= calls as f64);
    works.into_iter().zip(&samples).map(|((name, _), times)| Method::timed(name, times)).collect()
}

macro_rules! rows {
    ($($element:ident $from:literal $to:literal)*) => {
        const ITEMS: &[&str] =
            &[$(concat!(stringify!($element), " cyclic(", $from, ") → (", $to, ")")),*];

        fn methods(words: &str, bytes: usize, turns: Turns) -> Result<Vec<Method>, Box<dyn Error>> {
            $(
                if words == concat!(stringify!($element), " cyclic(", $from, ") → (", $to, ")") {
                    redistribute! {
                        struct Literal(n: usize): [$element; n] {
                            from: cyclic($from) onto 4,
                            to: cyclic($to) onto 4,
                        }
                    }
                    redistribute! {
                        struct Constant(n: usize): [$element; n] {
                            from: cyclic(BLOCKS[$from]) onto 4,
                            to: cyclic(BLOCKS[$to]) onto 4,
                        }
                    }
                    let extent = bytes / size_of::<$element>() * RANKS;
                    let (literal, constant) = (Literal::new(extent)?, Constant::new(extent)?);
                    return Ok(measure(&literal, &constant, 1 as $element, turns));
                }
            )*
            Err(format!("there is no row '{words}'").into())
        }
    };
}

rows!(
    f32 10 2
    f32 2 10
    f32 200 2
    f32 10 4
    f32 5 1
    f32 1 100
    f64 10 2
    f64 64 32
    u8 100 1
);

/// The bench of packing by tier.
struct Pack;

impl Bench for Pack {
    fn name(&self) -> &'static str {
        "pack"
    }

    fn rows(&self) -> Vec<Task> {
        let row = |size, item| Task { row: format!("{size}: {item}"), ranks: 1 };
        SIZES.iter().flat_map(|(_, size)| ITEMS.iter().map(move |item| row(size, item))).collect()
    }

    fn turns(&self) -> Turns {
        Turns { seconds: 0.2, most: 51, ..Turns::default() }
    }

    fn measure(&self, task: &Task, turns: Turns) -> Result<Row, Box<dyn Error>> {
        let (size, item) = task.row.split_once(": ").ok_or("a row is 'SIZE: ITEM'")?;
        let (bytes, _) = SIZES.iter().find(|(_, name)| *name == size).ok_or("no such size")?;
        Ok(Row::plain(&*task.row, 1, methods(item, *bytes, turns)?))
    }

    fn head(&self) -> String {
        let columns = ["pack", "unpack"].map(|work| TIERS.map(|tier| format!("{work}, {tier}")));
        let columns = columns.as_flattened().iter().map(|column| format!("{column:<19}"));
        format!("fractions of memcpy's speed\n{:28}{}", "", columns.collect::<String>())
    }

    fn line(&self, measured: &Measured) -> String {
        let cell = |work: &str, tier: &str| {
            let name = format!("{work}, {tier}");
            let of = |row: &Row| row.ratio(&name).map_or(f64::NAN, f64::recip);
            format!("{:<19}", bench::cell(measured.figure(&name, |row, _| of(row))))
        };
        let cells = ["pack", "unpack"].map(|work| TIERS.map(|tier| cell(work, tier)).concat());
        format!("{:<28}{}", measured.task.row, cells.concat()).trim_end().to_owned()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    bench::main(Pack)
}
