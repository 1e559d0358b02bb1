//! A bound batch for C: on one thread, with one call at a time.

use crate::array::Given;
use crate::bound::{check_state, check_thread, inside};
use crate::communicator::check_mpi;
use crate::status::{Refusal, Status};
use redist::exec::{AnyBoundBatch, WrongArgument};
use redist::{AnyElement, Error, Side};
use redist_doors::words::{C, in_names};
use redist_doors::{DoorBatch, DoorRanks, LocalPart, overlapping};
use std::cell::{RefCell, RefMut};
use std::thread::{self, ThreadId};

/// A batch bound to the ranks of a communicator.
pub struct BoundBatch {
    thread: ThreadId,
    moving: RefCell<MovingBatch>,
}

/// A bound batch, with what its arrays must be.
pub struct MovingBatch {
    pub bound: AnyBoundBatch,
    /// This rank's number in the communicator.
    rank: usize,
    arrays: Vec<BoundArray>,
    /// `true` if moves call the MPI library.
    calls_mpi: bool,
}

/// One array of a bound batch on this rank.
pub struct BoundArray {
    pub element: AnyElement,
    /// The dense local array, by side.
    pub parts: [LocalPart; 2],
}

impl BoundBatch {
    pub fn new(batch: &DoorBatch, bound: AnyBoundBatch, ranks: DoorRanks<'_>) -> Self {
        let (rank, calls_mpi) = (ranks.rank(), ranks.call_mpi());
        let arrays = batch.0.iter().map(|(moved, element)| BoundArray {
            element: *element,
            parts: [Side::Source, Side::Destination].map(|side| moved.local(side, rank)),
        });
        let moving = RefCell::new(MovingBatch { bound, rank, arrays: arrays.collect(), calls_mpi });
        Self { thread: thread::current().id(), moving }
    }

    pub fn check_thread(&self) -> Result<(), Refusal> {
        check_thread(self.thread)
    }

    pub fn enter(&self) -> Result<RefMut<'_, MovingBatch>, Refusal> {
        self.check_thread()?;
        self.moving.try_borrow_mut().map_err(|_| inside())
    }
}

impl MovingBatch {
    /// Checks that MPI is there for ranks that call it, and that a move is under way, or that none is.
    pub fn check(&self, is_under_way: bool) -> Result<(), Refusal> {
        if self.calls_mpi {
            check_mpi()?;
        }
        let names = ["redist_batch_start", "redist_batch_finish"];
        check_state(self.bound.is_under_way(), is_under_way, names)
    }

    pub fn arrays(&self) -> &[BoundArray] {
        &self.arrays
    }

    /// Returns the number of arrays.
    pub fn len(&self) -> usize {
        self.arrays.len()
    }

    /// Returns the bytes of the arrays on one side.
    pub fn bytes(&self, given: &[Given], side: Side) -> Result<Vec<usize>, Refusal> {
        let all = given.iter().zip(&self.arrays).enumerate();
        let bytes = all.map(|(number, (given, array))| {
            let bytes = self.bytes_of(given, array, side);
            bytes.map_err(|refusal| refusal.of_array(self.rank, number))
        });
        bytes.collect()
    }

    fn bytes_of(&self, given: &Given, array: &BoundArray, side: Side) -> Result<usize, Refusal> {
        let (rank, part) = (self.rank, &array.parts[side as usize]);
        let bytes = given.bytes(array.element, rank, side)?;
        let (expected, found) = (part.len, bytes / array.element.bytes());
        if let Some(shape) = &given.shape
            && !part.is_shape(shape.extents(), shape.strides())
        {
            return Err(Refusal::shape(Error::ArrayShape {
                rank,
                side,
                shape: part.extents.clone(),
                strides: part.strides.clone(),
                found_shape: shape.extents().to_vec(),
                found_strides: shape.strides().to_vec(),
                exchanged: false,
            }));
        }
        if found != expected {
            let error = Error::LocalLength { rank, side, expected, found, exchanged: false };
            return Err(Refusal::new(Status::RedistArray, in_names(&error.reason(), C)));
        }
        Ok(bytes)
    }

    /// Refuses a destination that shares memory with another array.
    pub fn check_apart(&self, places: &[[(usize, usize); 2]]) -> Result<(), Refusal> {
        let Some(((number, side), (other, other_side))) = overlapping(places) else {
            return Ok(());
        };
        if number == other {
            return Err(
                Refusal::of_move(self.rank, WrongArgument::Overlap).of_array(self.rank, number)
            );
        }
        let words =
            format!("its {side} overlaps the {other_side} of array {other}; bring arrays apart");
        Err(Refusal::new(Status::RedistArray, words).of_array(self.rank, number))
    }

    /// Declines a move, of which the other ranks learn.
    pub fn decline(&mut self, refusal: Refusal) -> Refusal {
        let error = refusal.error.as_deref().cloned();
        let told = || Error::Batch { rank: self.rank, reason: refusal.message.clone() };
        let error = error.unwrap_or_else(told);
        self.bound.decline(error);
        refusal
    }
}
