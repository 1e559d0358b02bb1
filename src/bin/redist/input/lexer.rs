use super::depth::{self, MAX_DEPTH};
use super::report::{Texts, snippet};
use crate::failure::CommandFailure;
use proc_macro2::{Span, TokenStream};

pub fn tokens(texts: &mut Texts, name: &str, text: &str) -> Result<TokenStream, CommandFailure> {
    match text.parse::<TokenStream>() {
        Ok(tokens) => {
            texts.add(name, text, &tokens);
            check_depth(texts, depth::too_deep_in_groups(tokens.clone()))?;
            Ok(tokens)
        }
        Err(error) => {
            let at = error.span().byte_range().start;
            let found = text[at..].chars().next().filter(|found| *found != '\n');
            let end = at + found.map_or(0, char::len_utf8);
            Err(CommandFailure::InputOptions(snippet(&message(found), name, text, at..end)))
        }
    }
}

pub fn check_depth(texts: &Texts, found: Option<Span>) -> Result<(), CommandFailure> {
    found.map_or(Ok(()), |span| {
        let message = format!("this is nested more than {MAX_DEPTH} deep");
        Err(CommandFailure::InputOptions(texts.report(&[syn::Error::new(span, message)])))
    })
}

fn message(found: Option<char>) -> String {
    let Some(found) = found else { return "the text ends too early".into() };
    match found {
        '(' | '[' | '{' => format!("this `{found}` is never closed"),
        ')' | ']' | '}' => format!("this `{found}` closes nothing that is open here"),
        '"' | '\'' => format!("what begins with this {found} has no end, or stands for nothing"),
        '0'..='9' => "this is no number".into(),
        _ => format!("`{found}` has no meaning here"),
    }
}
