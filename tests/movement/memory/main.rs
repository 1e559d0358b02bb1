//! Memory that moves take, counted by an allocator.
//!
//! The allocator counts what the whole program holds, so these tests are a program of their own,
//! and one of them runs at a time.

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
