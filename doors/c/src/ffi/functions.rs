//! Moves whose elements go through a function. Unsafe, because C passes pointers, and the function.

use crate::array::{Given, LocalArray};
use crate::bound::{Bound, Moving};
use crate::element::name_of;
use crate::guard::guarded;
use crate::pointers::{bytes_mut, list, optional, reference};
use crate::status::{Refusal, Status};
use redist::Side;
use redist::exec::WrongArgument;
use redist_doors::{OfRuns, overlap, scaled};
use std::ffi::c_void;

/// A function of runs: `elements` have arrived, and as many are kept in the destination, in the
/// same order. It reads the former, and reads and writes the latter. It returns, and calls neither
/// this library nor MPI.
pub type Function = Option<
    unsafe extern "C" fn(
        state: *mut c_void,
        arrived: *const c_void,
        kept: *mut c_void,
        elements: i64,
    ),
>;

/// As `redist_run`, but that a function receives what arrives, run by run, with its place in the
/// destination. Elements of the destination have `kept_bytes` bytes each; its length is in these.
/// Elements for which nothing arrives stay as they are. Arrived elements are aligned to the
/// greatest power of 2 that divides their bytes, 16 at most. `state` is passed to the function.
/// Each rank chooses whether it calls this, `redist_run` or `redist_start`. Of the addends of a sum
/// (`redist_copies_parse`), the first one is stored, and the function receives each further one with
/// the result so far; `kept_bytes` are those of an addend. After an error the function may have run
/// for some elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_run_with(
    bound: *mut Bound,
    source: *const c_void,
    source_len: i64,
    destination: *mut c_void,
    destination_len: i64,
    kept_bytes: i64,
    function: Function,
    state: *mut c_void,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound plan.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(false)?;
        let arrays = [(source.addr(), source_len), (destination.addr(), destination_len)];
        let found = checked(&moving, arrays, kept_bytes).and_then(|found| {
            // SAFETY: the header demands a function that may be called with this state, and reads and
            // writes as many elements. This thread alone calls it.
            Ok((found, unsafe { Called::new(function, state) }?))
        });
        let (([from, to], kept_width), called) = match found {
            Ok(found) => found,
            Err(refusal) => return Err(moving.decline(refusal)),
        };
        let call = called.of_runs(moving.bound.element().bytes(), kept_width);
        // SAFETY: the header demands that many elements, which nothing writes to. The array is not
        // NULL, as `checked` found.
        let source = unsafe { optional(source.cast::<u8>(), from) };
        // SAFETY: the header demands that many elements, which nothing else uses. The array is not
        // NULL, and apart from the source, as `checked` found.
        let destination = unsafe { bytes_mut(destination.cast(), to) };
        Ok(moving.bound.run_with(source, destination, kept_width, call)?)
    })
}

/// As `redist_run_arrays`, but that the destination becomes `alpha` times what arrives plus `beta`
/// times what it had, as by ScaLAPACK's `p?geadd`. Both are one element, of the type "f32", "f64",
/// "c32", "c64", "i32" or "i64". A matrix that is multiplied by zero is not read. If `conjugates` is not 0,
/// the complex conjugate arrives. Elements for which nothing arrives stay as they are. After an
/// error some elements may have been changed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_run_scaled(
    bound: *mut Bound,
    alpha: *const c_void,
    source: *const LocalArray,
    beta: *const c_void,
    destination: *const LocalArray,
    conjugates: i32,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound plan.
        let mut moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(false)?;
        let element = moving.bound.element();
        // SAFETY: the header demands NULL, or an element or an array, which nothing writes to, with
        // names and lists as `read` needs.
        let given = || unsafe {
            if moving.is_sum {
                let words =
                    "addends are not scaled; `redist_run_with` takes a function that combines them";
                return Err(Refusal::argument(words));
            }
            let arrays = [Given::read(source, "source")?, Given::read(destination, "destination")?];
            let factors = [
                list(alpha.cast::<u8>(), element.bytes(), "alpha")?,
                list(beta.cast::<u8>(), element.bytes(), "beta")?,
            ];
            let function = scaled(element, factors, conjugates != 0).ok_or_else(|| {
                let name = name_of(element);
                let types = "f32, f64, c32, c64, i32 and i64; `redist_run_with` takes a function";
                Refusal::argument(format!("{name} is not scaled; types are {types}"))
            })?;
            Ok((arrays, function))
        };
        let sized = |(arrays, function): ([Given; 2], OfRuns)| {
            let [source, destination] = &arrays;
            Ok((moving.both([source, destination])?, function))
        };
        let ([from, to], function) = match given().and_then(sized) {
            Ok(found) => found,
            Err(refusal) => return Err(moving.decline(refusal)),
        };
        // SAFETY: the arrays are there, as `read` found. The header demands that many elements, which
        // nothing writes to. The array is not NULL, as `both` found.
        let source = unsafe { optional((*source).data.cast::<u8>().cast_const(), from) };
        // SAFETY: the arrays are there, as `read` found. The header demands that many elements, which
        // nothing else uses. The array is not NULL, and apart from the source, as `both` found.
        let destination = unsafe { bytes_mut((*destination).data.cast(), to) };
        Ok(moving.bound.run_with(source, destination, element.bytes(), function)?)
    })
}

/// Returns the bytes of both arrays, which must not overlap, and of an element of the destination.
fn checked(
    moving: &Moving,
    [source, destination]: [(usize, i64); 2],
    kept_bytes: i64,
) -> Result<([usize; 2], usize), Refusal> {
    let given = |(address, len)| Given { address, len, element: None, shape: None };
    let from = moving.bytes(&given(source), Side::Source)?;
    let width = kept_width(kept_bytes)?;
    // The length is looked at in the plan's elements first.
    let own = moving.bytes(&given(destination), Side::Destination)?;
    let bytes = (own / moving.bound.element().bytes()).checked_mul(width);
    let to = bytes.filter(|bytes| isize::try_from(*bytes).is_ok()).ok_or_else(|| {
        Refusal::of_move(
            moving.bound.rank(),
            WrongArgument::Length { side: Side::Destination, length: destination.1 },
        )
    })?;
    match overlap([(source.0, from), (destination.0, to)]) {
        true => Err(Refusal::of_move(moving.bound.rank(), WrongArgument::Overlap)),
        false => Ok(([from, to], width)),
    }
}

/// Returns the bytes of an element of a destination.
pub fn kept_width(kept_bytes: i64) -> Result<usize, Refusal> {
    let width = usize::try_from(kept_bytes).ok().filter(|width| (1..1 << 32).contains(width));
    width.ok_or_else(|| {
        Refusal::argument(format!("`kept_bytes` is {kept_bytes}, and must be at least 1"))
    })
}

/// A caller's function, with the state that it is passed.
#[derive(Clone, Copy)]
pub struct Called {
    /// Called with the state, what has arrived, what is there, and their number in elements.
    function: unsafe extern "C" fn(*mut c_void, *const c_void, *mut c_void, i64),
    /// Passed on as it is.
    state: *mut c_void,
}

// SAFETY: only the caller's function looks at the state, and `new` demands that all threads that use
// this may call it at a time.
unsafe impl Sync for Called {}

impl Called {
    /// # Safety
    /// The function may be called with this state, at a time by all threads that use this. It reads and
    /// writes as many elements as it is told, of the sizes that `of_runs` is given.
    pub unsafe fn new(function: Function, state: *mut c_void) -> Result<Self, Refusal> {
        let function = function.ok_or_else(|| Refusal::null("function"))?;
        Ok(Self { function, state })
    }

    /// Returns a function of runs, of elements of these bytes.
    pub fn of_runs(&self, arrived_bytes: usize, kept_bytes: usize) -> OfRuns {
        let (Self { function, state }, mut aligned) = (*self, Aligned::new(arrived_bytes));
        Box::new(move |arrived, kept| {
            let elements = (kept.len() / kept_bytes) as i64;
            let (arrived, kept) = (aligned.place(arrived).cast(), kept.as_mut_ptr().cast());
            // SAFETY: the caller of `new` has promised that this may be called, and reads and writes as
            // many elements.
            unsafe { function(state, arrived, kept, elements) };
        })
    }
}

/// Memory for runs that have arrived at places that their elements' type does not allow.
struct Aligned {
    /// A power of 2.
    alignment: usize,
    /// Room for the longest run, and its alignment.
    memory: Vec<u128>,
}

impl Aligned {
    fn new(width: usize) -> Self {
        let alignment = (1 << width.trailing_zeros().min(4)).min(align_of::<u128>());
        Self { alignment, memory: Vec::new() }
    }

    /// Returns a place of these bytes that is aligned.
    fn place(&mut self, bytes: &[u8]) -> *const u8 {
        if bytes.as_ptr().addr().is_multiple_of(self.alignment) {
            return bytes.as_ptr();
        }
        let numbers = bytes.chunks(size_of::<u128>()).map(|chunk| {
            let mut number = [0; size_of::<u128>()];
            number[..chunk.len()].copy_from_slice(chunk);
            u128::from_ne_bytes(number)
        });
        self.memory.clear();
        self.memory.extend(numbers);
        self.memory.as_ptr().cast()
    }
}

#[cfg(test)]
mod tests {
    use super::Aligned;

    #[test]
    fn what_has_arrived_is_aligned() {
        let bytes: Vec<u8> = (0..100).collect();
        for (width, alignment) in [(8, 8), (24, 8), (3, 1), (48, 16)] {
            let mut aligned = Aligned::new(width);
            for begin in 0..16 {
                let run = &bytes[begin..begin + width];
                let place = aligned.place(run);
                assert!(place.addr().is_multiple_of(alignment));
                // SAFETY: as many bytes are there, and stay until the next call.
                assert_eq!(unsafe { std::slice::from_raw_parts(place, width) }, run);
            }
        }
    }
}
