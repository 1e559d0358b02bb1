//! The width of elements, as a constant in loops that gain from it.
//!
//! All copies are compiled once, in this crate: for elements of some common widths, and for any
//! other. Code that copies whole runs of bytes does not depend on the width.

/// The bytes of an element, a constant or not.
pub(super) trait Width: Copy {
    /// Bytes of an element.
    fn bytes(self) -> usize;

    /// Copies elements that lie together from places `stride` elements apart, the first at the
    /// front of `from`.
    ///
    /// # Panics
    /// If `from` has fewer such places than `to` has elements.
    fn gather(self, from: &[u8], stride: usize, to: &mut [u8]);

    /// The mirror of [`gather`](Width::gather): copies to places `stride` elements apart.
    ///
    /// # Panics
    /// As [`gather`](Width::gather).
    fn scatter(self, from: &[u8], to: &mut [u8], stride: usize);
}

/// A width that the compiler knows.
#[derive(Clone, Copy)]
pub(super) struct ConstWidth<const BYTES: usize>;

/// A width that is known at run time.
#[derive(Clone, Copy)]
pub(super) struct AnyWidth(pub usize);

impl<const BYTES: usize> Width for ConstWidth<BYTES> {
    #[inline(always)]
    fn bytes(self) -> usize {
        BYTES
    }

    #[inline]
    fn gather(self, from: &[u8], stride: usize, to: &mut [u8]) {
        let (from, to) = (from.as_chunks::<BYTES>().0, to.as_chunks_mut::<BYTES>().0);
        assert!(to.len() <= places(from.len(), stride), "an array shorter than its plan");
        for (to, from) in to.iter_mut().zip(from.iter().step_by(stride.max(1))) {
            *to = *from;
        }
    }

    #[inline]
    fn scatter(self, from: &[u8], to: &mut [u8], stride: usize) {
        let (from, to) = (from.as_chunks::<BYTES>().0, to.as_chunks_mut::<BYTES>().0);
        assert!(from.len() <= places(to.len(), stride), "an array shorter than its plan");
        for (from, to) in from.iter().zip(to.iter_mut().step_by(stride.max(1))) {
            *to = *from;
        }
    }
}

impl Width for AnyWidth {
    #[inline(always)]
    fn bytes(self) -> usize {
        self.0
    }

    fn gather(self, from: &[u8], stride: usize, to: &mut [u8]) {
        assert!(
            to.len() / self.0 <= places(from.len() / self.0, stride),
            "an array shorter than its plan"
        );
        for (to, from) in to.chunks_exact_mut(self.0).zip(from.chunks(self.0 * stride.max(1))) {
            to.copy_from_slice(&from[..self.0]);
        }
    }

    fn scatter(self, from: &[u8], to: &mut [u8], stride: usize) {
        assert!(
            from.len() / self.0 <= places(to.len() / self.0, stride),
            "an array shorter than its plan"
        );
        for (from, to) in from.chunks_exact(self.0).zip(to.chunks_mut(self.0 * stride.max(1))) {
            to[..self.0].copy_from_slice(from);
        }
    }
}

/// The number of places `stride` elements apart in `len` elements.
fn places(len: usize, stride: usize) -> usize {
    len.div_ceil(stride.max(1))
}

/// Evaluates an expression in which `$name` is a constant, for some values of a number, and another
/// expression for all other values: what is copied by a length that the compiler knows needs no
/// call.
macro_rules! with_const {
    ($number:expr, $name:ident in [$($known:literal)*] => $body:expr, else $otherwise:expr) => {
        match $number {
            $($known => {
                const $name: usize = $known;
                $body
            })*
            _ => $otherwise,
        }
    };
}
pub(super) use with_const;

/// Evaluates an expression with the [`Width`] of a number of bytes: constant where it is a common
/// one.
macro_rules! with_width {
    ($bytes:expr, $width:ident => $body:expr) => {{
        let bytes: usize = $bytes;
        $crate::exec::width::with_const!(
            bytes,
            BYTES in [1 2 4 8 16] => {
                let $width = $crate::exec::width::ConstWidth::<BYTES>;
                $body
            },
            else {
                let $width = $crate::exec::width::AnyWidth(bytes);
                $body
            }
        )
    }};
}
pub(super) use with_width;

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of some elements, each as long as the width says.
    fn elements(width: usize, numbers: impl Iterator<Item = u8>) -> Vec<u8> {
        numbers.flat_map(|number| vec![number; width]).collect()
    }

    #[test]
    fn every_width_gathers_and_scatters_alike() {
        for bytes in [1, 2, 3, 4, 8, 12, 16, 24] {
            let array = elements(bytes, 0..20);
            let mut gathered = vec![0xEE; 7 * bytes];
            with_width!(bytes, width => width.gather(&array[bytes..], 3, &mut gathered));
            assert_eq!(gathered, elements(bytes, (1..20).step_by(3)), "{bytes}");
            let mut scattered = elements(bytes, (0..20).map(|_| 0xEE));
            with_width!(bytes, width => width.scatter(&gathered, &mut scattered[bytes..], 3));
            let expected = (0..20).map(|number| if number % 3 == 1 { number } else { 0xEE });
            assert_eq!(scattered, elements(bytes, expected), "{bytes}");
        }
    }

    #[test]
    fn nothing_is_left_out_silently() {
        for bytes in [4, 12] {
            let (array, mut message) = (elements(bytes, 0..20), vec![0; 8 * bytes]);
            let gather = std::panic::AssertUnwindSafe(
                || with_width!(bytes, width => width.gather(&array[bytes..], 3, &mut message)),
            );
            assert!(std::panic::catch_unwind(gather).is_err(), "{bytes}");
        }
    }
}
