//! Loops over steps that items' expansions have as text: safe functions over bytes.
//!
//! A loop gets whole steps of each stream as slices, so that nothing it does is unsound.

use super::StepKernel;
use crate::program::MAX_STEP_PEERS;
use core::array::from_fn;
use core::ops::Range;
use core::slice;

/// Bytes of an array or a message.
pub type Bytes = [u8];

/// Packs steps: from the local array to its messages.
pub type Pack = fn(&Bytes, &mut [&mut Bytes]);

/// Unpacks steps: from messages to the local array.
pub type Unpack = fn(&[&Bytes], &mut Bytes);

/// Copies steps between arrays. An empty destination is left alone.
pub type Exchange = fn(&[&Bytes], &mut [&mut Bytes]);

/// A loop of an item's text, by its work.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) enum StepLoop {
    Pack(Pack),
    Unpack(Unpack),
    Exchange(Exchange),
}

impl StepLoop {
    /// Copies steps to the streams in `range`, by one call for each `together` of them, and advances
    /// the pointers in place.
    ///
    /// # Safety
    /// The contract of [`StepKernel::copy`] holds. A stream that is read may be null if none of the
    /// range has an element of it.
    #[inline(never)]
    pub unsafe fn copy(
        self,
        kernel: &StepKernel,
        (mut steps, together): (usize, usize),
        (from, to): (&mut [*const u8; MAX_STEP_PEERS], &mut [*mut u8; MAX_STEP_PEERS]),
        range: Range<usize>,
    ) {
        let (reads, writes) = (kernel.read.len(), kernel.written.len());
        // Slices are stored in place: arrays made for each call took a sixth of the time.
        let mut sources: [&Bytes; MAX_STEP_PEERS] = [&[]; MAX_STEP_PEERS];
        let mut destinations: [&mut Bytes; MAX_STEP_PEERS] = from_fn(|_| -> &mut Bytes { &mut [] });
        while steps > 0 {
            let some = steps.min(together);
            if kernel.fetches {
                kernel.fetch(some, from, &to[range.clone()], &kernel.written[range.clone()]);
            }
            for (stream, share) in kernel.read.iter().enumerate() {
                if !from[stream].is_null() {
                    // SAFETY: the caller vouches for these bytes of the stream, which nothing
                    // writes.
                    sources[stream] = unsafe { slice::from_raw_parts(from[stream], some * share) };
                    from[stream] = from[stream].wrapping_add(some * share);
                }
            }
            for stream in range.clone() {
                let len = some * kernel.written[stream];
                // SAFETY: the caller vouches for these bytes of the stream, which nothing else reads
                // or writes. Streams do not overlap.
                destinations[stream] = unsafe { slice::from_raw_parts_mut(to[stream], len) };
                to[stream] = to[stream].wrapping_add(len);
            }
            match self {
                Self::Pack(pack) => pack(sources[0], &mut destinations[..writes]),
                Self::Unpack(unpack) => unpack(&sources[..reads], destinations[0]),
                Self::Exchange(exchange) => {
                    exchange(&sources[..reads], &mut destinations[..writes]);
                }
            }
            steps -= some;
        }
    }
}
