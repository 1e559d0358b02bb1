//! One rank's end of moves between copies of an array, and of sums, of elements of any type.

use super::array_shape::{check_lengths, check_shape};
use super::arrays::BatchArrays;
use super::batch::BoundBatch;
use super::run_receiver::{EachRun, RunReceiver};
use super::transfer::{UnpackTo, whole};
use crate::element::AnyElement;
use crate::error::Error;
use crate::plan::Side;
use crate::program::{StridedArray, StridedCopy};
use core::slice;

/// A function of runs: the bytes of elements that have arrived, at any address, and the bytes of as
/// many results so far. It does not panic.
pub type Combining = Box<dyn FnMut(&[u8], &mut [u8])>;

/// A bound move between copies of one array. Arrays are the bytes of elements.
pub(super) struct CopiesMover {
    pub bound: BoundBatch,
    pub element: AnyElement,
    /// This rank's dense parts of its copies, by side.
    pub parts: [StridedArray; 2],
    /// Number of addends that become one; `None` where the source's copies are equal.
    pub addends: Option<usize>,
    /// The function that combines addends, if the plan names one.
    pub combine: Option<Combining>,
}

impl CopiesMover {
    /// Checks the elements of this rank's local arrays, by side.
    ///
    /// # Errors
    /// An array has another length.
    pub fn lengths(&self, found: [usize; 2]) -> Result<(), Error> {
        check_lengths(&self.parts, self.bound.rank, found)
    }

    /// Checks an array that is brought whole: see `Mover::holds`.
    pub(super) fn holds(
        &self,
        side: Side,
        shape: &[usize],
        strides: &[isize],
    ) -> Result<(), Error> {
        check_shape(&self.parts[side as usize], (self.bound.rank, side), shape, strides)
    }

    /// Moves all elements; addends are combined by the plan's function. Collective.
    ///
    /// # Errors
    /// This rank or a sender is not ready, or a sender is gone. The destination has not changed then.
    pub fn run(
        &mut self,
        ready: Result<(), Error>,
        source: &[u8],
        destination: &mut [u8],
    ) -> Result<(), Error> {
        self.start(ready, source)?;
        self.finish(destination)
    }

    /// Moves to a receiver of runs, with their places in the destination. Of addends, the first one is
    /// stored, and the receiver has each further one. Both widths are bytes of an element: of what arrives,
    /// and of the destination.
    ///
    /// # Errors
    /// Those of [`run`](Self::run), and a sum whose results have another size than addends.
    pub fn run_by(
        &mut self,
        ready: Result<(), Error>,
        source: &[u8],
        destination: &mut [u8],
        [width, kept_width]: [usize; 2],
        receiver: &mut impl RunReceiver,
    ) -> Result<(), Error> {
        let addends = self.addends;
        let fits = match addends.is_none() || kept_width == width {
            true => Ok(()),
            false => Err(unavailable(format!(
                "results of {kept_width} bytes differ from addends of {width}; bring a destination of the \
                 addends' type"
            ))),
        };
        self.begin(ready.and(fits), source)?;
        receive_with(&mut self.bound, addends, destination, [width, kept_width], receiver)
    }

    /// Begins a move; [`finish`](Self::finish) ends it. Has packed the source on return. Collective.
    ///
    /// # Errors
    /// Those of [`run`](Self::run). The move ends here then.
    pub fn start(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        let has_function = match self.addends.is_none() || self.combine.is_some() {
            true => Ok(()),
            false => {
                Err(unavailable("its plan names no function; call `AnyBound::run_with`".into()))
            }
        };
        self.begin(ready.and(has_function), source)
    }

    /// Ends a move that has begun.
    ///
    /// # Errors
    /// Those of [`run`](Self::run).
    pub fn finish(&mut self, destination: &mut [u8]) -> Result<(), Error> {
        let Self { bound, element, addends, combine, .. } = self;
        match combine {
            Some(combine) if addends.is_some() => {
                let width = element.bytes();
                receive_with(bound, *addends, destination, [width; 2], &mut EachRun(combine))
            }
            _ => bound.complete_into(&mut [destination]),
        }
    }

    fn begin(&mut self, ready: Result<(), Error>, source: &[u8]) -> Result<(), Error> {
        if let Err(reason) = ready {
            return Err(self.bound.decline(reason));
        }
        let (element, lens) =
            (self.element.element_type(), self.parts.each_ref().map(|part| part.len));
        // The destination comes when the move ends.
        let arrays = BatchArrays { element, lens, source, destination: &mut [] };
        self.bound.begin_checked(slice::from_ref(&arrays))
    }
}

fn unavailable(reason: String) -> Error {
    Error::Unavailable { what: "a sum of addends".into(), reason }
}

/// Ends a move of the only array of a batch, whose elements go to a receiver of runs. Of `addends`, the
/// first one is stored. The widths are bytes of an element: of what arrives, and of the destination.
pub(super) fn receive_with(
    bound: &mut BoundBatch,
    addends: Option<usize>,
    destination: &mut [u8],
    widths: [usize; 2],
    receiver: &mut impl RunReceiver,
) -> Result<(), Error> {
    bound.receive_by(|number, unpacking, messages| {
        if addends.is_some_and(|addends| number % addends == 0) {
            return unpacking.unpack(&mut *destination, messages);
        }
        let mut visit = |message: &[u8], runs: StridedCopy| {
            receiver.receive(message, destination, runs, widths);
        };
        let to = &mut UnpackTo::Function(&mut visit);
        let unpacked = unpacking.unpack_to(to, messages, &mut whole);
        receiver.end(destination);
        unpacked
    })
}
