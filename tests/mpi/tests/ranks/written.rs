//! Which bytes code copies that the compiler has written for the blocks of an item, as
//! `tests/written.rs`: from chunks, and in messages.

use mpi::collective::SystemOperation;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::Redistribution;
use redist::exec::Vectors;
use redist::transport::Route;
use redist_mpi_tests::{Case, Outcome};
use redist_testing::written::{self, Copied, Expected, Numbered, Visitor};

pub const CASES: &[Case] =
    &[Case::new("written::code_copies_what_it_was_written_for", &[4], copies)
        .on_one_node()
        .limit(90)];

struct OverMpi<'a> {
    world: &'a SimpleCommunicator,
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
        let copied = written::moved(plan, self.world, (name.1, Route::Staged))?;
        let mut all = Copied::default();
        let sum = SystemOperation::sum();
        self.world.all_reduce_into(&copied.written[..], &mut all.written[..], sum);
        self.world.all_reduce_into(&copied.all[..], &mut all.all[..], sum);
        Ok(written::check(name, plan, (expected, all))?)
    }
}

fn copies(world: &SimpleCommunicator) -> Outcome {
    let mut visitor = OverMpi { world, outcome: Ok(()) };
    if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
        written::each(&mut visitor);
    }
    visitor.outcome
}
