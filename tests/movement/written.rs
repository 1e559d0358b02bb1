//! Bytes that the compiler's code copies, over threads. `mpi/tests/ranks/written.rs` is over MPI.

use redist::Redistribution;
use redist::exec::Vectors;
use redist::threads;
use redist::transport::Route;
use redist_testing::written::{self, Copied, Expected, Numbered, Visitor};

struct OverThreads {
    wrong: Vec<String>,
}

impl Visitor for OverThreads {
    fn visit<R, const D: usize>(
        &mut self,
        name: &str,
        plan: &R,
        vectors: Vectors,
        expected: Expected,
    ) where
        R: Redistribution<D, Element: Numbered> + Sync,
    {
        let copied = threads::run(plan.plan().ranks(), |rank| {
            written::moved(plan, rank, (vectors, Route::Automatic))
        });
        let all = copied.unwrap().into_iter().fold(Copied::default(), Copied::plus);
        self.wrong.extend(written::check((name, vectors), plan, (expected, all)).err());
    }
}

#[test]
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn code_copies_what_it_was_written_for() {
    let mut visitor = OverThreads { wrong: Vec::new() };
    written::each(&mut visitor);
    assert!(visitor.wrong.is_empty(), "{}", visitor.wrong.join("\n"));
}
