//! Reads the text of a description, and cuts it into tokens.

use super::depth::{self, MAX_DEPTH};
use super::refusal::Refusal;
use super::report::{Mistakes, Place, Texts};
use crate::failure::CommandFailure;
use proc_macro2::{Span, TokenStream};
use std::fs;
use std::io::{self, Read};
use std::path::Path;

pub fn tokens(texts: &mut Texts, name: &str, text: &str) -> Result<TokenStream, Refusal> {
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
            Err(Mistakes::one(message(found), Place::new(name, text, at..end)).into())
        }
    }
}

pub fn check_depth(texts: &Texts, found: Option<Span>) -> Result<(), Refusal> {
    found.map_or(Ok(()), |span| {
        let message = format!("this is nested more than {MAX_DEPTH} deep");
        Err(texts.mistakes(&[syn::Error::new(span, message)]).into())
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

/// A text, and its name in messages.
pub struct Origin {
    pub name: String,
    pub text: String,
}

/// Reads standard input for `-`, and a file that exists; other arguments are the text.
pub fn origin(argument: &str) -> Result<Origin, CommandFailure> {
    let unreadable = |name: &str, error: io::Error| {
        CommandFailure::InputOptions(format!("error: {name}: {error}"))
    };
    let (name, text) = if argument == "-" {
        let mut text = String::new();
        let read = io::stdin().read_to_string(&mut text);
        read.map_err(|error| unreadable("standard input", error))?;
        ("standard input", text)
    } else if Path::new(argument).is_file() {
        (argument, fs::read_to_string(argument).map_err(|error| unreadable(argument, error))?)
    } else if argument.contains(['[', '{', '!']) {
        ("command line", argument.to_owned())
    } else {
        return Err(CommandFailure::InputOptions(format!(
            "error: {argument}: neither a file nor a redistribution, such as \
             '[f64; 1003] {{ from: cyclic(10) onto 3, to: cyclic(2) onto 3 }}'"
        )));
    };
    // The lexer leaves it out, too, and counts from what follows.
    Ok(Origin { name: name.to_owned(), text: text.trim_start_matches('\u{feff}').to_owned() })
}
