use super::depth::{self, MAX_DEPTH};
use super::report::{Texts, snippet};
use crate::failure::CommandFailure;
use proc_macro2::{LineColumn, Span, TokenStream};

pub fn tokens(texts: &mut Texts, name: &str, text: &str) -> Result<TokenStream, CommandFailure> {
    match text.parse::<TokenStream>() {
        Ok(tokens) => {
            texts.add(name, text, &tokens);
            check_depth(texts, depth::too_deep_in_groups(tokens.clone()))?;
            Ok(tokens)
        }
        Err(error) => {
            let at = error.span().start();
            let end = LineColumn { column: at.column + 1, ..at };
            Err(CommandFailure::InputOptions(snippet(&message(text, at), name, text, at, end)))
        }
    }
}

pub fn check_depth(texts: &Texts, found: Option<Span>) -> Result<(), CommandFailure> {
    found.map_or(Ok(()), |span| {
        let message = format!("this is nested more than {MAX_DEPTH} deep");
        Err(CommandFailure::InputOptions(texts.report(&[syn::Error::new(span, message)])))
    })
}

fn message(text: &str, at: LineColumn) -> String {
    let line = text.lines().nth(at.line.saturating_sub(1)).unwrap_or_default();
    let Some(found) = line.chars().nth(at.column) else { return "the text ends too early".into() };
    match found {
        '(' | '[' | '{' => format!("this `{found}` is never closed"),
        ')' | ']' | '}' => format!("this `{found}` closes nothing that is open here"),
        '"' | '\'' => format!("what begins with this {found} has no end, or stands for nothing"),
        '0'..='9' => "this is no number".into(),
        _ => format!("`{found}` has no meaning here"),
    }
}
