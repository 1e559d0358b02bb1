//! Reads bytes that another rank or program may have sent.
#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Too few bytes are nothing to check.
    let _ = redist_fuzz::wire::check_bytes(bytes);
});
