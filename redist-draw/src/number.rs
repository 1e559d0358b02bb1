//! Writes numbers for people.

/// Groups digits in threes; from 10¹² on a power of two or of ten, or four significant digits.
pub fn grouped(number: u128) -> String {
    const LARGE: u128 = 1_000_000_000_000;
    match number {
        _ if number < LARGE => with_spaces(&number.to_string()),
        _ if number.is_power_of_two() => format!("2{}", superscript(number.ilog2())),
        _ if (number + 1).is_power_of_two() => {
            format!("2{} − 1", superscript((number + 1).ilog2()))
        }
        _ => {
            let exponent = number.ilog10();
            let digits = number / 10u128.pow(exponent - 3);
            let sign = if digits * 10u128.pow(exponent - 3) == number { "" } else { "≈ " };
            format!("{sign}{}.{:03} × 10{}", digits / 1000, digits % 1000, superscript(exponent))
        }
    }
}

pub fn counted(number: u128, noun: &str) -> String {
    format!("{} {noun}{}", grouped(number), if number == 1 { "" } else { "s" })
}

fn with_spaces(digits: &str) -> String {
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push('\u{2009}');
        }
        text.push(digit);
    }
    text
}

fn superscript(number: u32) -> String {
    const DIGITS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    number.to_string().bytes().map(|digit| DIGITS[usize::from(digit - b'0')]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        assert_eq!(
            (grouped(0), grouped(2048), grouped(12345)),
            ("0".into(), "2\u{2009}048".into(), "12\u{2009}345".into())
        );
        assert_eq!((grouped(1 << 40), grouped((1 << 63) - 1)), ("2⁴⁰".into(), "2⁶³ − 1".into()));
        assert_eq!(grouped(1_500_000_000_000), "1.500 × 10¹²");
        assert_eq!(grouped(1_500_100_000_000), "≈ 1.500 × 10¹²");
        assert_eq!(
            (counted(1, "piece"), counted(0, "piece")),
            ("1 piece".into(), "0 pieces".into())
        );
    }
}
