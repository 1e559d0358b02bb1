//! What the library says of itself, and of what went wrong.
//!
//! Unsafe, since texts that C gives back are freed.

use crate::guard::{guarded, last_message};
use std::ffi::{CString, c_char};

/// Counts up when programs that were compiled with an earlier header have to be compiled again. The
/// library's SONAME changes with it.
pub const REDIST_ABI: u32 = 1;

/// `REDIST_ABI` of the library that is loaded.
#[unsafe(no_mangle)]
pub extern "C" fn redist_abi() -> u32 {
    REDIST_ABI
}

/// The release of the library that is loaded, such as "0.1.0". Not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn redist_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// What the last call on this thread that failed says of it, or "". UTF-8; not to be freed; it stays
/// until the next call on this thread that fails.
#[unsafe(no_mangle)]
pub extern "C" fn redist_last_message() -> *const c_char {
    last_message()
}

/// Frees a text that the library has made. NULL is left alone.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_text_free(text: *mut c_char) {
    guarded(|| {
        if !text.is_null() {
            // SAFETY: the header says that texts come from functions that have `put_text` put them,
            // which are of `CString::into_raw`, and are freed but once.
            drop(unsafe { CString::from_raw(text) });
        }
        Ok(())
    });
}
