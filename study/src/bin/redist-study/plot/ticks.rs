//! Values at which logarithmic axes have labels.

use std::ops::Range;

const MAX_LABELS: usize = 9;

/// Returns powers of ten; powers of two if those are too few; 1, 2 and 5 if these would be long.
pub fn of(range: Range<f64>) -> Vec<f64> {
    let decades = powers(10.0, &range);
    if decades.len() >= 3 {
        return decades;
    }
    if range.end < 1e4 {
        return powers(2.0, &range);
    }
    let wide = range.start / 10.0..range.end;
    let rounded =
        powers(10.0, &wide).into_iter().flat_map(|power| [power, 2.0 * power, 5.0 * power]);
    rounded.filter(|value| range.contains(value)).collect()
}

/// Powers inside the range, evenly thinned out to at most [`MAX_LABELS`].
fn powers(base: f64, range: &Range<f64>) -> Vec<f64> {
    let exponent = |value: f64| value.ln() / base.ln();
    let first = exponent(range.start).ceil() as i32;
    let last = exponent(range.end).floor() as i32;
    let step = (last - first + 1).max(1) as usize;
    (first..=last).step_by(step.div_ceil(MAX_LABELS)).map(|exponent| base.powi(exponent)).collect()
}

pub fn label(value: f64) -> String {
    if (1e-3..1e4).contains(&value) {
        return format!("{value}");
    }
    let exponent = (value.log10() + 1e-9).floor() as i32;
    match (value / 10f64.powi(exponent)).round() as u32 {
        1 => format!("10{}", superscript(exponent)),
        digit => format!("{digit}·10{}", superscript(exponent)),
    }
}

fn superscript(number: i32) -> String {
    let digit = |character: char| match character.to_digit(10) {
        Some(digit) => ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'][digit as usize],
        None => '⁻',
    };
    number.to_string().chars().map(digit).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_axis_is_labelled_by_powers_of_two() {
        assert_eq!(of(1.6..40.0), [2.0, 4.0, 8.0, 16.0, 32.0]);
        assert_eq!(of(0.4..3.0), [0.5, 1.0, 2.0]);
        assert_eq!(of(700.0..40_000.0), [1000.0, 2000.0, 5000.0, 10_000.0, 20_000.0]);
    }

    #[test]
    fn a_long_axis_is_labelled_by_powers_of_ten_that_have_room() {
        assert_eq!(of(5.0..20_000.0), [10.0, 100.0, 1000.0, 10_000.0]);
        assert!(of(1e-9..1e9).len() <= MAX_LABELS);
    }

    #[test]
    fn large_and_small_powers_are_written_as_powers() {
        let labels = [1.0, 0.25, 512.0, 1e4, 5e4, 1e6, 1e-9].map(label);
        assert_eq!(labels, ["1", "0.25", "512", "10⁴", "5·10⁴", "10⁶", "10⁻⁹"]);
    }
}
