//! Code for blocks beside the library's own copies: faster above each threshold, no faster below.

use crate::asked::Asked;
use crate::case::{packing, unpacking};
use crate::items::Static;
use crate::lent;
use pico_args::Arguments;
use redist::exec::generated::{self, BlocksAndRanks, Compiled};
use redist::exec::{Kernel, Kernels, Tier, Vectors};
use redist::plan::WindowTable;
use redist::{Element, Plan, Redistribution, redistribute, threads};
use redist_measuring::bench::{self, Bench};
use redist_measuring::{Measured, Method, Row, Task, Turns};
use std::cell::RefCell;
use std::error::Error;

/// An item whose code is used even if it gains nothing.
struct Always<R>(R);

impl<R: Compiled<D>, const D: usize> Compiled<D> for Always<R> {
    const BLOCKS: Option<BlocksAndRanks> = R::BLOCKS;
    const BLOCKS_BACK: Option<BlocksAndRanks> = R::BLOCKS_BACK;
    const ON_BOTH_SIDES: bool = R::ON_BOTH_SIDES;
    const ALWAYS: bool = true;
}

impl<R: Compiled<D>, const D: usize> Redistribution<D> for Always<R> {
    type Element = R::Element;
    fn name(&self) -> &str {
        self.0.name()
    }
    fn plan(&self) -> Plan<D> {
        self.0.plan()
    }
    fn windows(&self) -> [WindowTable<'static>; D] {
        self.0.windows()
    }
    fn tiers(&self) -> [(Tier, &'static str); D] {
        self.0.tiers()
    }
    fn kernels(&self) -> Kernels {
        generated::kernels::<Self, D>()
    }
}

/// The work that is compared.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Work {
    Packing,
    Unpacking,
    Lent,
}

/// Columns: the library's own copies, and compiled code.
const WAYS: [(&str, &str); 2] = [("run time", "own"), ("static", "code")];

fn compare<T: Element, R>(item: R, work: Work, asked: &Asked) -> (Vec<Method>, bool)
where
    R: Compiled<1, Element = T> + Sync,
{
    let by_code = |kernel| matches!(kernel, Kernel::Compiled { .. });
    match work {
        Work::Lent => {
            let words = threads::run(item.plan().ranks(), |rank| {
                Ok::<_, redist::Error>(asked.binder(&item).bind(rank)?.explain())
            });
            let words = words.unwrap_or_else(|failure| panic!("{failure}"));
            let samples = lent::samples(&Always(item), asked);
            let methods = [Method::timed("own", &samples[1]), Method::timed("code", &samples[0])];
            (methods.into(), words[0].contains("code for these blocks"))
        }
        _ => {
            let packs = work == Work::Packing;
            let (own, plan) = (Static::of(&item, asked), item.plan());
            let choice = if packs { own.packing.kernel() } else { own.unpacking.kernel() };
            let always = Some(Static::of(&Always(item), asked));
            let (methods, _) = match packs {
                true => packing::<T, 1>(plan, always, asked),
                false => unpacking::<T, 1>(plan, always, asked),
            };
            let of = |(column, name): (&str, &str)| {
                let found = methods.iter().find(|method| method.name == column);
                Method { name: name.into(), ..found.expect("a column of every row").clone() }
            };
            (WAYS.map(of).into(), by_code(choice.kernel))
        }
    }
}

/// The bench of thresholds.
#[derive(Default)]
pub struct Thresholds {
    asked: Asked,
    rule: RefCell<String>,
}

impl Bench for Thresholds {
    fn name(&self) -> &'static str {
        "thresholds"
    }

    fn options(&mut self, arguments: &mut Arguments) -> Result<Vec<String>, Box<dyn Error>> {
        arguments.contains("--thresholds");
        let mut words = self.asked.options(arguments)?;
        words.push("--thresholds".into());
        Ok(words)
    }

    fn turns(&self) -> Turns {
        Turns { most: 21, seconds: 0.3, ..Turns::default() }
    }

    fn rows(&self) -> Vec<Task> {
        let mut rows = Vec::new();
        each(&mut |row, _| rows.push(Task { row: row.into(), ranks: 1 }));
        rows
    }

    fn measure(&self, task: &Task, turns: Turns) -> Result<Row, Box<dyn Error>> {
        let asked = Asked { turns, ..self.asked };
        let mut found = None;
        each(&mut |row, measure| {
            if row == task.row {
                let (methods, taken) = measure(&asked);
                let note = if taken { "taken" } else { "not taken" };
                found = Some(Row { note: note.into(), ..Row::plain(row, 1, methods) });
            }
        });
        Ok(found.ok_or_else(|| format!("there is no row '{}'", task.row))?)
    }

    fn head(&self) -> String {
        let vectors = self.asked.vectors.unwrap_or_else(Vectors::detected);
        format!("code for blocks, times the speed of the library's own copies; {vectors}")
    }

    fn line(&self, measured: &Measured) -> String {
        let (rule, item) = measured.task.row.split_once(" | ").unwrap_or(("", &measured.task.row));
        let shown = self.rule.replace(rule.into());
        let head = if shown == rule { String::new() } else { format!("{rule}\n") };
        let ratio =
            measured.figure("code", |row, _| row.ratio("code").map_or(f64::NAN, f64::recip));
        let note = measured.rows().next().map_or("", |row| &row.note);
        format!("{head}  {item:<38} {:<18} {note}", bench::cell(ratio))
    }
}

type Measure<'a> = &'a dyn Fn(&Asked) -> (Vec<Method>, bool);

fn each(visit: &mut dyn FnMut(&str, Measure<'_>)) {
    macro_rules! rules {
        ($($rule:literal: $work:ident $ranks:literal {
            $($element:ident $from:literal $to:literal: $($kib:literal)*;)*
        })*) => {$($({
            redistribute! {
                struct Item(n: usize): [$element; n] {
                    from: cyclic($from) onto $ranks,
                    to: cyclic($to) onto $ranks,
                }
            }
            for kib in [$($kib),*] {
                let blocks = concat!(stringify!($element), " ", $from, " → ", $to, " on ", $ranks);
                let row = format!("{} | {blocks:28} {:>9}", $rule, format!("{kib} KiB"));
                visit(&row, &|asked| {
                    let extent = (kib << 10) / size_of::<$element>() * $ranks;
                    compare(Item::new(extent).expect("a valid extent"), Work::$work, asked)
                });
            }
        })*)*};
    }
    rules! {
        "packing, runs in turn: below 48 bytes": Packing 3 {
            f32 90 3: 256;
            f32 120 4: 256;
            f64 90 3: 256;
            f32 240 8: 256;
            f64 150 5: 256;
            f32 480 16: 256;
        }
        "unpacking, runs in turn: below 48 bytes": Unpacking 3 {
            f32 3 90: 256;
            f32 4 120: 256;
            f64 3 90: 256;
            f32 8 240: 256;
            f64 5 150: 256;
            f32 16 480: 256;
        }
        "packing, where there is no network": Packing 4 {
            f32 5 1: 32 256;
            f32 60 3: 32 256;
            f32 100 1: 32 256;
            f64 100 1: 32 256;
            f32 400 4: 32 256;
        }
        "unpacking, where there is no network": Unpacking 4 {
            f32 1 5: 32 256;
            f32 3 60: 32 256;
            f32 1 100: 32 256;
            f64 1 100: 32 256;
            f32 4 400: 32 256;
        }
        "packing runs of 4 bytes by AVX2: below 5 messages": Packing 11 {
            f32 3 1: 32 1024;
            f32 5 1: 32 1024;
            f32 7 1: 32 1024;
        }
        "packing runs in turn by AVX2: arrays below 12 MiB": Packing 5 {
            f64 20 2: 5000 10000 14000 30000;
            f64 40 4: 5000 10000 14000 30000;
        }
        "packing by AVX-512: arrays of any size": Packing 3 {
            f32 5 1: 8192 10240 14336 24576 49152;
            f32 100 1: 8192 10240 14336 24576 49152;
        }
        "unpacking by AVX-512: arrays of any size": Unpacking 3 {
            f32 1 5: 3072 6144 10240 14336 24576;
            f32 5 3: 3072 6144 10240 14336 24576;
        }
        "packing runs of 64 bytes and more: arrays below 4 MiB": Packing 3 {
            f32 64 48: 2048 3072 6144 16384;
            f64 32 24: 2048 3072 6144 16384;
        }
        "lent arrays by AVX-512: rows of any size": Lent 2 {
            f32 5 1: 12288 20480 32768 65536;
            f32 1 5: 12288 20480 32768 65536;
        }
        "lent arrays, by statements: rows of any size": Lent 2 {
            f64 10 2: 3072 10240 16384 30000 40960;
            f64 2 10: 3072 10240 16384 30000 40960;
        }
        "lent arrays, by statements, elements of 4 bytes: of any size": Lent 2 {
            f32 200 2: 4096 32768;
        }
    }
}
