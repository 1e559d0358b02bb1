//! Words, numbers and widths of the command's text.

use std::io::stdout;
use terminal_size::{Width, terminal_size_of};

/// The most columns of a line: longer ones are hard to read.
pub const WIDEST: usize = 100;

/// The least columns of a line, on narrower terminals, too.
const NARROWEST: usize = 40;

/// Keeps a number and its unit on one line; a plain space replaces it at last.
pub const TIE: char = '\u{a0}';

/// Columns of the terminal, if standard output is a terminal; otherwise the value of `COLUMNS`.
pub fn columns() -> Option<usize> {
    let terminal = terminal_size_of(stdout()).map(|(Width(columns), _)| usize::from(columns));
    terminal
        .or_else(|| std::env::var("COLUMNS").ok()?.parse().ok())
        .map(|columns| columns.max(NARROWEST))
}

pub fn width() -> usize {
    columns().map_or(WIDEST, |columns| columns.min(WIDEST))
}

pub fn number(number: usize) -> String {
    in_groups(&number.to_string())
}

fn in_groups(digits: &str) -> String {
    let groups = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy);
    groups.collect::<Vec<_>>().join("_")
}

pub fn grouped(text: &str) -> String {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length =
            rest.find(|character| is_word(character) != is_word(first)).unwrap_or(rest.len());
        let (part, after) = rest.split_at(length);
        // Behind a point, but not behind two, are the decimals of a fraction.
        let decimals = result.ends_with('.') && !result.ends_with("..");
        match part.bytes().all(|byte| byte.is_ascii_digit()) && !decimals {
            true => result += &in_groups(part),
            false => result += part,
        }
        rest = after;
    }
    result
}

pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", number(count), if count == 1 { "" } else { "s" })
}

pub fn elements(count: usize, bytes: Option<usize>) -> String {
    let elements = counted(count, "element");
    match bytes.and_then(|bytes| count.checked_mul(bytes)) {
        Some(bytes) => format!("{elements} ({})", self::bytes(bytes)),
        None => elements,
    }
}

pub fn bytes(bytes: usize) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let (mut amount, mut unit) = (bytes as f64 / 1024.0, 0);
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        (amount, unit) = (amount / 1024.0, unit + 1);
    }
    if bytes < 10_240 {
        counted(bytes, "byte").replace(' ', &TIE.to_string())
    } else {
        format!("{amount:.1}{TIE}{}", UNITS[unit])
    }
}

pub fn product(extents: &[usize]) -> String {
    extents.iter().map(|extent| number(*extent)).collect::<Vec<_>>().join(" x ")
}

/// Writes a heading and a paragraph, in lines of [`width`] columns, indented by the heading.
pub fn paragraph(heading: &str, text: &str) -> String {
    filled(heading, &grouped(text), width())
}

pub fn filled(heading: &str, text: &str, width: usize) -> String {
    let indent = " ".repeat(heading.chars().count());
    let (mut lines, mut line) = (String::new(), heading.to_owned());
    for word in text.split([' ', '\n']).filter(|word| !word.is_empty()) {
        let begins = line.chars().count() == indent.len();
        if !begins && line.chars().count() + 1 + word.chars().count() > width {
            lines += &format!("{}\n", line.trim_end());
            line = format!("{indent}{word}");
        } else {
            line += if begins { "" } else { " " };
            line += word;
        }
    }
    (lines + line.trim_end() + "\n").replace(TIE, " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read_and_all_written_alike() {
        assert_eq!(
            [0, 999, 9999, 10_000, 1_234_567].map(number),
            ["0", "999", "9_999", "10_000", "1_234_567"]
        );
        assert_eq!((counted(1, "step"), counted(2, "step")), ("1 step".into(), "2 steps".into()));
        let plain = |bytes: usize| self::bytes(bytes).replace(TIE, " ");
        assert_eq!(
            [1, 8024, 10_240, 3 << 30].map(plain),
            ["1 byte", "8_024 bytes", "10.0 KiB", "3.0 GiB"]
        );
        assert_eq!(elements(3, None), "3 elements");
        assert_eq!(elements(1200, Some(8)).replace(TIE, " "), "1_200 elements (9_600 bytes)");
    }

    #[test]
    fn numbers_in_a_text_are_written_like_all_others() {
        assert_eq!(
            grouped("of 17568 to 3904 in 126: 44810.2401 ms"),
            "of 17_568 to 3_904 in 126: 44_810.2401 ms"
        );
        assert_eq!(
            grouped("gen_block([1000, 2]): ranks 0..1000000"),
            "gen_block([1_000, 2]): ranks 0..1_000_000"
        );
        assert_eq!(
            grouped("Tiles2048 of f64, 12_345, kr→r5000, 2⁶³"),
            "Tiles2048 of f64, 12_345, kr→r5000, 2⁶³"
        );
    }
}
