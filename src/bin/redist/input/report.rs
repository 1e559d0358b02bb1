use crate::words::counted;
use proc_macro2::{LineColumn, Span, TokenStream};
use unicode_width::UnicodeWidthChar;

const TAB: &str = "    ";

const MAX_ERRORS: usize = 20;

/// The most characters of a line, and the most of them before the mark.
const SHOWN: usize = 400;
const SHOWN_BEFORE: usize = 80;

#[derive(Default)]
pub struct Texts(Vec<Text>);

struct Text {
    /// The lexer's name, which spans have.
    file: String,
    name: String,
    text: String,
}

impl Texts {
    /// Adds the text that the lexer has just turned into `tokens`.
    pub fn add(&mut self, name: &str, text: &str, tokens: &TokenStream) {
        let file =
            tokens.clone().into_iter().next().map_or_else(String::new, |token| token.span().file());
        self.0.push(Text { file, name: name.to_owned(), text: text.to_owned() });
    }

    /// Describes the first errors, each with its line, and counts the rest.
    pub fn report(&self, errors: &[syn::Error]) -> String {
        let told = errors.iter().take(MAX_ERRORS).map(|error| self.one(error));
        let more = errors.len().saturating_sub(MAX_ERRORS);
        let more = (more > 0).then(|| format!("error: {} besides", counted(more, "mistake")));
        told.chain(more).collect::<Vec<_>>().join("\n\n")
    }

    fn one(&self, error: &syn::Error) -> String {
        let (span, message) = (error.span(), error.to_string());
        match self.0.iter().find(|text| text.file == span.file()) {
            Some(text) => snippet(&message, &text.name, &text.text, span.start(), span.end()),
            // A token that is missing at the very end has no place.
            None => self.0.first().map_or_else(
                || format!("error: {message}"),
                |text| snippet(&message, &text.name, &text.text, end(&text.text), end(&text.text)),
            ),
        }
    }
}

pub fn is_in_text(span: Span) -> bool {
    span.file() != Span::call_site().file()
}

fn end(text: &str) -> LineColumn {
    let text = text.trim_end();
    let last = text.rsplit('\n').next().unwrap_or_default();
    LineColumn { line: text.matches('\n').count() + 1, column: last.chars().count() }
}

/// Marks `start` to `end` of a text; lines count from 1, columns from 0.
pub fn snippet(
    message: &str,
    name: &str,
    text: &str,
    start: LineColumn,
    end: LineColumn,
) -> String {
    let line = text.lines().nth(start.line.saturating_sub(1)).unwrap_or_default();
    let line: Vec<char> = line.trim_end().chars().collect();
    // Of what goes on for several lines, the first is shown; of a long line, a part.
    let end = if end.line > start.line { line.len() } else { end.column };
    let first = if line.len() > SHOWN { start.column.saturating_sub(SHOWN_BEFORE) } else { 0 };
    let first = first.min(line.len());
    let last = line.len().min(first + SHOWN);
    let part = |from: usize, to: usize| {
        let from = from.clamp(first, last);
        &line[from..to.clamp(from, last)]
    };
    let columns = |part: &[char]| part.iter().copied().map(width).sum::<usize>();
    let (cut, more) = (if first > 0 { "…" } else { "" }, if last < line.len() { "…" } else { "" });
    let before = cut.chars().count() + columns(part(first, start.column));
    let marked = columns(part(start.column, end)).max(1);
    let (indent, carets) = (" ".repeat(before), "^".repeat(marked));
    let shown = part(first, last).iter().collect::<String>().replace('\t', TAB);
    let number = start.line.to_string();
    let margin = " ".repeat(number.len());
    let place = format!("{name}:{}:{}", start.line, start.column + 1);
    format!(
        "error: {message}\n{margin}--> {place}\n{margin} |\n{number} | {cut}{shown}{more}\n{margin} | {indent}{carets}"
    )
}

fn width(character: char) -> usize {
    if character == '\t' { TAB.len() } else { character.width().unwrap_or(0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carets(text: &str, start: (usize, usize), end: (usize, usize)) -> Vec<String> {
        let place = |(line, column)| LineColumn { line, column };
        snippet("wrong", "x", text, place(start), place(end)).lines().map(str::to_owned).collect()
    }

    #[test]
    fn carets_stand_under_the_characters() {
        let found = carets("ab cd\nef gh", (2, 3), (2, 5));
        assert_eq!(found, ["error: wrong", " --> x:2:4", "  |", "2 | ef gh", "  |    ^^"]);
    }

    #[test]
    fn tabs_and_wide_characters_take_their_columns() {
        assert_eq!(carets("\ta b", (1, 3), (1, 4))[3..], ["1 |     a b", "  |       ^"]);
        assert_eq!(carets("行列 b", (1, 3), (1, 4))[3..], ["1 | 行列 b", "  |      ^"]);
        assert_eq!(carets("行列 b", (1, 0), (1, 2))[4], "  | ^^^^");
    }

    #[test]
    fn long_marks_end_with_their_line() {
        assert_eq!(carets("a {  \n}", (1, 2), (2, 1))[3..], ["1 | a {", "  |   ^"]);
    }

    #[test]
    fn of_long_lines_a_part_is_shown() {
        let text = format!("{}x{}", "a".repeat(1000), "b".repeat(1000));
        let found = carets(&text, (1, 1000), (1, 1001));
        assert_eq!(found[1], " --> x:1:1001");
        assert_eq!(found[3], format!("1 | …{}x{}…", "a".repeat(80), "b".repeat(319)));
        assert_eq!(found[4], format!("  | {}^", " ".repeat(81)));
        assert_eq!(
            carets(&text, (1, 1990), (1, 2001))[4],
            format!("  | {}^^^^^^^^^^^", " ".repeat(81))
        );
    }

    #[test]
    fn the_end_is_behind_the_last_character() {
        let place = end("ab\ncd \n\n");
        assert_eq!((place.line, place.column), (2, 2));
    }
}
