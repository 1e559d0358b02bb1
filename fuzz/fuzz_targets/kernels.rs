#![no_main]

//! Any bytes, as a plan whose kernels are checked.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Too few bytes are nothing to check.
    let _ = redist_fuzz::kernels::check_bytes(bytes);
});
