//! Widths of text in fonts that a browser may have.

/// Height of the font of headings, in pixels.
pub const HEADING: f64 = 16.0;
/// Height of the font of text, in pixels.
pub const BODY: f64 = 12.5;
/// Height of the font of labels, in pixels.
pub const SMALL: f64 = 10.5;

/// Width of a digit in heights of its font: 0.56 in Helvetica, 0.64 in DejaVu Sans.
const DIGIT: f64 = 0.62;
/// Width of a letter, on average, in the same fonts: 0.48 and 0.53.
const LETTER: f64 = 0.54;

pub fn width_of(number: &str, size: f64) -> f64 {
    number.chars().count() as f64 * DIGIT * size
}

pub fn width_of_words(words: &str, size: f64) -> f64 {
    words.chars().count() as f64 * LETTER * size
}

/// Breaks a text into at most `most` lines; the rest ends in an ellipsis.
pub fn wrapped(text: &str, size: f64, width: f64, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("it begins with a line");
        if line.is_empty() {
            line.push_str(word);
        } else if width_of_words(line, size) + width_of_words(word, size) + LETTER * size <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    let cut = lines.len() > most;
    lines.truncate(most);
    for (number, line) in lines.iter_mut().enumerate() {
        let left = (width / (LETTER * size)) as usize;
        if line.chars().count() > left || (cut && number + 1 == most) {
            *line = line.chars().take(left.saturating_sub(2)).chain(['…']).collect();
        }
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_broken_and_cut() {
        let lines = wrapped("a layout of gen_block([1, 2, 3]) and so on and on", 10.0, 120.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…'), "{lines:?}");
        assert!(wrapped(&"x".repeat(500), 10.0, 100.0, 3)[0].chars().count() < 20);
    }
}
