//! What may be moved.

/// Plain data that can be moved between ranks byte for byte.
///
/// Implemented for the primitive numbers and for arrays of elements.
///
/// # Safety
/// The type has no padding, holds no pointer or handle, and any value of it that one rank has is a valid value on
/// every other rank: a transport may carry it as bytes to another process.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be redistributed",
    label = "not plain data",
    note = "elements are primitive numbers and arrays of them; \
            `redist::Element` can be implemented for `Copy` types without padding or pointers"
)]
pub unsafe trait Element: Copy + Send + Sync + 'static {
    /// Any value: what scratch memory holds before it is first used.
    const ZERO: Self;
}

macro_rules! elements {
    ($($zero:literal: $($element:ty)*;)*) => {$($(
        // SAFETY: primitive numbers have no padding and no pointers, and mean the same in every process.
        unsafe impl Element for $element {
            const ZERO: Self = $zero;
        }
    )*)*};
}

elements! {
    0: u8 i8 u16 i16 u32 i32 u64 i64 u128 i128 usize isize;
    0.0: f32 f64;
}

// SAFETY: an array has no padding between its elements, which are plain data themselves.
unsafe impl<T: Element, const N: usize> Element for [T; N] {
    const ZERO: Self = [T::ZERO; N];
}
