//! Pointers that C passes become references, and results go where C has said.
//!
//! Unsafe, since what a pointer that is not NULL points to is what its caller says.

use crate::guard::terminated;
use crate::status::Refusal;
use std::ffi::{CStr, c_char};
use std::slice;

/// # Safety
/// The pointer is NULL, or points to a `T` that is alive and not written to in `'a`.
pub unsafe fn reference<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Refusal> {
    // SAFETY: `as_ref` looks whether it is NULL, and the caller says the rest.
    unsafe { pointer.as_ref() }.ok_or_else(|| Refusal::null(name))
}

/// The text at a pointer.
///
/// # Safety
/// The pointer is NULL, or points to bytes that end with a zero and are not written to in `'a`.
pub unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Refusal> {
    if pointer.is_null() {
        return Err(Refusal::null(name));
    }
    // SAFETY: it is not NULL, and the caller says that it ends with a zero and stays what it is.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    bytes.to_str().map_err(|_| Refusal::argument(format!("`{name}` is not UTF-8")))
}

/// The numbers at a pointer; none where there are to be none.
///
/// # Safety
/// The pointer is NULL, or points to `count` numbers that are not written to in `'a`.
pub unsafe fn numbers<'a>(
    pointer: *const i64,
    count: usize,
    name: &str,
) -> Result<&'a [i64], Refusal> {
    match (count, pointer.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(Refusal::null(name)),
        // SAFETY: it is not NULL, and the caller says that there are as many, which stay what they
        // are.
        _ => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

/// As [`numbers`], and empty where the pointer is NULL.
///
/// # Safety
/// The pointer is NULL, or points to `count` numbers that are not written to in `'a`.
pub unsafe fn optional<'a>(pointer: *const i64, count: usize) -> &'a [i64] {
    // SAFETY: the caller says of the pointer what `numbers` asks for, which looks whether it is
    // NULL.
    unsafe { numbers(pointer, count, "") }.unwrap_or_default()
}

/// Puts a result where the caller has asked for it.
///
/// # Safety
/// The pointer is NULL, or a place for a `T` that nothing else uses now.
pub unsafe fn put<T>(place: *mut T, value: T, name: &str) -> Result<(), Refusal> {
    if place.is_null() {
        return Err(Refusal::null(name));
    }
    // SAFETY: it is not NULL, and the caller says that it is a place for a `T`; what was there is
    // overwritten, not dropped, since C need not have put anything there.
    unsafe { place.write(value) };
    Ok(())
}

/// Puts numbers where the caller has asked for them, or nowhere where the pointer is NULL.
///
/// # Safety
/// The pointer is NULL, or a place for as many numbers as there are, that nothing else uses now.
pub unsafe fn put_numbers(place: *mut i64, values: &[usize]) -> Result<(), Refusal> {
    if place.is_null() {
        return Ok(());
    }
    for (at, value) in values.iter().enumerate() {
        let value = i64::try_from(*value)
            .map_err(|_| Refusal::argument(format!("{value} is past the numbers of `int64_t`")))?;
        // SAFETY: it is not NULL, and the caller says that there is room for all values.
        unsafe { place.add(at).write(value) };
    }
    Ok(())
}

/// Puts a handle where the caller has asked for it, to be taken back by [`taken`].
///
/// # Safety
/// The pointer is NULL, or a place for a pointer that nothing else uses now.
pub unsafe fn put_handle<T>(place: *mut *mut T, handle: T, name: &str) -> Result<(), Refusal> {
    if place.is_null() {
        return Err(Refusal::null(name));
    }
    // SAFETY: it is not NULL, and the caller says that it is a place for a pointer.
    unsafe { put(place, Box::into_raw(Box::new(handle)), name) }
}

/// Takes a handle back.
///
/// # Safety
/// The pointer is NULL, or one that [`put_handle`] has put, and is not used any more.
pub unsafe fn taken<T>(handle: *mut T) -> Option<Box<T>> {
    // SAFETY: it is not NULL, and so of `Box::into_raw`, in `put_handle`; the caller says that it is
    // taken back but once.
    (!handle.is_null()).then(|| unsafe { Box::from_raw(handle) })
}

/// Puts a text where the caller has asked for it, to be taken back by `redist_text_free`.
///
/// # Safety
/// The pointer is NULL, or a place for a pointer that nothing else uses now.
pub unsafe fn put_text(place: *mut *mut c_char, text: String, name: &str) -> Result<(), Refusal> {
    if place.is_null() {
        return Err(Refusal::null(name));
    }
    // SAFETY: it is not NULL, and the caller says that it is a place for a pointer.
    unsafe { put(place, terminated(text).into_raw(), name) }
}

/// The bytes of an array that is read; none where its length is 0.
///
/// # Safety
/// The pointer is NULL, or points to `count` bytes that are not written to in `'a`.
pub unsafe fn bytes<'a>(pointer: *const u8, count: usize) -> &'a [u8] {
    match count == 0 || pointer.is_null() {
        true => &[],
        // SAFETY: it is not NULL, and the caller says that there are as many bytes, which stay what
        // they are.
        false => unsafe { slice::from_raw_parts(pointer, count) },
    }
}

/// The bytes of an array that is written to; none where its length is 0.
///
/// # Safety
/// The pointer is NULL, or points to `count` bytes that nothing else uses in `'a`.
pub unsafe fn bytes_mut<'a>(pointer: *mut u8, count: usize) -> &'a mut [u8] {
    match count == 0 || pointer.is_null() {
        true => &mut [],
        // SAFETY: it is not NULL, and the caller says that there are as many bytes, which nothing
        // else uses. Any bytes are `u8`s; those that C has not written to are only overwritten.
        false => unsafe { slice::from_raw_parts_mut(pointer, count) },
    }
}
