//! What a bound plan says of itself, and of this rank's local arrays.
//!
//! Unsafe, since C passes pointers.

use super::side;
use crate::bound::Bound;
use crate::guard::guarded;
use crate::pointers::{put, put_numbers, put_text, reference};
use crate::status::Status;
use std::ffi::c_char;

/// What this rank's local array on one side has to have: its length in elements, with the shape of its
/// memory and its strides in elements, which have an entry for each dimension as the array is stored
/// there. Each of the pointers may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_local(
    bound: *const Bound,
    side: i32,
    len: *mut i64,
    shape: *mut i64,
    strides: *mut i64,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header says that pointers are NULL or to what it names: a bound plan that has not
        // been freed, and places for an entry for each dimension, or one.
        unsafe {
            let moving = reference(bound, "bound")?.enter()?;
            let [found_shape, found_strides] = moving.lists(side);
            put_numbers(len, &[moving.bound.local_len(side)])?;
            put_numbers(shape, found_shape)?;
            put_numbers(strides, found_strides)
        }
    })
}

/// The length of this rank's local array on one side, in elements; -1 where the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_local_len(bound: *const Bound, side: i32) -> i64 {
    let mut len = -1;
    let nothing = std::ptr::null_mut();
    // SAFETY: the header says that the pointer is NULL or to a bound plan that has not been freed; the
    // number is a place of this function's own.
    match unsafe { redist_local(bound, side, &raw mut len, nothing, nothing) } {
        Status::RedistOk => len,
        _ => -1,
    }
}

/// The name of the element type that the plan was bound for, as `redist_bind` was given it, and its
/// bytes. Each of the pointers may be NULL; the text is not to be freed, and is there as long as what
/// is bound.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_element(
    bound: *const Bound,
    name: *mut *const c_char,
    size: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header says that pointers are NULL or to what it names: a bound plan that has not
        // been freed, a place for a text, and one for a number.
        unsafe {
            let bound = reference(bound, "bound")?;
            put_numbers(size, &[bound.enter()?.bound.element().bytes()])?;
            match name.is_null() {
                true => Ok(()),
                false => put(name, bound.element.as_ptr(), "name"),
            }
        }
    })
}

/// What runs on these ranks: which way, which kernels, which schedule, how much. The text is to be
/// freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_explain(bound: *const Bound, text: *mut *mut c_char) -> Status {
    guarded(|| {
        // SAFETY: the header says that pointers are NULL or to what it names: a bound plan that has not
        // been freed, a place for the text.
        unsafe {
            let said = reference(bound, "bound")?.enter()?.bound.explain();
            put_text(text, said, "text")
        }
    })
}
