//! Where only a trapezoid of the matrix moves: how a plan is bound for it, and packing and
//! unpacking, run by run, with no kernels.

use super::combine::{UnpackTo, Visitor};
use super::rank::{RankPacking, RankUnpacking};
use super::transfer::{Packer, Refill, Transfer, Unpacker};
use super::width::AnyWidth;
use super::{Binder, Redistribution};
use crate::plan::{Diag, Trapezoid, Uplo};
use crate::program::{Clip, ClippedRun};

impl<R: Redistribution<2> + ?Sized> Binder<'_, R, 2> {
    /// Only a trapezoid of the matrix moves, a triangle where it is square: ScaLAPACK's `p?trmr2d`,
    /// whose `UPLO` and `DIAG` these are. The matrix is what moves otherwise, a section included;
    /// its rows are the first of the source's axes. [`Trapezoid`] has the definition. Elements
    /// outside of it are neither sent nor written to. All ranks must say the same.
    ///
    /// Packed messages go, all at once, as long as the trapezoid's part of what two ranks share.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::plan::{Diag, Side, Uplo};
    /// use redist::{Error, transport::threads};
    ///
    /// let plan = RuntimePlan::<f64, 2>::parse([6, 6], "(block, *) onto 3", "(*, cyclic(2)) onto 3")?;
    /// threads::run(3, |rank| {
    ///     let mut bound = plan.binder().trapezoid(Uplo::Lower, Diag::NonUnit).bind(rank)?;
    ///     let rows = vec![1.0; bound.local_len(Side::Source)];
    ///     let mut columns = vec![0.0; bound.local_len(Side::Destination)];
    ///     bound.run(&rows, &mut columns)?;
    ///     for ([row, column], found) in bound.global_indices(Side::Destination).zip(columns) {
    ///         assert_eq!(found, if column <= row { 1.0 } else { 0.0 });
    ///     }
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// Binding is an [`Error::Unavailable`](crate::Error::Unavailable) where another route than messages is asked for, or
    /// another method than [`Method::AllAtOnce`](crate::plan::schedule::Method::AllAtOnce).
    pub fn trapezoid(mut self, uplo: Uplo, diag: Diag) -> Self {
        self.trapezoid = Some(Trapezoid { uplo, diag });
        self
    }
}

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
        local: &mut [u8],
        message: usize,
        data: &[u8],
    ) {
        let (width, messages) = (AnyWidth(self.width()), &mut [data][..]);
        clip.for_each_run(self.rows(), &mut |run| {
            if run.message == message {
                copy(&mut Unpacker { local, messages, width }, 0, run);
            }
        });
    }
}
