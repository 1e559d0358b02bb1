//! A bound plan's description, and this rank's local arrays. Unsafe, because C passes pointers.

use super::side;
use crate::bound::Bound;
use crate::guard::guarded;
use crate::pointers::{put, put_numbers, put_part, put_text, reference};
use crate::status::Status;
use std::ffi::c_char;

/// Stores the length of this rank's local array on one side, in elements, and the shape and strides
/// of its memory. These have an entry for each dimension, in the order of that side's axes,
/// whichever is stored fastest. Each pointer may be NULL.
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
        // SAFETY: the header demands NULL or a live bound plan, and NULL or places for as many
        // entries.
        unsafe {
            let moving = reference(bound, "bound")?.enter()?;
            put_part([shape, strides, len], moving.lists(side), moving.bound.local_len(side))
        }
    })
}

/// Returns the length of this rank's local array on one side, in elements; -1 if the call fails.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_local_len(bound: *const Bound, side: i32) -> i64 {
    let mut len = -1;
    let nothing = std::ptr::null_mut();
    // SAFETY: the header demands NULL, or a live bound plan. The number is a place of this
    // function.
    match unsafe { redist_local(bound, side, &raw mut len, nothing, nothing) } {
        Status::RedistOk => len,
        _ => -1,
    }
}

/// Stores the name of the element type of the bound plan, as `redist_bind` received it, and its
/// bytes. Each pointer may be NULL. The text is not to be freed, and lasts as long as the bound
/// plan.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_element(
    bound: *const Bound,
    name: *mut *const c_char,
    size: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live bound plan, and NULL or places for both
        // results.
        unsafe {
            let bound = reference(bound, "bound")?;
            put_numbers(size, &[bound.enter()?.bound.element().bytes()])?;
            match name.is_null() {
                true => Ok(()),
                false => put(name, || bound.element.as_ptr(), "name"),
            }
        }
    })
}

/// Describes a move of these ranks: way, kernels, schedule, volumes. The text is to be freed by
/// `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_explain(bound: *const Bound, text: *mut *mut c_char) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live bound plan, and NULL or a place for the text.
        unsafe {
            let said = reference(bound, "bound")?.enter()?.bound.explain();
            put_text(text, said, "text")
        }
    })
}
