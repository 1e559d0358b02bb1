//! A window of MPI: memory that a node's ranks share.

use super::communicator::OwnCommunicator;
use super::life::is_over;
use super::preflight::all_prepared;
use crate::error::Error;
use crate::transport::slots::PAGE;
use redist_mpi::SharedWindow;
use std::mem::ManuallyDrop;

/// Memory of each rank of a node that the others can read and write. Dropping leaves it to the
/// library, because ranks [free](Self::free) it together.
#[derive(Debug)]
pub(super) struct Window(ManuallyDrop<SharedWindow>);

/// The address and the length of each part, by rank.
pub(super) type WindowParts = Vec<(*mut u8, usize)>;

impl Window {
    /// Allocates `bytes` bytes of each rank, from a page on, so that no two parts are in one. `begin`
    /// gets the parts of the node, and initialises this rank's; all ranks meet when all have begun.
    /// If it fails on one rank, it fails on all, which then free the memory: `MPI_Finalize` of Open
    /// MPI 4.1 may wait for windows that are left. Collective, each rank with its own number.
    pub fn on_pages<T>(
        all: &OwnCommunicator,
        node: &OwnCommunicator,
        bytes: usize,
        begin: impl FnOnce(WindowParts) -> T,
    ) -> Result<(Self, T), Error> {
        let bytes = bytes.saturating_add(PAGE);
        let window = ask_for_room(node, bytes).and_then(|()| {
            let window = node.check(node.shared_window(bytes));
            all_prepared(node, window.map(|window| Self(ManuallyDrop::new(window))))
        });
        let begun = window.as_ref().map_err(Error::clone).and_then(|window| {
            window.check_that_it_is_memory(node)?;
            let begun = begin(window.parts(node)?);
            window.synchronise(all)?;
            Ok(begun)
        });
        match all_prepared(all, begun) {
            Ok(begun) => Ok((window?, begun)),
            Err(error) => {
                window.into_iter().for_each(Self::free);
                Err(error)
            }
        }
    }

    /// Frees the memory, for which all ranks meet, unless MPI is about to be finalised.
    pub fn free(self) {
        if !is_over() && !std::thread::panicking() {
            drop(ManuallyDrop::into_inner(self.0));
        }
    }

    /// Fails unless ranks load each other's stores directly, as counters and arrays need.
    fn check_that_it_is_memory(&self, node: &OwnCommunicator) -> Result<(), Error> {
        if node.check(self.0.is_unified())? {
            return Ok(());
        }
        let reason = "the library keeps windows apart from memory (MPI_WIN_SEPARATE)".into();
        Err(Error::Unavailable { what: "memory that ranks share".into(), reason })
    }

    /// Returns each rank's part in this process, from its first page on: libraries align windows to
    /// 8 bytes only. Every rank skips the same, because systems map memory by pages.
    fn parts(&self, node: &OwnCommunicator) -> Result<WindowParts, Error> {
        let on_page = |(base, bytes): (*mut u8, usize)| {
            let skipped = base.align_offset(PAGE).min(bytes);
            (base.wrapping_add(skipped), bytes - skipped)
        };
        (0..node.size()).map(|owner| node.check(self.0.part(owner)).map(on_page)).collect()
    }

    /// Makes ranks' earlier writes visible to this one, or its writes to ranks it meets next.
    pub fn synchronise(&self, communicator: &OwnCommunicator) -> Result<(), Error> {
        communicator.check(self.0.sync())
    }
}

/// Most bytes that a library takes for each rank of a window, beside the requested ones.
const BESIDE: u64 = 2 * PAGE as u64;

/// Checks that the ranks of a node have room for a window of `bytes` bytes each. The first makes
/// the file: if it has no room, libraries let the others wait for it. Collective.
fn ask_for_room(node: &OwnCommunicator, bytes: usize) -> Result<(), Error> {
    let mut of_all = vec![u64::MAX / 2; node.size()];
    of_all[node.rank()] = (bytes as u64).saturating_add(BESIDE);
    node.minima_of(&mut of_all)?;
    let has_room = match node.rank() {
        0 => check_room(of_all.into_iter().fold(0, u64::saturating_add)),
        _ => Ok(()),
    };
    all_prepared(node, has_room)
}

#[cfg(target_os = "linux")]
fn check_room(bytes: u64) -> Result<(), Error> {
    let Ok(found) = rustix::fs::statvfs("/dev/shm") else { return Ok(()) };
    let left = found.f_bavail.saturating_mul(found.f_frsize);
    if has_room(bytes, left, found.f_blocks) {
        return Ok(());
    }
    let reason = format!("{bytes} bytes are asked for, and /dev/shm has {left} left");
    Err(Error::Unavailable { what: "memory that ranks share".into(), reason })
}

/// Returns `true` if a file system of `blocks` blocks with `left` free bytes has room for `bytes`. A
/// file system without a limit has no blocks.
#[cfg(target_os = "linux")]
fn has_room(bytes: u64, left: u64, blocks: u64) -> bool {
    blocks == 0 || bytes <= left
}

#[cfg(not(target_os = "linux"))]
fn check_room(_: u64) -> Result<(), Error> {
    Ok(())
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    const BLOCK: u64 = 4096;

    #[test]
    fn a_window_has_room_up_to_the_last_block() {
        assert!(has_room(16 * BLOCK, 16 * BLOCK, 100), "it fits exactly");
        assert!(!has_room(16 * BLOCK, 15 * BLOCK, 100), "a block is missing");
        assert!(!has_room(16 * BLOCK + 1, 16 * BLOCK, 100), "a byte is missing");
        assert!(!has_room(1, 0, 100) && has_room(0, 0, 100), "all is in use");
        assert!(has_room(u64::MAX, 0, 0), "a file system without blocks has room for all");
    }

    #[test]
    fn sums_that_overflow_have_no_room() {
        let of_all = [u64::MAX / 2; 3].into_iter().fold(0, u64::saturating_add);
        assert!(!has_room(of_all, u64::MAX - 1, 100));
        let error = check_room(of_all).map_err(|error| error.to_string());
        assert!(error.is_ok() || error.unwrap_err().contains("/dev/shm has"), "no other error");
    }
}
