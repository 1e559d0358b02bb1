//! The library's functions by name. Tests replace some, which the profiling interface (MPI-3.1,
//! 14.2) has under other names, and call others, which `redist-mpi` does not.
//!
//! Handles are words here: a library with shorter handles reads the lower half.

use std::ffi::{CString, c_void};

/// Returns the address of the library's function of a name.
pub fn address_of(name: &str) -> usize {
    let text = CString::new(name).expect("names have no zeros");
    // SAFETY: the name ends with a zero. The address is only returned.
    let address: *mut c_void = unsafe { libc::dlsym(libc::RTLD_DEFAULT, text.as_ptr()) };
    assert!(!address.is_null(), "the library has no `{name}`");
    address as usize
}

/// Calls the library's function of a name, with these argument types; it is looked up once.
#[macro_export]
macro_rules! of_the_library {
    ($name:expr, ($($type:ty),*)) => {{
        static ADDRESS: std::sync::OnceLock<usize> = std::sync::OnceLock::new();
        let address = *ADDRESS.get_or_init(|| $crate::address_of($name));
        let address = std::ptr::with_exposed_provenance::<std::ffi::c_void>(address);
        // SAFETY: the function of this name has such arguments, in registers of a word each, and
        // returns a code.
        unsafe {
            std::mem::transmute::<
                *const std::ffi::c_void,
                unsafe extern "C" fn($($type),*) -> std::ffi::c_int,
            >(address)
        }
    }};
}
