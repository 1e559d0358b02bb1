//! Lending source arrays to the other ranks, so that they copy from them instead of from messages.
//!
//! Unsafe, since a lifetime cannot say that a slice of one thread is read by others until they are through. [`Slot`]
//! keeps a slice as a pointer; [`copy_lent`] is the only place that publishes and reads it.

use super::rounds::Rounds;
use crate::element::Element;
use crate::error::Error;
use crate::transport::recycle::recycle;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// Where a rank shows its source array while it lends it.
#[derive(Debug)]
pub(super) struct Slot<T> {
    pointer: AtomicPtr<T>,
    len: AtomicUsize,
}

impl<T> Slot<T> {
    pub fn empty() -> Self {
        Self { pointer: AtomicPtr::new([].as_mut_ptr()), len: AtomicUsize::new(0) }
    }

    fn show(&self, source: &[T]) {
        self.pointer.store(source.as_ptr().cast_mut(), Ordering::Relaxed);
        self.len.store(source.len(), Ordering::Relaxed);
    }

    /// # Safety
    /// The slice that was shown last is borrowed at least as long as the caller reads from this one, and what was shown
    /// happened before.
    unsafe fn read<'a>(&self) -> &'a [T] {
        let (pointer, len) = (self.pointer.load(Ordering::Relaxed), self.len.load(Ordering::Relaxed));
        // SAFETY: `show` took both from one slice, which the caller says is still borrowed.
        unsafe { slice::from_raw_parts(pointer, len) }
    }
}

/// Who lends what, seen from one rank.
#[derive(Debug)]
pub(super) struct Lenders<T: 'static> {
    /// This rank's.
    pub own: Arc<Slot<T>>,
    /// Every rank's, this one's included.
    pub all: Vec<Arc<Slot<T>>>,
    /// A list kept between exchanges for its memory only.
    pub spare: Vec<&'static [T]>,
}

/// How an exchange with lent arrays went.
pub(super) enum Outcome {
    /// All is copied, and nobody reads `source` any more.
    Copied,
    /// Some rank only begins the exchange, and will not be there when the others copy: messages have to be packed.
    Packs,
    /// Some rank is not ready; nothing was copied.
    Refused(Error),
}

/// Lends this rank's source array to all others, and has `copy` copy from theirs, by rank. Returns when nobody reads
/// `source` any more. Allocates nothing.
///
/// # Errors
/// Naming the rank, that one is gone; nobody has read anything then, and nobody will.
pub(super) fn copy_lent<T: Element>(
    rounds: &Rounds,
    lenders: &mut Lenders<T>,
    ready: &Result<(), Error>,
    source: &[T],
    copy: impl FnOnce(&[&[T]]),
) -> Result<Outcome, Error> {
    // Nobody reads the slot: the last round is over everywhere, and this rank has not been counted in this one.
    lenders.own.show(if ready.is_ok() { source } else { &[] });
    rounds.count(|rank| &rank.arrived);
    // From here to the guard nothing can panic, and nobody reads before all have come as far.
    rounds.wait_for(|rank| &rank.arrived)?;
    if let Err(error) = ready.clone().and_then(|()| rounds.refusal()) {
        return Ok(Outcome::Refused(error));
    }
    if rounds.somebody_packs() {
        return Ok(Outcome::Packs);
    }
    let guard = UntilAllHaveCopied(rounds);
    let mut sources: Vec<&[T]> = recycle(std::mem::take(&mut lenders.spare));
    // SAFETY: All ranks have arrived in this round, after they showed their slices (the counters' release and acquire
    // order the two), all are ready and none packs. Each looks at the same marks, which no rank changes before all have
    // left the round, so each comes to this place, and its guard keeps it in this function, and so its `source` borrowed,
    // until all have counted themselves out, panicking or not. This rank counts itself out when its own guard is dropped,
    // after `copy` has returned or unwound; `sources` goes no further than `copy`, which cannot keep it.
    sources.extend(lenders.all.iter().map(|slot| unsafe { slot.read() }));
    copy(&sources);
    lenders.spare = recycle(sources);
    drop(guard);
    Ok(Outcome::Copied)
}

/// When dropped, also while unwinding: tells that this rank reads no more, and waits until nobody does.
struct UntilAllHaveCopied<'a>(&'a Rounds);

impl Drop for UntilAllHaveCopied<'_> {
    fn drop(&mut self) {
        self.0.count(|rank| &rank.unpacked);
        if self.0.wait_for(|rank| &rank.unpacked).is_err() {
            // A rank ended inside this round without dropping its guard. None can; but if one did, it might still be
            // reading what this rank is about to give up.
            std::process::abort();
        }
    }
}
