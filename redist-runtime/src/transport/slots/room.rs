//! Whether there is room in a slot: all ranks have copied from it what was there before.

use super::{SLOTS, Slots};
use crate::error::Error;
use crate::transport::sync::atomic::Ordering;

impl Slots {
    /// Up to which chunk a rank does not need any more what the slots had before.
    fn room_of(&self, rank: usize) -> u64 {
        self.progress(rank).copied.load(Ordering::Acquire) + SLOTS as u64
    }

    /// Whether no rank needs any more what the slot of a chunk had before.
    pub(super) fn has_room(&self, chunk: u64) -> bool {
        if chunk >= self.room.get() {
            let least = (0..self.parts.len()).map(|rank| self.room_of(rank)).min();
            self.room.set(least.unwrap_or(u64::MAX));
        }
        chunk < self.room.get()
    }

    /// Waits until there is.
    pub(super) fn wait_for_room(
        &self,
        chunk: u64,
        progress: &dyn Fn() -> Result<(), Error>,
    ) -> Result<(), Error> {
        match self.has_room(chunk) {
            true => Ok(()),
            false => self.wait(progress, |rank| self.room_of(rank) > chunk),
        }
    }
}
