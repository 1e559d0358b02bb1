//! Loops over steps that items' expansions have as text: safe functions over bytes.
//!
//! A loop gets whole steps of each stream as slices, so that nothing it does is unsound.

use super::{StepKernel, TEXT_TOGETHER_BYTES};
use crate::program::{MAX_PEERS, MAX_STEP_PEERS};
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
    /// Copies steps between arrays, to those in `range`, by one call for some of them at a time, and
    /// advances the pointers in place.
    ///
    /// # Safety
    /// The contract of [`StepKernel::copy`] holds. A stream that is read may be null if none of the
    /// range has an element of it.
    #[inline(never)]
    pub unsafe fn copy(
        self,
        kernel: &StepKernel,
        mut steps: usize,
        (from, to): (&mut [*const u8; MAX_STEP_PEERS], &mut [*mut u8; MAX_STEP_PEERS]),
        range: Range<usize>,
    ) {
        let Self::Exchange(exchange) = self else { unreachable!("messages have cursors") };
        let together = kernel.together(TEXT_TOGETHER_BYTES, steps, &range);
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
            exchange(&sources[..reads], &mut destinations[..writes]);
            steps -= some;
        }
    }

    /// Copies steps between the local array and all its messages, and advances the cursors.
    ///
    /// # Safety
    /// The loop packs or unpacks. Each message has a cursor to all its bytes of as many steps, and
    /// `local` points to as many as all of them. The side that the loop reads may be read, and the
    /// other written; they do not overlap.
    pub unsafe fn copy_messages(
        self,
        kernel: &StepKernel,
        steps: usize,
        local: *mut u8,
        cursors: &mut [*mut u8],
    ) {
        // SAFETY: this function's contract is that of both.
        unsafe {
            match cursors.len() {
                ..=MAX_STEP_PEERS => {
                    self.copy_few::<MAX_STEP_PEERS>(kernel, steps, local, cursors);
                }
                _ => self.copy_few::<MAX_PEERS>(kernel, steps, local, cursors),
            }
        }
    }

    /// Copies steps of at most `MOST` messages.
    ///
    /// # Safety
    /// The contract of [`copy_messages`](Self::copy_messages) holds.
    unsafe fn copy_few<const MOST: usize>(
        self,
        kernel: &StepKernel,
        mut steps: usize,
        mut local: *mut u8,
        cursors: &mut [*mut u8],
    ) {
        let together = kernel.together(TEXT_TOGETHER_BYTES, steps, &(0..kernel.written.len()));
        let of_local = if let Self::Pack(_) = self { kernel.read[0] } else { kernel.written[0] };
        let mut written: [&mut Bytes; MOST] = from_fn(|_| -> &mut Bytes { &mut [] });
        let mut read: [&Bytes; MOST] = [&[]; MOST];
        while steps > 0 {
            let some = steps.min(together);
            let len = some * of_local;
            match self {
                Self::Pack(pack) => {
                    kernel.fetch_if_wanted(some, &[local], cursors);
                    let messages = written.iter_mut().zip(cursors.iter_mut());
                    for ((message, cursor), share) in messages.zip(kernel.written) {
                        // SAFETY: the caller vouches for these bytes of the message, which nothing
                        // else reads or writes. Messages do not overlap.
                        *message = unsafe { slice::from_raw_parts_mut(*cursor, some * share) };
                        *cursor = cursor.wrapping_add(some * share);
                    }
                    // SAFETY: the caller vouches for these bytes of the array, which nothing writes.
                    let local = unsafe { slice::from_raw_parts(local, len) };
                    pack(local, &mut written[..kernel.written.len()]);
                }
                Self::Unpack(unpack) => {
                    kernel.fetch_if_wanted(some, cursors, &[local]);
                    let messages = read.iter_mut().zip(cursors.iter_mut());
                    for ((message, cursor), share) in messages.zip(kernel.read) {
                        // SAFETY: the caller vouches for these bytes of the message, which nothing
                        // writes.
                        *message = unsafe { slice::from_raw_parts(*cursor, some * share) };
                        *cursor = cursor.wrapping_add(some * share);
                    }
                    // SAFETY: the caller vouches for these bytes of the array, which nothing else
                    // reads or writes. It overlaps no message.
                    let local = unsafe { slice::from_raw_parts_mut(local, len) };
                    unpack(&read[..kernel.read.len()], local);
                }
                Self::Exchange(_) => unreachable!("arrays have pointers of their own"),
            }
            local = local.wrapping_add(len);
            steps -= some;
        }
    }
}
