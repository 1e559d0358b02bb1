//! What ranks share memory by: std's atomics and locks, or `loom`'s, which run the same code in
//! every order that the memory model allows.
//!
//! `loom` stands in where tests of this crate are built with `--cfg loom` (`.ci/model`). It is a
//! dependency of these tests alone.

#[cfg(all(test, loom))]
pub use loom::{
    sync::{Arc, Condvar, Mutex, MutexGuard, atomic},
    thread::yield_now,
};
#[cfg(not(all(test, loom)))]
pub use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, atomic},
    thread::yield_now,
};

/// Whether `loom` stands in. Every repetition is one more thing that it tries in all orders, so
/// loops and rings are short then.
pub const IS_MODELLED: bool = cfg!(all(test, loom));

/// Whether each of this many ranks of one machine has a core, so that one that waits takes none from
/// the others.
pub fn have_cores(ranks: usize) -> bool {
    std::thread::available_parallelism().is_ok_and(|cores| ranks <= cores.get())
}

/// Stands for memory that is used by pointers, of which `loom` knows nothing: it is told when that
/// is read and written, and fails where the one is not ordered against the other. Otherwise it is
/// nothing, and takes no memory.
#[cfg(any(feature = "mpi", test))]
#[derive(Debug, Default)]
pub struct Watched(#[cfg(all(test, loom))] loom::cell::UnsafeCell<()>);

#[cfg(any(feature = "mpi", test))]
impl Watched {
    /// The memory is read now.
    #[inline]
    pub fn read(&self) {
        #[cfg(all(test, loom))]
        self.0.with(|_| ());
    }

    /// The memory is written to now.
    #[inline]
    pub fn write(&self) {
        #[cfg(all(test, loom))]
        self.0.with_mut(|_| ());
    }
}
