use crate::failure::CommandFailure;
use std::fs;
use std::io::{self, Read};
use std::path::Path;

pub struct Origin {
    pub name: String,
    pub text: String,
}

/// Reads standard input for `-`, and a file that exists; other arguments are the text.
pub fn read(argument: &str) -> Result<Origin, CommandFailure> {
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
