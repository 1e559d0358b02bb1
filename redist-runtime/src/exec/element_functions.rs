//! Functions of a moved element and the one in its place, for the common cases: plain code on
//! elements, which any move with a function takes.

use core::ops::{Add, Mul};

/// For [`Bound::run_with`](super::Bound::run_with): `alpha * moved + beta * kept`, in the
/// destination's type, to which elements are converted as they arrive.
///
/// As in the BLAS, what is multiplied by zero is not read: with `beta` zero, whatever the
/// destination held, NaN and infinities too, is gone; with `alpha` zero, so is what has arrived.
/// Zero is what [`Default`] makes, as it does for numbers.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::scale_add;
///
/// let mut kept = f64::NAN;
/// scale_add(2.0, 0.0)(1.5_f32, &mut kept);
/// assert_eq!(kept, 3.0);
/// scale_add(1.0, 10.0)(0.25_f64, &mut kept);
/// assert_eq!(kept, 30.25);
/// ```
pub fn scale_add<T, U>(alpha: U, beta: U) -> impl Fn(T, &mut U) + Copy
where
    T: Into<U>,
    U: Copy + Default + PartialEq + Add<Output = U> + Mul<Output = U>,
{
    let zero = U::default();
    let (takes, keeps) = (alpha != zero, beta != zero);
    move |moved, kept| {
        *kept = match (takes, keeps) {
            (true, true) => alpha * moved.into() + beta * *kept,
            (true, false) => alpha * moved.into(),
            (false, true) => beta * *kept,
            (false, false) => zero,
        }
    }
}

/// For [`Bound::run_with`](super::Bound::run_with): the element that has arrived, converted
/// without loss to what the destination holds.
///
/// A conversion that may lose something is a function of your own, which says how it rounds:
/// `|moved: f64, kept: &mut f32| *kept = moved as f32`.
///
/// ```
/// # use redist_runtime as redist;
/// let mut kept = 0.0_f64;
/// redist::exec::converted()(1.5_f32, &mut kept);
/// assert_eq!(kept, 1.5);
/// ```
pub fn converted<T: Into<U>, U>() -> impl Fn(T, &mut U) + Copy {
    |moved, kept| *kept = moved.into()
}

/// For [`Bound::run_with`](super::Bound::run_with): a function that is given the conjugate of what
/// has arrived.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::{conjugated, scale_add};
///
/// // Real numbers are their own conjugates; those of `num_complex::Complex` (feature
/// // `num-complex`) change the sign of the imaginary part.
/// let mut kept = 1.0;
/// conjugated(scale_add(2.0, 1.0))(3.0_f64, &mut kept);
/// assert_eq!(kept, 7.0);
/// ```
pub fn conjugated<T: Conjugate, U>(mut function: impl FnMut(T, &mut U)) -> impl FnMut(T, &mut U) {
    move |moved, kept| function(moved.conjugate(), kept)
}

/// Numbers that have a complex conjugate: primitive numbers, which are their own, and, with the
/// features of these names, those of `num-complex` and of `half`.
pub trait Conjugate {
    /// The complex conjugate.
    #[must_use]
    fn conjugate(self) -> Self;
}

macro_rules! real {
    ($($number:ty)*) => {$(
        impl Conjugate for $number {
            fn conjugate(self) -> Self {
                self
            }
        }
    )*};
}

real! { u8 i8 u16 i16 u32 i32 u64 i64 u128 i128 usize isize f32 f64 }

#[cfg(feature = "half")]
real! { half::f16 half::bf16 }

#[cfg(feature = "num-complex")]
impl<T: Clone + core::ops::Neg<Output = T>> Conjugate for num_complex::Complex<T> {
    fn conjugate(self) -> Self {
        Self::new(self.re, -self.im)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_multiplied_by_zero_is_not_read() {
        let after = |alpha: f64, beta: f64, moved: f64, mut kept: f64| {
            scale_add(alpha, beta)(moved, &mut kept);
            kept
        };
        assert_eq!(after(2.0, 0.0, 3.0, f64::NAN), 6.0);
        assert_eq!(after(0.0, 2.0, f64::NAN, 3.0), 6.0);
        assert_eq!(after(0.0, 0.0, f64::INFINITY, f64::NAN), 0.0);
        assert_eq!(after(-0.0, -0.0, f64::NAN, f64::NAN), 0.0);
        assert!(after(1.0, 1.0, f64::NAN, 3.0).is_nan());
        assert!(after(1.0, 1.0, 3.0, f64::NAN).is_nan());
    }

    #[test]
    fn integers_wrap_nothing_up() {
        let mut kept = 5_i64;
        scale_add(-3, 2)(i32::MIN, &mut kept);
        assert_eq!(kept, 3 * (1 << 31) + 10);
    }
}
