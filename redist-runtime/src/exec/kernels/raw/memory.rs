//! Prefetches of kernels.

use super::moves::CopyRun;
use crate::cache::{LINE_BYTES, fetch_to_read, fetch_to_write};
use crate::exec::kernels::{CopyDirection, Memory};

/// Prefetch distances; shorter in messages, because a kernel passes several messages per array.
const LOCAL_AHEAD_BYTES: usize = 2048;
const MESSAGE_AHEAD_BYTES: usize = 512;

/// Runs that are all longer than this hardly notice the question; others have loops without it.
const MAX_SHORT_BYTES: usize = 16;

/// Returns `true` if a loop over runs of `C` asks whether it prefetches.
pub(super) fn asks<C: CopyRun>(memory: Memory) -> bool {
    memory == Memory::Prefetched || C::ABOVE >= MAX_SHORT_BYTES
}

/// Prefetches ahead of a run at both places. Of several runs in one line, the first prefetches.
/// Constants of `C` decide all that they can, so that a loop is compiled once.
#[inline(always)]
pub(super) fn ahead<D: CopyDirection, C: CopyRun>(
    fetches: bool,
    local: *mut u8,
    message: *mut u8,
    bytes: usize,
) {
    // The processor itself fetches ahead inside long runs.
    if !fetches || C::MOST > LOCAL_AHEAD_BYTES && bytes > LOCAL_AHEAD_BYTES {
        return;
    }
    // Moves of one kind cover the same number of lines, however long the run.
    let covered = if C::MOST > LOCAL_AHEAD_BYTES { bytes } else { C::MOST };
    let lines = C::ABOVE >= LINE_BYTES || C::MOST > LINE_BYTES && bytes >= LINE_BYTES;
    let begins = |at: *mut u8| lines || at.addr() % LINE_BYTES < bytes;
    if begins(local) {
        ahead_of_local::<D>(local, covered);
    }
    if begins(message) {
        ahead_of_message::<D>(message, covered);
    }
}

#[inline(always)]
pub(super) fn ahead_of_local<D: CopyDirection>(local: *mut u8, bytes: usize) {
    fetch(!D::PACKS, local.wrapping_add(LOCAL_AHEAD_BYTES), bytes);
}

#[inline(always)]
pub(super) fn ahead_of_message<D: CopyDirection>(message: *mut u8, bytes: usize) {
    fetch(D::PACKS, message.wrapping_add(MESSAGE_AHEAD_BYTES), bytes);
}

#[inline(always)]
fn fetch(written: bool, first: *mut u8, bytes: usize) {
    for at in (0..bytes).step_by(LINE_BYTES) {
        match written {
            true => fetch_to_write(first.wrapping_add(at)),
            false => fetch_to_read(first.wrapping_add(at)),
        }
    }
}
