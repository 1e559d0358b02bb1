#![no_main]

//! Any bytes, as a layout in the notation.

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Too few bytes are nothing to check.
    let _ = redist_fuzz::notation::check_bytes(bytes);
});
