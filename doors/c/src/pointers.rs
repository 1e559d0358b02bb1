//! Makes references of C's pointers, and stores results in C's places. Unsafe: only the caller
//! knows what a pointer points to.

use crate::guard::terminated;
use crate::status::Refusal;
use std::ffi::{CStr, c_char};
use std::slice;

/// # Safety
/// The pointer is NULL, or points to a `T` that is alive and not written to in `'a`.
pub unsafe fn reference<'a, T>(pointer: *const T, name: &str) -> Result<&'a T, Refusal> {
    // SAFETY: `as_ref` checks for NULL, and the caller promises the rest.
    unsafe { pointer.as_ref() }.ok_or_else(|| Refusal::null(name))
}

/// # Safety
/// The pointer is NULL, or points to bytes that end with a zero and are not written to in `'a`.
pub unsafe fn text<'a>(pointer: *const c_char, name: &str) -> Result<&'a str, Refusal> {
    if pointer.is_null() {
        return Err(Refusal::null(name));
    }
    // SAFETY: it is not NULL. It ends with a zero and does not change, as the caller promises.
    let bytes = unsafe { CStr::from_ptr(pointer) };
    bytes.to_str().map_err(|_| Refusal::argument(format!("`{name}` is not UTF-8")))
}

/// Returns the values at a pointer; none for a count of 0.
///
/// # Safety
/// The pointer is NULL, or points to `count` values that are not written to in `'a`.
pub unsafe fn list<'a, T>(pointer: *const T, count: usize, name: &str) -> Result<&'a [T], Refusal> {
    match (count, pointer.is_null()) {
        (0, _) => Ok(&[]),
        (_, true) => Err(Refusal::null(name)),
        // SAFETY: it is not NULL. There are as many, which do not change, as the caller promises.
        _ => Ok(unsafe { slice::from_raw_parts(pointer, count) }),
    }
}

/// Makes a slice of `count` values; an empty slice where the pointer is NULL.
///
/// # Safety
/// The pointer is NULL, or points to `count` values that are not written to in `'a`.
pub unsafe fn optional<'a, T>(pointer: *const T, count: usize) -> &'a [T] {
    // SAFETY: the caller promises of the pointer all that `list` needs, which checks for NULL.
    unsafe { list(pointer, count, "") }.unwrap_or_default()
}

/// Stores what `make` returns, which is called only with a place.
///
/// # Safety
/// The pointer is NULL, or a place for a `T` that nothing else uses now.
pub unsafe fn put<T>(place: *mut T, make: impl FnOnce() -> T, name: &str) -> Result<(), Refusal> {
    if place.is_null() {
        return Err(Refusal::null(name));
    }
    // SAFETY: it is not NULL, and a place for a `T`, as the caller promises. The old content is
    // overwritten, not dropped, because C need not have initialised it.
    unsafe { place.write(make()) };
    Ok(())
}

/// Stores numbers in the caller's place, or nowhere if the pointer is NULL.
///
/// # Safety
/// The pointer is NULL, or a place for all numbers that nothing else uses now.
pub unsafe fn put_numbers(place: *mut i64, values: &[usize]) -> Result<(), Refusal> {
    if place.is_null() {
        return Ok(());
    }
    for (at, value) in values.iter().enumerate() {
        let value = i64::try_from(*value)
            .map_err(|_| Refusal::argument(format!("{value} is past the numbers of `int64_t`")))?;
        // SAFETY: it is not NULL, and there is room for all values, as the caller promises.
        unsafe { place.add(at).write(value) };
    }
    Ok(())
}

/// Stores values in the caller's place, or nowhere if the pointer is NULL.
///
/// # Safety
/// The pointer is NULL, or a place for all values that nothing else uses now.
pub unsafe fn put_each<T>(place: *mut T, values: impl Iterator<Item = T>) {
    if place.is_null() {
        return;
    }
    for (at, value) in values.enumerate() {
        // SAFETY: it is not NULL, and there is room for all values, as the caller promises.
        unsafe { place.add(at).write(value) };
    }
}

/// Stores a part of an array: its extents, its strides and its length, each in the caller's place, or
/// nowhere if the pointer is NULL.
///
/// # Safety
/// The pointers are NULL, or places for all numbers of each list, and for one number, that nothing else
/// uses now.
pub unsafe fn put_part(
    [extents, strides, len]: [*mut i64; 3],
    lists: [&[usize]; 2],
    elements: usize,
) -> Result<(), Refusal> {
    // SAFETY: each pointer is NULL, or has room for these, as the caller promises.
    unsafe {
        put_numbers(extents, lists[0])?;
        put_numbers(strides, lists[1])?;
        put_numbers(len, &[elements])
    }
}

/// Stores a handle in the caller's place; [`taken`] takes it back.
///
/// # Safety
/// The pointer is NULL, or a place for a pointer that nothing else uses now.
pub unsafe fn put_handle<T>(place: *mut *mut T, handle: T, name: &str) -> Result<(), Refusal> {
    // SAFETY: it is NULL, or a place for a pointer, as the caller promises.
    unsafe { put(place, || Box::into_raw(Box::new(handle)), name) }
}

/// # Safety
/// The pointer is NULL, or one of [`put_handle`], and nothing uses it after this call.
pub unsafe fn taken<T>(handle: *mut T) -> Option<Box<T>> {
    // SAFETY: it is not NULL, and so of `Box::into_raw`, in `put_handle`. It is taken back only
    // once, as the caller promises.
    (!handle.is_null()).then(|| unsafe { Box::from_raw(handle) })
}

/// Stores a text in the caller's place; `redist_text_free` frees it.
///
/// # Safety
/// The pointer is NULL, or a place for a pointer that nothing else uses now.
pub unsafe fn put_text(place: *mut *mut c_char, text: String, name: &str) -> Result<(), Refusal> {
    // SAFETY: it is NULL, or a place for a pointer, as the caller promises.
    unsafe { put(place, || terminated(text).into_raw(), name) }
}

/// Returns the bytes of an array to write; none for length 0.
///
/// # Safety
/// The pointer is NULL, or points to `count` bytes that nothing else uses in `'a`.
pub unsafe fn bytes_mut<'a>(pointer: *mut u8, count: usize) -> &'a mut [u8] {
    match count == 0 || pointer.is_null() {
        true => &mut [],
        // SAFETY: it is not NULL. There are as many bytes, which nothing else uses, as the caller
        // promises. Any bytes are `u8`s; bytes that C has not written to are only overwritten.
        false => unsafe { slice::from_raw_parts_mut(pointer, count) },
    }
}
