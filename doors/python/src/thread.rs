//! Values that stay on one thread, in objects of Python's that any thread may use. Unsafe, because
//! such objects count as `Send`: each use compares threads.

use crate::errors::MoveError;
use pyo3::prelude::*;
use std::any::Any;
use std::cell::{RefCell, RefMut};
use std::sync::{Mutex, PoisonError};
use std::thread::{self, ThreadId};

/// A value that only the thread that made it uses.
pub struct OnThread<T: 'static> {
    thread: ThreadId,
    /// `None` at its end.
    value: Option<Box<RefCell<T>>>,
}

// SAFETY: only `enter` and `drop` reach the value, on its own thread. On any other, `drop` stores
// it for that thread without reading it.
unsafe impl<T> Send for OnThread<T> {}
// SAFETY: a shared reference gives the value only to `enter`, which compares threads first.
unsafe impl<T> Sync for OnThread<T> {}

/// A value whose owner is on another thread: it waits to be dropped there.
struct Left(ThreadId, #[expect(dead_code, reason = "it is dropped")] Box<dyn Any>);

// SAFETY: the value is dropped on its own thread, by `end_left`, and not reached before.
unsafe impl Send for Left {}

/// Values that wait for their threads.
static LEFT: Mutex<Vec<Left>> = Mutex::new(Vec::new());

impl<T> OnThread<T> {
    pub fn new(value: T) -> Self {
        end_left();
        Self { thread: thread::current().id(), value: Some(Box::new(RefCell::new(value))) }
    }

    pub fn is_here(&self) -> bool {
        thread::current().id() == self.thread
    }

    pub fn enter(&self) -> PyResult<RefMut<'_, T>> {
        let refused = |words: &str| MoveError::new_err(words.to_owned());
        if !self.is_here() {
            let words = "a Bound is used on the thread that bound it alone; bind the plan on this one, \
                         to a communicator of its own";
            return Err(refused(words));
        }
        let value = self.value.as_ref().ok_or_else(|| refused("the Bound has ended"))?;
        value.try_borrow_mut().map_err(|_| refused("the Bound is in another call of this thread"))
    }
}

impl<T> Drop for OnThread<T> {
    fn drop(&mut self) {
        let Some(value) = self.value.take() else { return };
        match self.is_here() {
            true => {
                drop(value);
                end_left();
            }
            false => left().push(Left(self.thread, value)),
        }
    }
}

fn left() -> std::sync::MutexGuard<'static, Vec<Left>> {
    // Each entry is whole after any panic.
    LEFT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Ends this thread's values that other threads have let go of.
fn end_left() {
    let here = thread::current().id();
    let own: Vec<Left> = left().extract_if(.., |left| left.0 == here).collect();
    drop(own);
}

/// Works without the interpreter's lock, on this thread.
///
/// # Safety
/// `work` uses nothing of Python's that needs the lock. Its caller keeps the arrays whose memory it
/// uses. The program ensures that no other thread uses this memory during the work, as with numpy's
/// own functions.
pub unsafe fn without_lock<R>(py: Python<'_>, work: impl FnOnce() -> R) -> R {
    let work = Here(work);
    py.detach(move || Here(work.take()())).take()
}

/// A value that is used on this thread.
struct Here<T>(T);

impl<T> Here<T> {
    fn take(self) -> T {
        self.0
    }
}

// SAFETY: `without_lock` makes it, passes it to `detach`, and takes it apart, all on one thread.
unsafe impl<T> Send for Here<T> {}
