//! Memory of moves. The allocator counts the whole program's memory, so these tests are a program
//! of their own, and run one at a time.

mod allocations;
mod rounds;

use redist_testing::allocations::Counting;
use std::sync::{Mutex, MutexGuard, PoisonError};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Keeps other tests from running until it is dropped.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}
