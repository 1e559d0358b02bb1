//! The primitives of shared memory: std's atomics and locks, or `loom`'s. Models (`.ci/model`) run
//! the same code in every order that the memory model allows.

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

/// Takes a lock even if poisoned, because a panic under it leaves nothing half done.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// `true` under `loom`, which tries all orders, so that loops and rings are short.
pub const IS_MODELLED: bool = cfg!(all(test, loom));

/// Returns `true` if each of so many ranks of one machine has a core to itself.
pub fn have_cores(ranks: usize) -> bool {
    std::thread::available_parallelism().is_ok_and(|cores| ranks <= cores.get())
}

/// Stands for memory that `loom` does not see, and that code uses by pointers. `loom` fails if
/// reads and writes of it are not ordered. Without `loom` it is empty.
#[cfg(any(feature = "mpi", test))]
#[derive(Debug, Default)]
pub struct Watched(#[cfg(all(test, loom))] loom::cell::UnsafeCell<()>);

#[cfg(any(feature = "mpi", test))]
impl Watched {
    #[inline]
    pub fn read(&self) {
        #[cfg(all(test, loom))]
        self.0.with(|_| ());
    }

    #[inline]
    pub fn write(&self) {
        #[cfg(all(test, loom))]
        self.0.with_mut(|_| ());
    }
}
