//! Packing and unpacking where only a trapezoid of the matrix moves: run by run, with no kernels.

use super::combine::{UnpackTo, Visitor};
use super::rank::{RankPacking, RankUnpacking};
use super::transfer::{Packer, Refill, Transfer, Unpacker};
use super::width::AnyWidth;
use crate::program::{Clip, ClippedRun};

/// Copies a run of message number `message`.
fn copy(transfer: &mut impl Transfer, message: usize, run: ClippedRun) {
    match run.stride {
        1 => transfer.contiguous(message, run.at, run.len),
        stride => transfer.strided(message, run.at, run.len, stride),
    }
}

impl RankPacking {
    /// Packs all messages.
    pub(super) fn pack_clipped(&self, clip: &Clip, local: &[u8], messages: &mut [&mut [u8]]) {
        let width = AnyWidth(self.width());
        clip.for_each_run(self.rows(), &mut |run| {
            copy(&mut Packer { local, messages, width }, run.message, run);
        });
    }

    /// Packs one message.
    pub(super) fn pack_clipped_message(
        &self,
        clip: &Clip,
        local: &[u8],
        message: usize,
        to: &mut [u8],
    ) {
        let (width, messages) = (AnyWidth(self.width()), &mut [to][..]);
        clip.for_each_run(self.rows(), &mut |run| {
            if run.message == message {
                copy(&mut Packer { local, messages, width }, 0, run);
            }
        });
    }
}

impl UnpackTo<'_> {
    /// Takes a run off the front of message number `message`.
    fn run(&mut self, messages: &mut [&[u8]], message: usize, run: ClippedRun, width: usize) {
        match self {
            UnpackTo::Array(local) => {
                let width = AnyWidth(width);
                copy(&mut Unpacker { local, messages, width }, message, run);
            }
            UnpackTo::Function(visit) => {
                copy(&mut Visitor { visit: *visit, messages, width }, message, run);
            }
        }
    }
}

impl RankUnpacking {
    /// Unpacks all messages, as far as `refill` has them; stops where it has no more.
    pub(super) fn unpack_clipped<'m>(
        &self,
        clip: &Clip,
        to: &mut UnpackTo<'_>,
        messages: &mut [&'m [u8]],
        refill: &mut dyn Refill<'m>,
    ) {
        let (width, mut is_over) = (self.width(), false);
        clip.for_each_run(self.rows(), &mut |run| {
            let (left, bytes) = (&mut messages[run.message], run.len * width);
            is_over |= !is_over && left.len() < bytes && !refill.refill(run.message, left, bytes);
            if !is_over {
                to.run(messages, run.message, run, width);
            }
        });
    }

    /// Unpacks one message, whose elements are the `data`.
    pub(super) fn unpack_clipped_message(
        &self,
        clip: &Clip,
        to: &mut UnpackTo<'_>,
        message: usize,
        data: &[u8],
    ) {
        let (width, messages) = (self.width(), &mut [data][..]);
        clip.for_each_run(self.rows(), &mut |run| {
            if run.message == message {
                to.run(messages, 0, run, width);
            }
        });
    }
}
