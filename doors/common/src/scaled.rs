//! α A + β B of numbers at any address.

use redist::AnyElement;
use redist::exec::scale_add;
use std::ops::{Add, Mul, Neg};

/// A number, in the bytes of the machine.
pub trait Number:
    Copy + Default + PartialEq + Add<Output = Self> + Mul<Output = Self> + 'static
{
    /// Bytes of a number.
    const BYTES: usize;
    fn read(bytes: &[u8]) -> Self;
    fn write(self, bytes: &mut [u8]);
    /// Returns the complex conjugate.
    fn conjugate(self) -> Self;
}

macro_rules! real {
    ($($number:ty)*) => {$(
        impl Number for $number {
            const BYTES: usize = size_of::<$number>();

            fn read(bytes: &[u8]) -> Self {
                Self::from_ne_bytes(bytes.try_into().expect("the bytes of a number"))
            }

            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_ne_bytes());
            }

            fn conjugate(self) -> Self {
                self
            }
        }
    )*};
}

real! { f32 f64 }

/// An integer that wraps around, as C's unsigned ones and Fortran's in practice.
#[derive(Clone, Copy, Default, PartialEq, PartialOrd)]
pub struct Wrapping<T>(T);

macro_rules! integers {
    ($($number:ty)*) => {$(
        impl Add for Wrapping<$number> {
            type Output = Self;

            fn add(self, other: Self) -> Self {
                Self(self.0.wrapping_add(other.0))
            }
        }

        impl Mul for Wrapping<$number> {
            type Output = Self;

            fn mul(self, other: Self) -> Self {
                Self(self.0.wrapping_mul(other.0))
            }
        }

        impl Number for Wrapping<$number> {
            const BYTES: usize = size_of::<$number>();

            fn read(bytes: &[u8]) -> Self {
                Self(<$number>::from_ne_bytes(bytes.try_into().expect("the bytes of a number")))
            }

            fn write(self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.0.to_ne_bytes());
            }

            fn conjugate(self) -> Self {
                self
            }
        }
    )*};
}

integers! { i32 i64 }

/// A complex number: its real part, then its imaginary part.
#[derive(Clone, Copy, Default, PartialEq)]
pub struct Complex<T>(T, T);

impl<T: Add<Output = T>> Add for Complex<T> {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0 + other.0, self.1 + other.1)
    }
}

impl<T: Copy + Add<Output = T> + Mul<Output = T> + Neg<Output = T>> Mul for Complex<T> {
    type Output = Self;

    fn mul(self, Self(re, im): Self) -> Self {
        Self(self.0 * re + -(self.1 * im), self.0 * im + self.1 * re)
    }
}

impl<T: Number + Neg<Output = T>> Number for Complex<T> {
    const BYTES: usize = 2 * T::BYTES;

    fn read(bytes: &[u8]) -> Self {
        let (re, im) = bytes.split_at(T::BYTES);
        Self(T::read(re), T::read(im))
    }

    fn write(self, bytes: &mut [u8]) {
        let (re, im) = bytes.split_at_mut(T::BYTES);
        self.0.write(re);
        self.1.write(im);
    }

    fn conjugate(self) -> Self {
        Self(self.0, -self.1)
    }
}

/// α and β, each one element's bytes, and whether the conjugate arrives: α op(A) + β B.
#[derive(Clone, Debug)]
pub struct Scaling {
    /// α and β.
    pub factors: [Vec<u8>; 2],
    /// `true` if the complex conjugate arrives.
    pub conjugates: bool,
}

impl Scaling {
    /// Returns the function of [`scaled`].
    pub fn of(&self, element: AnyElement) -> Option<OfRuns> {
        scaled(element, self.factors.each_ref().map(Vec::as_slice), self.conjugates)
    }
}

/// A function of runs: arrived elements, and as many kept ones.
pub type OfRuns = Box<dyn FnMut(&[u8], &mut [u8])>;

/// Returns a function that stores α times what arrives, or its conjugate, plus β times what is kept.
/// `alpha` and `beta` have the bytes of an element. `None` for elements that are no such numbers.
pub fn scaled(element: AnyElement, [alpha, beta]: [&[u8]; 2], conjugates: bool) -> Option<OfRuns> {
    Some(match element.name().rsplit("::").next()? {
        "f32" => of::<f32>(alpha, beta, false),
        "f64" => of::<f64>(alpha, beta, false),
        "i32" => of::<Wrapping<i32>>(alpha, beta, false),
        "i64" => of::<Wrapping<i64>>(alpha, beta, false),
        "Complex<f32>" => of::<Complex<f32>>(alpha, beta, conjugates),
        "Complex<f64>" => of::<Complex<f64>>(alpha, beta, conjugates),
        _ => return None,
    })
}

fn of<T: Number>(alpha: &[u8], beta: &[u8], conjugates: bool) -> OfRuns {
    let function = scale_add(T::read(alpha), T::read(beta));
    Box::new(move |arrived, kept| {
        let pairs = arrived.chunks_exact(T::BYTES).zip(kept.chunks_exact_mut(T::BYTES));
        for (arrived, kept) in pairs {
            let (mut number, arrived) = (T::read(kept), T::read(arrived));
            function(if conjugates { arrived.conjugate() } else { arrived }, &mut number);
            number.write(kept);
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str) -> Option<AnyElement> {
        AnyElement::named(name)
    }

    fn bytes<const N: usize>(parts: [f64; N]) -> Vec<u8> {
        parts.iter().flat_map(|part| part.to_ne_bytes()).collect()
    }

    #[test]
    fn complex_numbers_are_scaled_and_conjugated() {
        let (alpha, beta) = (bytes([1.0, 2.0]), bytes([0.0, 1.0]));
        for (conjugates, expected) in [(false, [-9.0, 13.0]), (true, [7.0, 5.0])] {
            let mut kept = bytes([3.0, 4.0]);
            let function = scaled(named("c64").unwrap(), [&alpha, &beta], conjugates);
            function.unwrap()(&bytes([3.0, 4.0]), &mut kept);
            assert_eq!(kept, bytes(expected), "{conjugates}");
        }
    }

    #[test]
    fn integers_wrap_around_and_bytes_are_no_numbers() {
        let number = |value: i32| value.to_ne_bytes();
        let mut kept = number(i32::MAX);
        let function = scaled(named("i32").unwrap(), [&number(1), &number(1)], false);
        function.unwrap()(&number(1), &mut kept);
        assert_eq!(kept, number(i32::MIN));
        assert!(scaled(AnyElement::of_bytes(8).unwrap(), [&[0; 8]; 2], false).is_none());
    }
}
