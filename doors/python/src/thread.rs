//! Values that stay on one thread, in objects of Python's that any thread may use. Unsafe, because
//! such objects count as `Send`: each use compares threads.

use crate::errors::MoveError;
use pyo3::prelude::*;
use std::cell::{RefCell, RefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::thread::{self, ThreadId};
use std::{mem, process};

/// A value that only the thread that made it uses.
pub struct OnThread<T: 'static> {
    thread: ThreadId,
    /// The process of that thread: a copy that `fork` makes is another one.
    process: u32,
    /// `None` at its end.
    value: Option<Arc<Slot<T>>>,
}

/// The place of a value, which its thread empties.
struct Slot<T> {
    /// The value is gone.
    has_ended: AtomicBool,
    value: RefCell<Option<T>>,
}

// SAFETY: only `enter`, `end` and `drop` reach the value, on its own thread. On any other, `drop`
// stores the slot for that thread without reading the value, unless the thread has emptied it.
unsafe impl<T> Send for Slot<T> {}
// SAFETY: a shared reference gives the value only to `enter`, which compares threads first, and to
// `end`, which the value's own thread calls.
unsafe impl<T> Sync for Slot<T> {}

/// A slot of any value.
trait End: Send + Sync {
    /// Drops the value. Its own thread calls it.
    fn end(&self);
}

impl<T> End for Slot<T> {
    fn end(&self) {
        let value = self.value.try_borrow_mut().ok().and_then(|mut value| value.take());
        self.has_ended.store(true, Ordering::Release);
        drop(value);
    }
}

/// A value whose owner is on another thread: it waits to be dropped there.
struct Left(ThreadId, #[expect(dead_code, reason = "it is dropped")] Arc<dyn End>);

/// Values that wait for their threads.
static LEFT: Mutex<Vec<Left>> = Mutex::new(Vec::new());

thread_local! {
    /// Values of a thread that ends before Python does; `None` on threads that may go on.
    static OWN: RefCell<Option<Vec<Weak<dyn End>>>> = const { RefCell::new(None) };
}

impl<T> OnThread<T> {
    pub fn new(value: T) -> Self {
        end_left();
        let value = RefCell::new(Some(value));
        let slot = Arc::new(Slot { has_ended: AtomicBool::new(false), value });
        OWN.with_borrow_mut(|own| {
            let Some(own) = own else { return };
            own.retain(|slot| slot.strong_count() > 0);
            let slot: Weak<Slot<T>> = Arc::downgrade(&slot);
            own.push(slot);
        });
        Self { thread: thread::current().id(), process: process::id(), value: Some(slot) }
    }

    pub fn is_here(&self) -> bool {
        thread::current().id() == self.thread
    }

    /// Returns `true` in a copy of the process, whose threads and connections are not there.
    fn is_copied(&self) -> bool {
        process::id() != self.process
    }

    pub fn enter(&self) -> PyResult<RefMut<'_, T>> {
        let refused = |words: &str| MoveError::new_err(words.to_owned());
        if !self.is_here() {
            let words = "a Bound is used on the thread that bound it alone; bind the plan on this one, \
                         to a communicator of its own";
            return Err(refused(words));
        }
        if self.is_copied() {
            let words = "this process is a copy, made by `fork`, of the one that bound it; the other ranks \
                         know that one alone: bind and move there";
            return Err(refused(words));
        }
        let slot = self.value.as_ref().ok_or_else(|| refused("the Bound has ended"))?;
        let value = slot.value.try_borrow_mut();
        let value = value.map_err(|_| refused("the Bound is in another call of this thread"))?;
        RefMut::filter_map(value, Option::as_mut).map_err(|_| refused("the Bound has ended"))
    }
}

impl<T> Drop for OnThread<T> {
    fn drop(&mut self) {
        let Some(slot) = self.value.take() else { return };
        if self.is_copied() {
            // Its end belongs to the other process.
            return mem::forget(slot);
        }
        if self.is_here() {
            drop(slot);
            return end_left();
        }
        let mut left = left();
        // Under the lock, so that the thread either finds the slot there or has emptied it.
        if !slot.has_ended.load(Ordering::Acquire) {
            left.push(Left(self.thread, slot));
        }
    }
}

/// Works on a thread that ends soon: ends the values that are left then, whoever has them.
pub fn to_the_end<R>(work: impl FnOnce() -> R) -> R {
    let _end = EndOwn;
    OWN.set(Some(Vec::new()));
    work()
}

/// Ends this thread's values, also after a panic.
struct EndOwn;

impl Drop for EndOwn {
    fn drop(&mut self) {
        let own = OWN.take().unwrap_or_default();
        own.iter().filter_map(Weak::upgrade).for_each(|slot| slot.end());
        end_left();
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
