//! Reports errors with the lines that they are about.

use crate::words::counted;
use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use proc_macro2::{Span, TokenStream};
use std::fmt::{self, Display, Formatter};
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

    /// Finds the places of the first errors, and counts the rest.
    pub fn mistakes(&self, errors: &[syn::Error]) -> Mistakes {
        let first = errors.iter().take(MAX_ERRORS).map(|error| self.one(error)).collect();
        Mistakes { first, more: errors.len().saturating_sub(MAX_ERRORS) }
    }

    fn one(&self, error: &syn::Error) -> Mistake {
        let span = error.span();
        let place = match self.0.iter().find(|text| text.file == span.file()) {
            Some(text) => Some(Place::new(&text.name, &text.text, span.byte_range())),
            // A token that is missing at the very end has no place.
            None => self.0.first().map(|Text { name, text, .. }| {
                let end = text.trim_end().len();
                Place::new(name, text, end..end)
            }),
        };
        Mistake { message: error.to_string(), place }
    }
}

/// Mistakes of a description.
#[derive(Clone, Debug)]
pub struct Mistakes {
    /// The first ones.
    pub first: Vec<Mistake>,
    /// Number of all further ones.
    pub more: usize,
}

/// One mistake.
#[derive(Clone, Debug)]
pub struct Mistake {
    pub message: String,
    /// The words that are wrong, if any are.
    pub place: Option<Place>,
}

/// Words of a text.
#[derive(Clone, Debug)]
pub struct Place {
    /// The user's name of the text.
    pub name: String,
    pub text: String,
    /// The words, in bytes of the text; of several lines, those of the first.
    pub range: Range<usize>,
}

impl Place {
    pub fn new(name: &str, text: &str, range: Range<usize>) -> Self {
        let line = text[range.clone()].lines().next().unwrap_or_default().trim_end();
        let range = range.start..range.start + line.len();
        Place { name: name.to_owned(), text: text.to_owned(), range }
    }
}

impl Mistakes {
    pub fn one(message: String, place: Place) -> Self {
        Mistakes { first: vec![Mistake { message, place: Some(place) }], more: 0 }
    }
}

impl Display for Mistakes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let told = self.first.iter().map(ToString::to_string);
        let more =
            (self.more > 0).then(|| format!("error: {} besides", counted(self.more, "mistake")));
        f.write_str(&told.chain(more).collect::<Vec<_>>().join("\n\n"))
    }
}

impl Display for Mistake {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Some(Place { name, text, range }) = &self.place else {
            return write!(f, "error: {}", self.message);
        };
        let place = AnnotationKind::Primary.span(range.clone());
        let snippet = Snippet::source(text).path(name).annotation(place);
        let report = [Level::ERROR.primary_title(&self.message).element(snippet)];
        let lines = Renderer::plain().term_width(SHOWN).render(&report);
        f.write_str(&lines.lines().map(str::trim_end).collect::<Vec<_>>().join("\n"))
    }
}

pub fn is_in_text(span: Span) -> bool {
    span.file() != Span::call_site().file()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snippet(message: &str, name: &str, text: &str, range: Range<usize>) -> String {
        Mistakes::one(message.to_owned(), Place::new(name, text, range)).to_string()
    }

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
