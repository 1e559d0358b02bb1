//! Loops over steps that items' expansions have as text: safe functions over bytes.
//!
//! A loop gets whole steps of each stream as slices, so that nothing it does is unsound.

use super::StepKernel;
use crate::program::MAX_STEP_PEERS;
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
    /// Copies steps to the streams in `range`, by one call.
    ///
    /// # Safety
    /// The contract of [`StepKernel::copy`] holds. A stream that is read may be null if none of
    /// the range has an element of it.
    #[inline]
    pub unsafe fn copy(
        self,
        kernel: &StepKernel,
        steps: usize,
        (from, to): (&[*const u8; MAX_STEP_PEERS], &[*mut u8; MAX_STEP_PEERS]),
        range: &Range<usize>,
    ) {
        let read = |stream: usize| -> &Bytes {
            match from[stream].is_null() {
                true => &[],
                // SAFETY: the caller vouches for these bytes of the stream, which nothing writes.
                false => unsafe {
                    slice::from_raw_parts(from[stream], steps * kernel.read[stream])
                },
            }
        };
        let written = |stream: usize| -> &mut Bytes {
            let len = steps * kernel.written[stream];
            // SAFETY: the caller vouches for these bytes of the stream, which nothing else reads or
            // writes. Each stream is asked for once, and streams do not overlap.
            unsafe { slice::from_raw_parts_mut(to[stream], len) }
        };
        let mut sources: [&Bytes; MAX_STEP_PEERS] = [&[]; MAX_STEP_PEERS];
        let mut destinations: [&mut Bytes; MAX_STEP_PEERS] = Default::default();
        let (reads, writes) = (kernel.read.len(), kernel.written.len());
        if !matches!(self, Self::Pack(_)) {
            (0..reads).for_each(|stream| sources[stream] = read(stream));
        }
        if !matches!(self, Self::Unpack(_)) {
            range.clone().for_each(|stream| destinations[stream] = written(stream));
        }
        match self {
            Self::Pack(pack) => pack(read(0), &mut destinations[..writes]),
            Self::Unpack(unpack) => unpack(&sources[..reads], written(0)),
            Self::Exchange(exchange) => exchange(&sources[..reads], &mut destinations[..writes]),
        }
    }
}
