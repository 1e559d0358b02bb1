//! A bound plan for C: on one thread, with one call at a time.

use crate::array::Given;
use crate::communicator::check_mpi;
use crate::element::name_of;
use crate::guard::terminated;
use crate::status::{Refusal, Status};
use redist::exec::{AnyBound, WrongArgument};
use redist::layout::vocabulary::counted;
use redist::{Error, Side};
use redist_doors::overlap;
use std::cell::{RefCell, RefMut};
use std::ffi::CString;
use std::thread::{self, ThreadId};

/// A plan bound to the ranks of a communicator.
pub struct Bound {
    thread: ThreadId,
    /// As C wrote it.
    pub element: CString,
    bound: RefCell<Moving>,
}

/// A bound plan, with its move that is under way.
pub struct Moving {
    pub bound: AnyBound,
    /// Elements of the move under way.
    destination: usize,
    /// Number of dimensions of the array.
    dimensions: usize,
    /// `true` if the copies of the source are addends.
    pub is_sum: bool,
    /// `true` if moves call the MPI library.
    calls_mpi: bool,
}

impl Bound {
    /// Holds a bound plan; `calls_mpi` says that its moves call the MPI library.
    pub fn new(bound: AnyBound, dimensions: usize, is_sum: bool, calls_mpi: bool) -> Self {
        let element = terminated(name_of(bound.element()));
        let moving = Moving { bound, destination: 0, dimensions, is_sum, calls_mpi };
        Self { thread: thread::current().id(), element, bound: RefCell::new(moving) }
    }

    pub fn check_thread(&self) -> Result<(), Refusal> {
        check_thread(self.thread)
    }

    pub fn enter(&self) -> Result<RefMut<'_, Moving>, Refusal> {
        self.check_thread()?;
        self.bound.try_borrow_mut().map_err(|_| inside())
    }
}

/// Checks that what was bound is used on its thread.
pub fn check_thread(bound_on: ThreadId) -> Result<(), Refusal> {
    if thread::current().id() == bound_on {
        return Ok(());
    }
    let message = "a bound plan is used, and freed, on the thread that it was bound on alone";
    Err(Refusal::new(Status::RedistThread, message))
}

/// Refuses a call inside another one.
pub fn inside() -> Refusal {
    Refusal::new(Status::RedistState, "the bound plan is in another call of this thread")
}

/// Checks that a move is under way, or that none is. `names` are the functions that begin and end one.
pub fn check_state(is_under_way: bool, must: bool, names: [&str; 2]) -> Result<(), Refusal> {
    if is_under_way == must {
        return Ok(());
    }
    let message = match must {
        true => format!("no move is under way: call `{}` before", names[0]),
        false => format!("a move is under way: call `{}` before", names[1]),
    };
    Err(Refusal::new(Status::RedistState, message))
}

impl Moving {
    /// Checks that MPI is there for ranks that call it, and that a move is under way, or that none is.
    pub fn check(&self, is_under_way: bool) -> Result<(), Refusal> {
        if self.calls_mpi {
            check_mpi()?;
        }
        check_state(self.bound.is_under_way(), is_under_way, ["redist_start", "redist_finish"])
    }

    pub fn bytes(&self, array: &Given, side: Side) -> Result<usize, Refusal> {
        let bytes = array.bytes(self.bound.element(), self.bound.rank(), side)?;
        if let Some(shape) = &array.shape {
            let checked = self.bound.check_array(side, shape.extents(), shape.strides());
            checked.map_err(Refusal::shape)?;
        }
        Ok(bytes)
    }

    /// Returns the bytes of both arrays, which must not overlap.
    pub fn both(&self, [source, destination]: [&Given; 2]) -> Result<[usize; 2], Refusal> {
        let fit = |source: &Given, destination: &Given| -> Result<[usize; 2], Refusal> {
            Ok([self.bytes(source, Side::Source)?, self.bytes(destination, Side::Destination)?])
        };
        let bytes = fit(source, destination).map_err(|refusal| match refusal.status {
            Status::RedistArray if fit(destination, source).is_ok() => refusal.exchanged(),
            _ => refusal,
        })?;
        if overlap([(source.address, bytes[0]), (destination.address, bytes[1])]) {
            return Err(Refusal::of_move(self.bound.rank(), WrongArgument::Overlap));
        }
        Ok(bytes)
    }

    pub fn note_start(&mut self, destination: i64) {
        self.destination = usize::try_from(destination).unwrap_or_default();
    }

    pub fn finishing(&self, destination: &Given) -> Result<usize, Refusal> {
        let bytes = self.bytes(destination, Side::Destination)?;
        let started = self.destination;
        if usize::try_from(destination.len) == Ok(started) {
            return Ok(bytes);
        }
        let message = format!(
            "the destination has {}, but the move was started for {started}; it is still under way",
            counted(usize::try_from(destination.len).unwrap_or_default(), "element")
        );
        Err(Refusal::new(Status::RedistArray, message))
    }

    /// Declines a move, of which the other ranks learn.
    pub fn decline(&mut self, refusal: Refusal) -> Refusal {
        let error = refusal.error.as_deref().cloned();
        self.bound.decline(error.unwrap_or_else(|| told("a move with these arrays", &refusal)));
        refusal
    }

    /// Returns the shape and the strides of this rank's local array, with an entry for each dimension.
    pub fn lists(&self, side: Side) -> [&[usize]; 2] {
        // The engine counts an array of no dimensions as a line of one element.
        let own = |list: &'_ [usize]| list.len().min(self.dimensions);
        let [shape, strides] = [self.bound.local_shape(side), self.bound.local_strides(side)];
        [&shape[..own(shape)], &strides[..own(strides)]]
    }
}

pub fn told(what: &str, refusal: &Refusal) -> Error {
    Error::Unavailable { what: what.into(), reason: refusal.message.clone() }
}
