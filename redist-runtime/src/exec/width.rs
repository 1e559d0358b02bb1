//! How long an element is, for loops that the compiler should know it in.
//!
//! Everything that copies is compiled once, in this crate, for elements of some common widths and for those of any. What
//! copies whole runs of bytes does not need to know.

/// The bytes of an element, known when the loop over them is compiled or not.
pub(super) trait Width: Copy {
    /// Bytes of an element.
    fn bytes(self) -> usize;

    /// Copies elements that lie together from places `stride` elements apart, the first at the front of `from`.
    ///
    /// # Panics
    /// If there are not as many elements at such places as there is room for.
    fn gather(self, from: &[u8], stride: usize, to: &mut [u8]);

    /// The mirror of [`gather`](Width::gather): copies to places `stride` elements apart.
    ///
    /// # Panics
    /// As [`gather`](Width::gather).
    fn scatter(self, from: &[u8], to: &mut [u8], stride: usize);
}

/// A width that the compiler knows.
#[derive(Clone, Copy)]
pub(super) struct Fixed<const BYTES: usize>;

/// Any other.
#[derive(Clone, Copy)]
pub(super) struct Any(pub usize);

impl<const BYTES: usize> Width for Fixed<BYTES> {
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

impl Width for Any {
    #[inline(always)]
    fn bytes(self) -> usize {
        self.0
    }

    fn gather(self, from: &[u8], stride: usize, to: &mut [u8]) {
        assert!(to.len() / self.0 <= places(from.len() / self.0, stride), "an array shorter than its plan");
        for (to, from) in to.chunks_exact_mut(self.0).zip(from.chunks(self.0 * stride.max(1))) {
            to.copy_from_slice(&from[..self.0]);
        }
    }

    fn scatter(self, from: &[u8], to: &mut [u8], stride: usize) {
        assert!(from.len() / self.0 <= places(to.len() / self.0, stride), "an array shorter than its plan");
        for (from, to) in from.chunks_exact(self.0).zip(to.chunks_mut(self.0 * stride.max(1))) {
            to[..self.0].copy_from_slice(from);
        }
    }
}

/// How many places `stride` elements apart there are in `len` elements.
fn places(len: usize, stride: usize) -> usize {
    len.div_ceil(stride.max(1))
}

/// Evaluates an expression with a [`Width`] of so many bytes: one of the widths that the compiler knows, or any.
macro_rules! with_width {
    ($bytes:expr, $width:ident => $body:expr) => {
        with_width!($bytes, $width => $body; 1 2 4 8 16)
    };
    ($bytes:expr, $width:ident => $body:expr; $($known:literal)*) => {
        match $bytes {
            $($known => {
                let $width = $crate::exec::width::Fixed::<$known>;
                $body
            })*
            bytes => {
                let $width = $crate::exec::width::Any(bytes);
                $body
            }
        }
    };
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
