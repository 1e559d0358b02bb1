//! The same transform without any distribution, in double precision.

use landscape::Fallible;
use rustfft::FftPlanner;
use rustfft::num_complex::{Complex32, Complex64};
use transpose::transpose;

/// Noise around 0, all coefficients of which are about as large.
pub fn noise([row, column]: [usize; 2]) -> Complex32 {
    let mixed = mix((row as u64) << 32 | column as u64);
    let part = |bits: u64| (bits & 0xff_ffff) as f32 / (1 << 24) as f32 - 0.5;
    Complex32::new(part(mixed), part(mixed >> 32))
}

/// The finaliser of SplitMix64.
fn mix(number: u64) -> u64 {
    let mut mixed = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ mixed >> 31
}

pub fn transformed([height, width]: [usize; 2]) -> Vec<Complex64> {
    let number = |place: usize| noise([place / width, place % width]);
    let mut rows: Vec<Complex64> = (0..height * width)
        .map(number)
        .map(|number| Complex64::new(number.re.into(), number.im.into()))
        .collect();
    let mut columns = rows.clone();
    let mut planner = FftPlanner::new();
    planner.plan_fft_forward(width).process(&mut rows);
    transpose(&rows, &mut columns, width, height);
    planner.plan_fft_forward(height).process(&mut columns);
    transpose(&columns, &mut rows, height, width);
    rows
}

pub fn largest_error(found: &[Complex32], expected: &[Complex64]) -> Fallible<f64> {
    if found.len() != expected.len() {
        let (found, expected) = (found.len(), expected.len());
        return Err(format!("{found} coefficients instead of {expected}").into());
    }
    let error = |(found, expected): (&Complex32, &Complex64)| {
        (Complex64::new(found.re.into(), found.im.into()) - expected).norm()
    };
    let errors = found.iter().zip(expected).map(error);
    let largest = expected.iter().map(|coefficient| coefficient.norm()).fold(0.0, f64::max);
    Ok(errors.fold(0.0, greater) / largest)
}

fn greater(one: f64, other: f64) -> f64 {
    if one >= other || one.is_nan() { one } else { other }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    fn coefficient([height, width]: [usize; 2], [row, column]: [usize; 2]) -> Complex64 {
        let mut sum = Complex64::ZERO;
        for place in 0..height * width {
            let (y, x) = (place / width, place % width);
            let turns = (row * y) as f64 / height as f64 + (column * x) as f64 / width as f64;
            let number = noise([y, x]);
            sum +=
                Complex64::new(number.re.into(), number.im.into()) * Complex64::cis(-TAU * turns);
        }
        sum
    }

    #[test]
    fn coefficients_are_those_of_the_definition() {
        let extents = [6, 10];
        for (place, found) in transformed(extents).into_iter().enumerate() {
            let expected = coefficient(extents, [place / 10, place % 10]);
            assert!((found - expected).norm() < 1e-12, "{place}: {found} is not {expected}");
        }
    }

    #[test]
    fn an_error_is_found_wherever_it_is() {
        let expected = transformed([6, 10]);
        let single = |number: &Complex64| Complex32::new(number.re as f32, number.im as f32);
        let right: Vec<Complex32> = expected.iter().map(single).collect();
        assert!(largest_error(&right, &expected).unwrap() < 1e-6);
        for place in 0..60 {
            let mut wrong = right.clone();
            wrong.swap(place, (place + 1) % 60);
            assert!(largest_error(&wrong, &expected).unwrap() > 1e-3, "{place}");
            let mut unknown = right.clone();
            unknown[place].im = f32::NAN;
            assert!(largest_error(&unknown, &expected).unwrap().is_nan(), "{place}");
        }
        assert!(largest_error(&right[1..], &expected).is_err());
    }
}
