//! Binds moves by lists of indices. Unsafe, because C passes pointers and communicators.

use super::bind::{Over, bound_by};
use crate::bound::Bound;
use crate::communicator::Brought;
use crate::element::named;
use crate::guard::guarded;
use crate::layout::check_size;
use crate::pointers::{list, reference, text};
use crate::status::{Refusal, Status, length};
use redist::exec::AnyIndexMove;
use redist_doors::{DoorRanks, NumberLists};
use std::ffi::{c_char, c_void};

/// Global indices of this rank's elements, before and after a move: each rank has lists of its own.
/// Begin with `redist_lists lists = REDIST_LISTS_INIT;`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Lists {
    /// `sizeof(redist_lists)`.
    pub size: usize,
    /// Number of all indices: the same on all ranks.
    pub extent: i64,
    /// The index of each element of the source, in the order of the local array. No index is in the
    /// sources of two ranks, unless elements `are_equal`.
    pub source: *const i64,
    /// Number of these.
    pub source_len: i64,
    /// The index of each element of the destination: any of some source, any number of times.
    pub destination: *const i64,
    /// Number of these.
    pub destination_len: i64,
    /// Neighbouring elements that each index stands for, such as those of a row; 1 if it is 0. The
    /// same on all ranks. Local arrays have as many times the elements.
    pub elements: i64,
    /// Not 0 if elements of one index are equal on all ranks that have them: those of the lowest
    /// rank travel. The same on all ranks.
    pub are_equal: i32,
    /// 0.
    pub reserved: i32,
}

/// As `redist_bind_lists`, which calls this: see `redist_bind_place`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_lists_place(
    lists: *const Lists,
    element: *const c_char,
    communicator: *const c_void,
    bytes: usize,
    library: *const c_char,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header demands all that `bind` needs of pointers and of the communicator.
    guarded(|| unsafe {
        bind(lists, element, Brought::place(communicator, bytes, library).into(), bound)
    })
}

/// As `redist_bind_lists_place`, with a communicator as Fortran's integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_bind_lists_number(
    lists: *const Lists,
    element: *const c_char,
    communicator: i32,
    library: *const c_char,
    bound: *mut *mut Bound,
) -> Status {
    // SAFETY: the header demands all that `bind` needs of pointers and of the communicator.
    guarded(|| unsafe {
        bind(lists, element, Brought::number(communicator, library).into(), bound)
    })
}

/// # Safety
/// Pointers are NULL or to the things that the functions name, which nothing writes to while this
/// runs. Communicator and ranks are alive, or none.
pub unsafe fn bind(
    lists: *const Lists,
    element: *const c_char,
    over: Over,
    bound: *mut *mut Bound,
) -> Result<(), Refusal> {
    // SAFETY: the caller promises of the pointers all that `read` needs.
    let prepared = || unsafe { read(lists, element) };
    let bind = |moves: AnyIndexMove, ranks: DoorRanks<'_>| {
        Ok(Bound::new(ranks.bind(&moves)?, 1, false, ranks.call_mpi()))
    };
    // SAFETY: the caller promises ranks that are alive, or none, and NULL or a place.
    unsafe { bound_by(over, "lists of indices", prepared, bind, bound) }
}

/// # Safety
/// Pointers are NULL, or to lists whose pointers are NULL or to as many indices, and to a text that
/// ends with a zero. Nothing writes to them while this runs.
unsafe fn read(lists: *const Lists, element: *const c_char) -> Result<AnyIndexMove, Refusal> {
    // SAFETY: each is NULL, or lists, and a text, as the caller promises.
    let (own, element) = unsafe { (reference(lists, "lists")?, named(text(element, "element")?)?) };
    check_size::<Lists>(own.size, "redist_lists")?;
    let lens = [
        length(own.source_len, "lists.source_len")?,
        length(own.destination_len, "lists.destination_len")?,
    ];
    let names = ["lists.source", "lists.destination"];
    // SAFETY: each is NULL, or to as many indices, as the caller promises.
    let lists = unsafe {
        [list(own.source, lens[0], names[0])?, list(own.destination, lens[1], names[1])?]
    };
    let elements = if own.elements == 0 { 1 } else { own.elements };
    let numbers = NumberLists { extent: own.extent, lists, names, elements };
    let (extent, lists) = numbers.read().map_err(Refusal::argument)?;
    let moves = AnyIndexMove::new(extent, lists, element);
    Ok(if own.are_equal == 0 { moves } else { moves.equal() })
}
