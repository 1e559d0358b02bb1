//! Arrays in memory that the ranks of a node share. Unsafe, because C passes pointers.

use super::side;
use crate::bound::{Bound, told};
use crate::guard::guarded;
use crate::pointers::{put, reference};
use crate::status::{Refusal, Status};
use redist_doors::{free_shared, keep_shared};
use std::ffi::c_void;

/// Makes this rank's local array on one side, of `redist_local_len` elements, all bytes zero. Other
/// ranks of its node can use its memory in `redist_run`. If all ranks are on one node and pass such
/// sources, each element is copied once, from array to array. `redist_run` knows the array by its
/// address and its length. Any plan bound to the same ranks in the same order on this thread may
/// have it as its source or destination. Collective. The array is to be freed by
/// `redist_shared_free`, on this thread; it may outlive the communicator and MPI.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_shared_alloc(
    bound: *mut Bound,
    side: i32,
    array: *mut *mut c_void,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a live bound plan.
        let moving = unsafe { reference(bound, "bound") }?.enter()?;
        moving.check(false)?;
        let side = match self::side(side) {
            _ if array.is_null() => Err(Refusal::null("array")),
            side => side,
        };
        let made = match side {
            Ok(side) => moving.bound.shared_array(side)?,
            Err(refusal) => {
                // The other ranks wait for this one.
                moving.bound.decline_shared_array(told("a shared array", &refusal));
                return Err(refusal);
            }
        };
        // SAFETY: it is not NULL, and the header demands a place for a pointer.
        unsafe { put(array, || keep_shared(made).cast(), "array") }
    })
}

/// Frees an array of `redist_shared_alloc`, on the thread that made it. Waits for no rank: the
/// system frees the memory when all ranks have freed their parts, and next make an array or end.
/// NULL is ignored.
#[unsafe(no_mangle)]
pub extern "C" fn redist_shared_free(array: *mut c_void) -> Status {
    guarded(|| match array.is_null() || free_shared(array.addr()) {
        true => Ok(()),
        false => {
            let message = "no shared array that this thread has made begins there";
            Err(Refusal::argument(message))
        }
    })
}
