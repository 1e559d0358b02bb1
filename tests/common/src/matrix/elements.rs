//! Elements of the feature matrix, each made of a number.

use crate::written::Numbered;
use half::f16;
use num_complex::Complex;
use redist::{Element, Plain};

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
pub struct Particle {
    place: [f64; 3],
    mass: f32,
    kind: char,
    charged: bool,
    rest: [u8; 7],
}

#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(C, packed)]
pub struct Sample(u8, f32);

// SAFETY: both fields are numbers, of which zeros are values.
unsafe impl bytemuck::Zeroable for Sample {}
// SAFETY: any bytes are numbers, which both fields are, and a packed struct has no padding.
unsafe impl bytemuck::Pod for Sample {}

macro_rules! numbered {
    ($($element:ty: $number:ident => $value:expr;)*) => {$(
        impl Numbered for $element {
            fn numbered($number: usize) -> Self {
                $value
            }
        }
    )*};
}

numbered! {
    u64: number => number as u64;
    u32: number => number as u32;
    Particle: number => Particle {
        place: [number as f64, 0.5, -1.0],
        mass: number as f32,
        kind: char::from_u32(0xe000 + number as u32).unwrap_or('?'),
        charged: number.is_multiple_of(5),
        rest: [number as u8; 7],
    };
    f16: number => f16::from_f32(number as f32);
    Complex<f64>: number => Complex::new(number as f64, -1.0);
    Plain<Sample>: number => Plain(Sample(number as u8, number as f32));
    [u8; 5]: number => [number as u8, (number >> 8) as u8, 7, 0, !(number as u8)];
    [u64; 9]: number => core::array::from_fn(|part| (number + part) as u64);
}
