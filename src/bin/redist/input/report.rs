//! Reports errors with the lines that they are about.

use crate::words::counted;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use proc_macro2::{Span, TokenStream};
use std::ops::Range;

/// Most errors that are printed.
const MAX_ERRORS: usize = 20;

/// The most columns of a line of a text that are shown.
const SHOWN: usize = 400;

/// Texts that tokens come from.
#[derive(Default)]
pub struct Texts(Vec<Text>);

/// One text.
struct Text {
    /// The lexer's name, which spans have.
    file: String,
    /// The user's name of it.
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
            Some(text) => snippet(&message, &text.name, &text.text, span.byte_range()),
            // A token that is missing at the very end has no place.
            None => self.0.first().map_or_else(
                || format!("error: {message}"),
                |Text { name, text, .. }| {
                    let end = text.trim_end().len();
                    snippet(&message, name, text, end..end)
                },
            ),
        }
    }
}

pub fn is_in_text(span: Span) -> bool {
    span.file() != Span::call_site().file()
}

/// Marks a range of a text, or of several lines the first.
pub fn snippet(message: &str, name: &str, text: &str, range: Range<usize>) -> String {
    let line = text[range.clone()].lines().next().unwrap_or_default().trim_end();
    let place = AnnotationKind::Primary.span(range.start..range.start + line.len());
    let snippet = Snippet::source(text).path(name).annotation(place);
    let report = [Level::ERROR.primary_title(message).element(snippet)];
    let lines = Renderer::plain().term_width(SHOWN).render(&report);
    lines.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_marks_end_with_their_line() {
        let found = snippet("wrong", "x", "b\na {  \n}", 4..8);
        assert_eq!(found, "error: wrong\n --> x:2:3\n  |\n2 | a {\n  |   ^");
    }

    #[test]
    fn of_long_lines_a_part_is_shown() {
        let text = format!("{}x{}", "a".repeat(1000), "b".repeat(1000));
        let found = snippet("wrong", "x", &text, 1000..1001);
        assert!(found.contains("--> x:1:1001") && found.contains("aaxbb"), "{found}");
        assert!(found.lines().all(|line| line.chars().count() <= SHOWN), "{found}");
    }
}
