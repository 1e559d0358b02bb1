//! Programs that are coupled, each with its own layout. Unsafe, because C passes pointers and communicators.

use super::plan::{dimensions_of, extents as read_extents};
use super::side;
use crate::bound::check_thread;
use crate::communicator::{Brought, communicator};
use crate::guard::guarded;
use crate::pointers::{put, put_handle, put_numbers, put_text, reference, taken, text};
use crate::ranks::Ranks;
use crate::status::{Refusal, Status, length};
use redist::mpi::{Coupling, Programs as Sorted, RawCommunicator};
use redist_doors::{NoHandshake, handshake};
use std::ffi::{c_char, c_void};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// The programs of a launch. Only the thread that sorted them uses them.
pub struct Programs {
    thread: ThreadId,
    programs: Sorted,
}

impl Programs {
    pub fn enter(&self) -> Result<&Sorted, Refusal> {
        check_thread(self.thread)?;
        Ok(&self.programs)
    }
}

/// As `redist_programs_new`, which calls this: see `redist_bind_place`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_programs_place(
    communicator: *const c_void,
    bytes: usize,
    library: *const c_char,
    number: i64,
    programs: *mut *mut Programs,
) -> Status {
    // SAFETY: the header demands all that `sorted` needs of the communicator, and NULL or a place.
    guarded(|| unsafe { sorted(Brought::place(communicator, bytes, library), number, programs) })
}

/// As `redist_programs_place`, with a communicator as Fortran's integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_programs_number(
    communicator: i32,
    library: *const c_char,
    number: i64,
    programs: *mut *mut Programs,
) -> Status {
    // SAFETY: the header demands all that `sorted` needs of the communicator, and NULL or a place.
    guarded(|| unsafe { sorted(Brought::number(communicator, library), number, programs) })
}

/// # Safety
/// The communicator is alive, or none. `programs` is NULL, or a place for a handle.
unsafe fn sorted(
    brought: Brought,
    number: i64,
    programs: *mut *mut Programs,
) -> Result<(), Refusal> {
    // SAFETY: the communicator is alive, or none, as the caller promises.
    let world = unsafe { communicator(brought) }?;
    let made = match number {
        -1 => Sorted::of(&world)?,
        given => Sorted::numbered(&world, length(given, "number")?)?,
    };
    let made = Programs { thread: thread::current().id(), programs: made };
    // SAFETY: it is NULL, or a place for a handle, as the caller promises.
    unsafe { put_handle(programs, made, "programs") }
}

/// Stores this program's number, the number of programs, this rank's number in its program, and how many ranks
/// that has. Each pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_programs_size(
    programs: *const Programs,
    program: *mut i64,
    count: *mut i64,
    rank: *mut i64,
    size: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or live programs, and NULL or a place for each number.
        unsafe {
            let own = reference(programs, "programs")?.enter()?;
            put_numbers(program, &[own.program()])?;
            put_numbers(count, &[own.count()])?;
            put_numbers(rank, &[own.rank()])?;
            put_numbers(size, &[own.size()])
        }
    })
}

/// Frees programs, on the thread that sorted them; those that are coupled stay so. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_programs_free(programs: *mut Programs) -> Status {
    guarded(|| {
        if programs.is_null() {
            return Ok(());
        }
        // SAFETY: the header demands programs of `put_handle`, which nothing uses after this call.
        unsafe {
            reference(programs, "programs")?.enter()?;
            drop(taken(programs));
        }
        Ok(())
    })
}

/// Couples this program, which is the `side` `REDIST_SOURCE` or `REDIST_DESTINATION`, with another program,
/// which is the other side. Collective over both. The ranks of the source come first. The ranks are to be freed
/// by `redist_ranks_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_programs_couple(
    programs: *const Programs,
    side: i32,
    program: i64,
    ranks: *mut *mut Ranks,
) -> Status {
    guarded(|| {
        let role = self::side(side)?;
        // SAFETY: the header demands NULL or live programs, and NULL or a place for the handle.
        unsafe {
            let own = reference(programs, "programs")?.enter()?;
            let other = usize::try_from(program).ok();
            let other = other.filter(|other| *other < own.count() && *other != own.program());
            let other = other.ok_or_else(|| {
                let (last, this) = (own.count() - 1, own.program());
                Refusal::argument(format!(
                    "`program` is {program}, and must be one of 0 to {last} but {this}, this one"
                ))
            })?;
            put_handle(ranks, Ranks::coupled(own.couple(role, other)?), "ranks")
        }
    })
}

/// As `redist_rendezvous`, which calls this: see `redist_bind_place`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_rendezvous_place(
    communicator: *const c_void,
    bytes: usize,
    library: *const c_char,
    side: i32,
    file: *const c_char,
    seconds: f64,
    ranks: *mut *mut Ranks,
) -> Status {
    let brought = Brought::place(communicator, bytes, library);
    // SAFETY: the header demands all that `met` needs of the communicator and of the pointers.
    guarded(|| unsafe { met(brought, side, (file, seconds), ranks) })
}

/// As `redist_rendezvous_place`, with a communicator as Fortran's integer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_rendezvous_number(
    communicator: i32,
    library: *const c_char,
    side: i32,
    file: *const c_char,
    seconds: f64,
    ranks: *mut *mut Ranks,
) -> Status {
    let brought = Brought::number(communicator, library);
    // SAFETY: the header demands all that `met` needs of the communicator and of the pointers.
    guarded(|| unsafe { met(brought, side, (file, seconds), ranks) })
}

/// # Safety
/// The communicator is alive, or none. `file` is NULL, or a text that ends with a zero; `ranks` is NULL, or a
/// place for a handle.
unsafe fn met(
    brought: Brought,
    side: i32,
    (file, seconds): (*const c_char, f64),
    ranks: *mut *mut Ranks,
) -> Result<(), Refusal> {
    let role = self::side(side)?;
    let limit = Duration::try_from_secs_f64(seconds).map_err(|_| {
        Refusal::argument(format!("`seconds` is {seconds}, and must be a time from 0 on"))
    })?;
    // SAFETY: each is as the caller promises.
    unsafe {
        let own: RawCommunicator = communicator(brought)?;
        let coupling = Coupling::rendezvous(&own, role, text(file, "file")?, limit)?;
        put_handle(ranks, Ranks::coupled(coupling), "ranks")
    }
}

/// Stores facts about two programs that are coupled. They are the side of this one, the number of its rank 0
/// among the ranks of both, and the numbers of ranks of source and destination. Each pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_ranks_programs(
    ranks: *const Ranks,
    side: *mut i32,
    first_rank: *mut i64,
    sources: *mut i64,
    destinations: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or live ranks, and NULL or a place for each number.
        unsafe {
            let coupling = reference(ranks, "ranks")?.coupling()?;
            if !side.is_null() {
                put(side, || coupling.role() as i32, "side")?;
            }
            put_numbers(first_rank, &[coupling.first_rank()])?;
            put_numbers(sources, &[coupling.producers()])?;
            put_numbers(destinations, &[coupling.consumers()])
        }
    })
}

/// Exchanges layouts with the other program, and the extents, which one of both knows at least. Collective over
/// both. The `layout` is this program's own, on ranks from the first one of `redist_ranks_programs` on. Lists
/// have an entry for each dimension; `extents` is NULL where this program does not know them. Stores the other
/// program's layout, and the extents in `all_extents`. A mismatch is an error on every rank of both. The text
/// is to be freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_ranks_handshake(
    ranks: *const Ranks,
    layout: *const c_char,
    dimensions: i32,
    extents: *const i64,
    other: *mut *mut c_char,
    all_extents: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or live ranks, and NULL or a text that ends with a zero. Lists are
        // NULL, or have an entry for each dimension. Places for the text and the extents are NULL or free.
        unsafe {
            let coupling = reference(ranks, "ranks")?.coupling()?;
            let own = match extents.is_null() {
                true => None,
                false => Some(read_extents(dimensions, extents)?),
            };
            let count = dimensions_of(dimensions)?;
            let (layout, own) = (text(layout, "layout")?, own.as_deref());
            let (theirs, found) = handshake(coupling, layout, count, own)?;
            put_text(other, theirs, "other")?;
            put_numbers(all_extents, &found)
        }
    })
}

impl From<NoHandshake> for Refusal {
    fn from(error: NoHandshake) -> Self {
        match error {
            NoHandshake::Plan(error) => error.into(),
            NoHandshake::Layout(error) => Self::new(Status::RedistLayout, error.to_string()),
            NoHandshake::Met(error) => error.into(),
        }
    }
}
