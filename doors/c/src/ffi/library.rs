//! The library's version, and its last message. Unsafe, because texts that C returns are freed.

use crate::guard::{guarded, last_message};
use std::ffi::{CString, c_char};

/// Counts up when programs compiled with an earlier header must be compiled again. The library's
/// SONAME changes with it.
pub const REDIST_ABI: u32 = 1;

/// Returns `REDIST_ABI` of the loaded library.
#[unsafe(no_mangle)]
pub extern "C" fn redist_abi() -> u32 {
    REDIST_ABI
}

/// Returns the release of the loaded library, such as "0.1.0". Not to be freed.
#[unsafe(no_mangle)]
pub extern "C" fn redist_version() -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Returns the message of the last failed call on this thread, or "". UTF-8; not to be freed. It
/// stays until the next failed call on this thread.
#[unsafe(no_mangle)]
pub extern "C" fn redist_last_message() -> *const c_char {
    last_message()
}

/// Frees a text that the library has made. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_text_free(text: *mut c_char) {
    guarded(|| {
        if !text.is_null() {
            // SAFETY: texts come from functions that use `put_text`, as the header demands, and so
            // from `CString::into_raw`. They are freed only once.
            drop(unsafe { CString::from_raw(text) });
        }
        Ok(())
    });
}
