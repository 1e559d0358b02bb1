//! Options of the bench of kernels.

use pico_args::Arguments;
use redist::Redistribution;
use redist::exec::{Binder, Vectors};
use redist_measuring::Turns;
use std::error::Error;

/// Rounds and instructions that the caller asks for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Asked {
    pub turns: Turns,
    pub vectors: Option<Vectors>,
}

impl Asked {
    pub fn options(&mut self, arguments: &mut Arguments) -> Result<Vec<String>, Box<dyn Error>> {
        let mut words = Vec::new();
        if let Some(name) = arguments.opt_value_from_str::<_, String>("--vectors")? {
            self.vectors = Some(level(&name)?);
            words.extend(["--vectors".into(), name]);
        }
        Ok(words)
    }

    pub fn binder<'a, R: Redistribution<D>, const D: usize>(
        &self,
        plan: &'a R,
    ) -> Binder<'a, R, D> {
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
