//! Packing and unpacking of one rank as fractions of `memcpy` of the same bytes, in the same process.
//!
//! kr→r packed and r→kr unpacked (all messages together), general pairs of
//! blocks, and two dimensions; planned by the macro, at run time, and as a segment table with one
//! `memcpy` a run, which is what programs write by hand; and beside them a plain loop of vector
//! loads and stores over the same bytes, which no kernel made of them can beat.
//!
//! `cargo bench -p redist-moves --bench kernels -- [--quick] [--vectors LEVEL] [WORDS]`
//!
//! With `--thresholds`, instead of all that: code for blocks against the library's own copies, on both
//! sides of each threshold by which it is taken.

mod case;
mod items;
mod lent;
mod segments;
mod sweep;
mod table;
mod thresholds;
mod timing;
mod vectors;

use pico_args::Arguments;
use redist::Redistribution;
use redist::exec::{Binder, Vectors};
use redist_measuring::Turns;
use redist_measuring::bench;
use std::error::Error;
use table::Sweep;
use thresholds::Thresholds;

/// What is asked of all rows.
#[derive(Clone, Copy, Debug, Default)]
struct Asked {
    turns: Turns,
    /// The most that kernels may use, if it was said.
    vectors: Option<Vectors>,
}

impl Asked {
    /// Takes `--vectors LEVEL` off a command line, and says it again.
    fn options(&mut self, arguments: &mut Arguments) -> Result<Vec<String>, Box<dyn Error>> {
        let mut words = Vec::new();
        if let Some(name) = arguments.opt_value_from_str::<_, String>("--vectors")? {
            self.vectors = Some(level(&name)?);
            words.extend(["--vectors".into(), name]);
        }
        Ok(words)
    }

    /// A plan with what was said of instructions.
    fn binder<'a, R: Redistribution<D>, const D: usize>(&self, plan: &'a R) -> Binder<'a, R, D> {
        match self.vectors {
            Some(most) => plan.binder().max_vectors(most),
            None => plan.binder(),
        }
    }
}

fn level(name: &str) -> Result<Vectors, String> {
    Ok(match name {
        "portable" => Vectors::Portable,
        "neon" => Vectors::Neon,
        "sse2" => Vectors::Sse2,
        "avx2" => Vectors::Avx2,
        "avx512" => Vectors::Avx512,
        other => {
            return Err(format!("{other}: levels are portable, neon, sse2, avx2 and avx512"));
        }
    })
}

fn main() -> Result<(), Box<dyn Error>> {
    match Arguments::from_env().contains("--thresholds") {
        true => bench::main(Thresholds::default()),
        false => bench::main(Sweep::default()),
    }
}
