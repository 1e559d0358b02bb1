//! Lending arrays to the other ranks, so that all copy from array to array instead of by messages.
//!
//! Unsafe, since a lifetime cannot say that slices of one thread are used by others until they are through. [`Slot`]
//! keeps slices as pointers; [`copy_lent`] is the only place that publishes and reads them.

use super::rounds::Rounds;
use crate::error::Error;
use crate::transport::Lent;
use crate::transport::recycle::recycle;
use std::cell::UnsafeCell;
use std::slice;
use std::sync::Arc;
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};

/// A slice whose lifetime is not told.
#[derive(Debug)]
struct Shown {
    pointer: AtomicPtr<u8>,
    len: AtomicUsize,
}

impl Shown {
    fn empty() -> Self {
        Self { pointer: AtomicPtr::new([].as_mut_ptr()), len: AtomicUsize::new(0) }
    }

    fn show(&self, pointer: *mut u8, len: usize) {
        self.pointer.store(pointer, Ordering::Relaxed);
        self.len.store(len, Ordering::Relaxed);
    }

    fn parts(&self) -> (*mut u8, usize) {
        (self.pointer.load(Ordering::Relaxed), self.len.load(Ordering::Relaxed))
    }
}

/// Where a rank shows its arrays while it lends them.
#[derive(Debug)]
pub(super) struct Slot {
    source: Shown,
    destination: Shown,
}

impl Slot {
    pub fn empty() -> Self {
        Self { source: Shown::empty(), destination: Shown::empty() }
    }

    fn show(&self, source: &[u8], destination: &mut [u8]) {
        self.source.show(source.as_ptr().cast_mut(), source.len());
        self.destination.show(destination.as_mut_ptr(), destination.len());
    }

    /// # Safety
    /// The source that was shown last is borrowed at least as long as the caller reads from it here, and what was shown
    /// happened before.
    unsafe fn source<'a>(&self) -> &'a [u8] {
        let (pointer, len) = self.source.parts();
        // SAFETY: `show` took both from one slice, which the caller says is still borrowed.
        unsafe { slice::from_raw_parts(pointer, len) }
    }

    /// # Safety
    /// The destination that was shown last is borrowed mutably at least as long as the caller uses this, its owner does
    /// not use that borrow in the meantime, and what was shown happened before.
    unsafe fn destination<'a>(&self) -> &'a [UnsafeCell<u8>] {
        let (pointer, len) = self.destination.parts();
        // SAFETY: `show` took both from one slice, which the caller says is still borrowed, and only used by way of
        // slices like this; an `UnsafeCell` has the layout of what it holds.
        unsafe { slice::from_raw_parts(pointer.cast::<UnsafeCell<u8>>(), len) }
    }
}

/// Who lends what, seen from one rank.
#[derive(Debug)]
pub(super) struct Lenders {
    /// This rank's.
    own: Arc<Slot>,
    /// Every rank's, this one's included.
    all: Vec<Arc<Slot>>,
    /// Lists kept between exchanges for their memory only.
    spare: [Vec<&'static [u8]>; 2],
}

impl Lenders {
    pub fn new(own: Arc<Slot>, all: Vec<Arc<Slot>>) -> Self {
        Self { own, spare: [Vec::with_capacity(all.len()), Vec::with_capacity(all.len())], all }
    }
}

/// How an exchange with lent arrays went.
pub(super) enum Outcome {
    /// All is copied, and nobody uses this rank's arrays any more.
    Copied,
    /// Some rank only begins the exchange, and will not be there when the others copy: messages have to be packed.
    Packs,
    /// Some rank is not ready, and nothing was copied; or one has panicked while it copied.
    Refused(Error),
}

/// Lends this rank's source and destination to all others, and has `copy` copy between theirs, by rank. Returns when
/// nobody uses this rank's any more. Allocates nothing.
///
/// # Errors
/// Naming the rank, that one is gone; nobody has used anything then, and nobody will.
pub(super) fn copy_lent(
    rounds: &Rounds,
    lenders: &mut Lenders,
    ready: &Result<(), Error>,
    (source, destination): (&[u8], &mut [u8]),
    copy: impl FnOnce(Lent<'_, '_>),
) -> Result<Outcome, Error> {
    // Nobody may use the slot: the last round is over everywhere, and this rank has not been counted in this one.
    match ready {
        Ok(()) => lenders.own.show(source, destination),
        Err(_) => lenders.own.show(&[], &mut []),
    }
    rounds.count(|rank| &rank.arrived);
    // From here to the guard nothing can panic, and nobody uses anything before all have come as far.
    rounds.wait_for(|rank| &rank.arrived)?;
    if let Err(error) = ready.clone().and_then(|()| rounds.refusal()) {
        return Ok(Outcome::Refused(error));
    }
    if rounds.somebody_packs() {
        return Ok(Outcome::Packs);
    }
    let guard = UntilAllHaveCopied(rounds);
    let [first, second] = &mut lenders.spare;
    let mut sources: Vec<&[u8]> = recycle(std::mem::take(first));
    let mut destinations: Vec<&[UnsafeCell<u8>]> = recycle(std::mem::take(second));
    // SAFETY: All ranks have arrived in this round, after they showed their slices (the counters' release and acquire
    // order the two), all are ready and none packs. Each looks at the same marks, which no rank changes before all have
    // left the round, so each comes to this place, and its guard keeps it in this function, and so its slices borrowed and
    // unused but by way of their slots, until all have counted themselves out, panicking or not. This rank counts itself
    // out when its own guard is dropped, after `copy` has returned or unwound; the lists go no further than `copy`, which
    // cannot keep them.
    unsafe {
        sources.extend(lenders.all.iter().map(|slot| slot.source()));
        destinations.extend(lenders.all.iter().map(|slot| slot.destination()));
    }
    copy(Lent { sources: &sources, destinations: &destinations });
    lenders.spare = [recycle(sources), recycle(destinations)];
    drop(guard);
    Ok(rounds.panicked().map_or(Outcome::Copied, Outcome::Refused))
}

/// When dropped, also while unwinding: tells that this rank copies no more, and waits until nobody does.
struct UntilAllHaveCopied<'a>(&'a Rounds);

impl Drop for UntilAllHaveCopied<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.panic();
        }
        self.0.count(|rank| &rank.unpacked);
        if self.0.wait_for(|rank| &rank.unpacked).is_err() {
            // A rank ended inside this round without dropping its guard. None can; but if one did, it might still be
            // using what this rank is about to give up.
            std::process::abort();
        }
    }
}
