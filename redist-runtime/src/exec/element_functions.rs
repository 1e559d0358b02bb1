use core::ops::{Add, Mul};

/// Returns `alpha * moved + beta * kept` for [`Bound::run_with`](super::Bound::run_with). Elements
/// convert to the destination's type as they arrive.
///
/// As in the BLAS, an operand whose factor is zero is not read. With `beta` zero, the old
/// destination is gone, NaN and infinities included; with `alpha` zero, so are the arrivals. Zero
/// is [`Default`], as for numbers.
///
/// ```
/// # use redist_runtime as redist;
/// use redist::exec::scale_add;
///
/// let mut kept = f64::NAN;
/// scale_add(2.0, 0.0)(1.5_f32, &mut kept);
/// assert_eq!(kept, 3.0);
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

/// Returns a function for [`Bound::run_with`](super::Bound::run_with) that stores each arriving
/// element, converted without loss.
///
/// Write lossy conversions yourself, with their rounding: `|moved: f64, kept: &mut f32| *kept =
/// moved as f32`.
pub fn converted<T: Into<U>, U>() -> impl Fn(T, &mut U) + Copy {
    |moved, kept| *kept = moved.into()
}

/// Returns a function for [`Bound::run_with`](super::Bound::run_with) that receives the conjugate
/// of each arriving element, such as `conjugated(scale_add(2.0, 1.0))`.
pub fn conjugated<T: Conjugate, U>(mut function: impl FnMut(T, &mut U)) -> impl FnMut(T, &mut U) {
    move |moved, kept| function(moved.conjugate(), kept)
}

/// Numbers with a complex conjugate, for [`conjugated`]: primitive numbers, which are their own, and
/// those of `num-complex` and `half` with the features of these names.
pub trait Conjugate {
    /// Returns the complex conjugate.
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
    fn what_is_multiplied_by_zero_is_not_read_and_integers_wrap_nothing_up() {
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
        let mut kept = 5_i64;
        scale_add(-3, 2)(i32::MIN, &mut kept);
        assert_eq!(kept, 3 * (1 << 31) + 10);
    }
}
