#![no_main]

//! Any bytes, as a plan that is checked.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Too few bytes are nothing to check.
    let _ = redist_fuzz::plan::check_bytes(bytes);
});
