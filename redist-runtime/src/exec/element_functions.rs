//! Common functions for `Bound::run_with` and `BoundReduction::run`.

use core::ops::{Add, AddAssign, Mul};

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

/// Adds an arriving element to what is kept, for [`BoundReduction::run`](super::BoundReduction::run)
/// and [`Bound::run_with`](super::Bound::run_with). Integers overflow as by `+=`.
pub fn sum<T: AddAssign>(moved: T, kept: &mut T) {
    *kept += moved;
}

/// Keeps the smaller element, as [`sum`] keeps the sum. An arriving element that compares with
/// nothing, such as NaN, replaces what is kept, and stays.
pub fn min<T: PartialOrd + Copy>(moved: T, kept: &mut T) {
    keep(moved, kept, moved < *kept);
}

/// Keeps the larger element, as [`min`] keeps the smaller one.
pub fn max<T: PartialOrd + Copy>(moved: T, kept: &mut T) {
    keep(moved, kept, moved > *kept);
}

/// Replaces what is kept if the arriving element is better, or is no number and the kept one is.
fn keep<T: PartialOrd + Copy>(moved: T, kept: &mut T, is_better: bool) {
    let is_number = |element: &T| element.partial_cmp(element).is_some();
    if is_better || is_number(kept) && !is_number(&moved) {
        *kept = moved;
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

/// Numbers with a complex conjugate, for [`conjugated`]. Primitive numbers are their own
/// conjugates. The features `num-complex` and `half` add the numbers of these crates.
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
    fn what_compares_with_nothing_stays() {
        for combine in [min::<f64>, max::<f64>] {
            for [first, second] in [[f64::NAN, 1.0], [1.0, f64::NAN]] {
                let mut kept = first;
                combine(second, &mut kept);
                assert!(kept.is_nan());
            }
        }
        let (mut least, mut greatest) = (3, 3);
        [5, 1, 4].into_iter().for_each(|element| {
            min(element, &mut least);
            max(element, &mut greatest);
        });
        assert_eq!((least, greatest), (1, 5));
    }

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
