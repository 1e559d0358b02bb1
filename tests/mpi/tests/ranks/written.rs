//! Bytes that the compiler's code for an item's blocks copies, as `tests/movement/written.rs`: from
//! chunks, and in messages.

use redist::Redistribution;
use redist::exec::Vectors;
use redist::mpi::{Communicator, Operation};
use redist::transport::Route;
use redist_mpi_tests::{Case, Outcome};
use redist_testing::written::{self, Copied, Expected, Numbered, Visitor};

pub const CASES: &[Case] =
    &[Case::new("written::code_copies_what_it_was_written_for", &[4], copies)
        .on_one_node()
        .limit(90)];

struct OverMpi<'a> {
    world: &'a Communicator,
    outcome: Outcome,
}

impl Visitor for OverMpi<'_> {
    fn visit<R, const D: usize>(
        &mut self,
        name: &str,
        plan: &R,
        vectors: Vectors,
        expected: Expected,
    ) where
        R: Redistribution<D, Element: Numbered> + Sync,
    {
        if self.outcome.is_ok() {
            self.outcome = self.check((name, vectors), plan, expected);
        }
    }
}

impl OverMpi<'_> {
    fn check<R, const D: usize>(
        &self,
        name: (&str, Vectors),
        plan: &R,
        expected: Expected,
    ) -> Outcome
    where
        R: Redistribution<D, Element: Numbered>,
    {
        let copied = written::moved(plan, self.world, (name.1, Route::Chunks))?;
        let all = Copied { written: self.sums(copied.written)?, all: self.sums(copied.all)? };
        Ok(written::check(name, plan, (expected, all))?)
    }

    fn sums<const N: usize>(&self, mine: [usize; N]) -> Result<[usize; N], redist_mpi::Error> {
        let mut of_all = [0; N];
        self.world.allreduce(&mine.map(|count| count as u64), &mut of_all, Operation::Sum)?;
        Ok(of_all.map(|count| count as usize))
    }
}

fn copies(world: &Communicator) -> Outcome {
    let mut visitor = OverMpi { world, outcome: Ok(()) };
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        written::each(&mut visitor);
    }
    visitor.outcome
}
