//! Arrays that callers pass to a move, and their bytes as the engine sees them.

use crate::element::{AnyElement, Element, ElementType, bytes_of, bytes_of_mut};
#[cfg(feature = "mpi")]
use crate::transport::mpi::SharedArray;
use crate::transport::{Source, Target};

/// A rank's local array before a move: a slice, a `Vec`, an array, or, over MPI, a `SharedArray`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no local array of elements of type `{T}`",
    label = "not an array of `{T}`",
    note = "a plan moves slices, `Vec`s and arrays of its own element type, and over MPI `SharedArray`s; arrays of \
            `ndarray` go to `run_arrays`",
    note = "`run_with` and `converted` move elements of one type into an array of another"
)]
pub trait SourceArray<T: Element>: Elements<T> {}

impl<T: Element, A: Elements<T> + ?Sized> SourceArray<T> for A {}

/// A rank's local array after a move: a slice, a `Vec`, an array, or, over MPI, a `SharedArray`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no local array of elements of type `{T}` that can be written to",
    label = "not an array of `{T}`",
    note = "a plan moves into slices, `Vec`s and arrays of its own element type, and over MPI `SharedArray`s; arrays of \
            `ndarray` go to `run_arrays`",
    note = "`run_with` and `converted` move elements of one type into an array of another"
)]
pub trait DestinationArray<T: Element>: ElementsMut<T> {}

impl<T: Element, A: ElementsMut<T> + ?Sized> DestinationArray<T> for A {}

/// A rank's two local arrays of one array of a [`Batch`](super::Batch), of elements of any type.
pub struct BatchArrays<'a> {
    pub(super) element: ElementType,
    /// Elements of the source and of the destination.
    pub(super) lens: [usize; 2],
    /// Bytes of the array before the move.
    pub(super) source: &'a [u8],
    /// Only whole elements may be written here.
    pub(super) destination: &'a mut [u8],
}

impl<'a> BatchArrays<'a> {
    /// Pairs a rank's array before the move with its array after it.
    pub fn new<T: Element>(source: &'a [T], destination: &'a mut [T]) -> Self {
        Self {
            element: ElementType::of::<T>(),
            lens: [source.len(), destination.len()],
            source: bytes_of(source),
            // SAFETY: a batch compares element types, so it writes only to arrays of a plan of this
            // type. Programs and kernels have this element width, so they copy whole elements to
            // places of whole elements. All ranks have agreed on these elements.
            destination: unsafe { bytes_of_mut(destination) },
        }
    }

    /// Pairs arrays of bytes, which are elements of this type.
    ///
    /// # Panics
    /// If the bytes are no whole elements.
    pub fn of_bytes(element: AnyElement, source: &'a [u8], destination: &'a mut [u8]) -> Self {
        let width = element.bytes();
        let lens = [source.len(), destination.len()].map(|bytes| {
            assert!(bytes.is_multiple_of(width), "{bytes} bytes are no elements of {width}");
            bytes / width
        });
        Self { element: element.element_type(), lens, source, destination }
    }
}

pub(super) fn bytes_target<D: DestinationArray<u8> + ?Sized>(array: &mut D) -> (usize, Target<'_>) {
    // SAFETY: any bytes are whole elements of type `u8`.
    unsafe { array.target() }
}

/// Contiguous elements. Sealed.
pub trait Elements<T: Element> {
    fn elements(&self) -> &[T];

    fn source(&self) -> Source<'_> {
        Source::Own(bytes_of(self.elements()))
    }
}

/// Writable contiguous elements. Sealed.
pub trait ElementsMut<T: Element> {
    fn elements_mut(&mut self) -> &mut [T];

    /// Returns the number of elements, and their bytes.
    ///
    /// # Safety
    /// The caller writes only whole elements of this type.
    unsafe fn target(&mut self) -> (usize, Target<'_>) {
        let elements = self.elements_mut();
        // SAFETY: the caller writes only whole elements of type `T` there.
        (elements.len(), Target::Own(unsafe { bytes_of_mut(elements) }))
    }
}

macro_rules! own_memory {
    ($(($($generics:tt)*) $array:ty;)*) => {$(
        impl<T: Element, $($generics)*> Elements<T> for $array {
            fn elements(&self) -> &[T] {
                self
            }
        }

        impl<T: Element, $($generics)*> ElementsMut<T> for $array {
            fn elements_mut(&mut self) -> &mut [T] {
                self
            }
        }
    )*};
}

own_memory! {
    () [T];
    () Vec<T>;
    () Box<[T]>;
    (const N: usize) [T; N];
}

impl<T: Element, A: Elements<T> + ?Sized> Elements<T> for &A {
    fn elements(&self) -> &[T] {
        (**self).elements()
    }

    fn source(&self) -> Source<'_> {
        (**self).source()
    }
}

impl<T: Element, A: Elements<T> + ?Sized> Elements<T> for &mut A {
    fn elements(&self) -> &[T] {
        (**self).elements()
    }

    fn source(&self) -> Source<'_> {
        (**self).source()
    }
}

impl<T: Element, A: ElementsMut<T> + ?Sized> ElementsMut<T> for &mut A {
    fn elements_mut(&mut self) -> &mut [T] {
        (**self).elements_mut()
    }

    unsafe fn target(&mut self) -> (usize, Target<'_>) {
        // SAFETY: the caller writes only whole elements of type `T` there.
        unsafe { (**self).target() }
    }
}

#[cfg(feature = "mpi")]
impl<T: Element> Elements<T> for SharedArray<T> {
    fn elements(&self) -> &[T] {
        self
    }

    fn source(&self) -> Source<'_> {
        Source::Shared(self.bytes())
    }
}

#[cfg(feature = "mpi")]
impl<T: Element> ElementsMut<T> for SharedArray<T> {
    fn elements_mut(&mut self) -> &mut [T] {
        self
    }

    unsafe fn target(&mut self) -> (usize, Target<'_>) {
        (self.len(), Target::Shared(self.bytes_mut()))
    }
}
