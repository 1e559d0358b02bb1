//! A bound plan for C: on one thread, with one call at a time.

use crate::array::Given;
use crate::communicator::check_mpi;
use crate::element::{self, name_of};
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
}

impl Bound {
    pub fn new(bound: AnyBound) -> Self {
        let element = terminated(name_of(bound.element()));
        let bound = RefCell::new(Moving { bound, destination: 0 });
        Self { thread: thread::current().id(), element, bound }
    }

    pub fn check_thread(&self) -> Result<(), Refusal> {
        if thread::current().id() == self.thread {
            return Ok(());
        }
        let message = "a bound plan is used, and freed, on the thread that it was bound on alone";
        Err(Refusal::new(Status::RedistThread, message))
    }

    pub fn enter(&self) -> Result<RefMut<'_, Moving>, Refusal> {
        self.check_thread()?;
        let inside = "the bound plan is in another call of this thread";
        self.bound.try_borrow_mut().map_err(|_| Refusal::new(Status::RedistState, inside))
    }
}

impl Moving {
    /// Checks that MPI is there, and that a move is under way, or that none is.
    pub fn check(&self, is_under_way: bool) -> Result<(), Refusal> {
        check_mpi()?;
        if self.bound.is_under_way() == is_under_way {
            return Ok(());
        }
        let message = match is_under_way {
            true => "no move is under way: call `redist_start` before",
            false => "a move is under way: call `redist_finish` before",
        };
        Err(Refusal::new(Status::RedistState, message))
    }

    pub fn bytes(&self, array: &Given, side: Side) -> Result<usize, Refusal> {
        let wrong = |argument| Refusal::of_move(self.bound.rank(), argument);
        if let Some(element) = array.element {
            element::check(self.bound.element(), element).map_err(wrong)?;
        }
        let width = self.bound.element().bytes();
        let elements = usize::try_from(array.len).ok();
        let bytes = elements.and_then(|len| len.checked_mul(width));
        match (elements, bytes.filter(|bytes| isize::try_from(*bytes).is_ok())) {
            (Some(elements @ 1..), Some(_)) if array.address == 0 => {
                Err(wrong(WrongArgument::Null { side, elements }))
            }
            (_, Some(bytes)) => {
                if let Some(shape) = &array.shape {
                    let checked = self.bound.check_array(side, shape.extents(), shape.strides());
                    checked.map_err(Refusal::shape)?;
                }
                Ok(bytes)
            }
            (_, None) => Err(wrong(WrongArgument::Length { side, length: array.len })),
        }
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

    pub fn lists(&self, side: Side) -> [&[usize]; 2] {
        [self.bound.local_shape(side), self.bound.local_strides(side)]
    }
}

pub fn told(what: &str, refusal: &Refusal) -> Error {
    Error::Unavailable { what: what.into(), reason: refusal.message.clone() }
}
