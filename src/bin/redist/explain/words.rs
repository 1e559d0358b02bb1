//! Numbers and lines for people.

/// Columns of a line at most.
pub const WIDTH: usize = 100;

/// `1_234_567`, as Rust writes it.
pub fn number(number: usize) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let groups: Vec<String> =
        digits.as_bytes().rchunks(3).rev().map(|group| String::from_utf8_lossy(group).into_owned()).collect();
    groups.join("_")
}

/// `1 element`, `2 elements`.
pub fn counted(count: usize, noun: &str) -> String {
    format!("{} {noun}{}", number(count), if count == 1 { "" } else { "s" })
}

/// `8 elements (64 bytes)`; the bytes where the size of an element is known.
pub fn elements(count: usize, bytes: Option<usize>) -> String {
    let elements = counted(count, "element");
    match bytes.and_then(|bytes| count.checked_mul(bytes)) {
        Some(bytes) => format!("{elements} ({})", self::bytes(bytes)),
        None => elements,
    }
}

/// `64 bytes`, `1.5 MiB`.
pub fn bytes(bytes: usize) -> String {
    const UNITS: [&str; 6] = ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"];
    let (mut amount, mut unit) = (bytes as f64 / 1024.0, 0);
    while amount >= 1024.0 && unit + 1 < UNITS.len() {
        (amount, unit) = (amount / 1024.0, unit + 1);
    }
    if bytes < 10_240 { counted(bytes, "byte") } else { format!("{amount:.1} {}", UNITS[unit]) }
}

/// `2 x 3`.
pub fn product(extents: &[usize]) -> String {
    extents.iter().map(|extent| number(*extent)).collect::<Vec<_>>().join(" x ")
}

/// A paragraph behind a heading: lines after the first are indented as far as the heading goes.
pub fn paragraph(heading: &str, text: &str) -> String {
    let indent = " ".repeat(heading.chars().count());
    let (mut lines, mut line) = (String::new(), heading.to_owned());
    for word in text.split_whitespace() {
        let begins = line.chars().count() == indent.len();
        if !begins && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines += &format!("{}\n", line.trim_end());
            line = format!("{indent}{word}");
        } else {
            line += if begins { "" } else { " " };
            line += word;
        }
    }
    lines + line.trim_end() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([0, 9999, 10_000, 1_234_567].map(number), ["0", "9999", "10_000", "1_234_567"]);
        assert_eq!((counted(1, "step"), counted(2, "step")), ("1 step".into(), "2 steps".into()));
        assert_eq!([8024, 10_240, 3 << 30].map(bytes), ["8024 bytes", "10.0 KiB", "3.0 GiB"]);
        assert_eq!((elements(3, Some(8)), elements(3, None)), ("3 elements (24 bytes)".into(), "3 elements".into()));
    }

    #[test]
    fn paragraphs_keep_to_the_width() {
        let text = "word ".repeat(60);
        let lines = paragraph("  head  ", &text);
        assert!(lines.lines().all(|line| line.chars().count() <= WIDTH), "{lines}");
        assert!(lines.lines().skip(1).all(|line| line.starts_with("        word")), "{lines}");
        assert_eq!(lines.matches("word").count(), 60);
    }
}
