//! `Plain`: elements of other crates' types, by way of `bytemuck`.

use crate::element::Element;
use bytemuck::{Pod, TransparentWrapper};

/// A `T` that moves as plain data: the element for other crates' [`bytemuck::Pod`] types.
///
/// Rust lets no crate implement a second crate's trait for a third crate's type. So the element of
/// such an array is `Plain<T>`. Slices of `T` are seen as slices of `Plain<T>` without a copy:
///
/// ```
/// # use redist_runtime as redist;
/// use redist::{Error, Plain, Redistribution, TypedPlan, Side, Transport, threads};
///
/// /// A colour of a crate that knows `bytemuck` and not `redist`.
/// #[derive(Clone, Copy, Debug, Default, PartialEq)]
/// #[repr(transparent)]
/// struct Rgb([u8; 3]);
/// # // SAFETY: a colour is three bytes, and zeros are one.
/// # unsafe impl bytemuck::Zeroable for Rgb {}
/// # // SAFETY: a colour is three bytes, without padding, and any three bytes are one.
/// # unsafe impl bytemuck::Pod for Rgb {}
///
/// let plan = TypedPlan::<Plain<Rgb>, 1>::parse([6], "block onto 2", "cyclic onto 2").unwrap();
/// threads::run(2, |rank| {
///     let mut bound = plan.bind(rank)?;
///     let here = rank.rank() as u8;
///     let source = vec![Rgb([here; 3]); bound.local_len(Side::Source)];
///     let mut destination = vec![Rgb::default(); bound.local_len(Side::Destination)];
///     bound.run(Plain::slice(&source), Plain::slice_mut(&mut destination))?;
///     assert_eq!(destination[2], Rgb([1; 3]));
///     Ok::<_, Error>(())
/// })?;
/// # Ok::<(), threads::Failure<Error>>(())
/// ```
///
/// The [`TransparentWrapper`] of `bytemuck` has further conversions, also of vectors and boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(transparent)]
pub struct Plain<T>(pub T);

// SAFETY: it is laid out as its only field is, which is `Pod`: without padding or pointers, and
// valid whatever its bytes, so in any process.
unsafe impl<T: Pod + Send + Sync> Element for Plain<T> {
    const ZERO: Self = Self(bytemuck::zeroed());
}

// SAFETY: it is `repr(transparent)`, with one field, of type `T`, and no condition on its value.
unsafe impl<T> TransparentWrapper<T> for Plain<T> {}

impl<T> Plain<T> {
    /// A slice, to be moved.
    pub fn slice(inner: &[T]) -> &[Self] {
        Self::wrap_slice(inner)
    }

    /// A slice, to be moved into.
    pub fn slice_mut(inner: &mut [T]) -> &mut [Self] {
        Self::wrap_slice_mut(inner)
    }

    /// Sees moved elements as slices of `T`.
    pub fn inner(slice: &[Self]) -> &[T] {
        Self::peel_slice(slice)
    }

    /// Sees moved elements as slices of `T` that can be written to.
    pub fn inner_mut(slice: &mut [Self]) -> &mut [T] {
        Self::peel_slice_mut(slice)
    }
}
