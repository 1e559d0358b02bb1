//! The macro's errors for wrong input, word for word, in the compiler's renderer. `redist-notation`
//! reads the inputs of `tests/macro/ui/macro`; `tests/macro/ui` compiles some.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};
use proc_macro2::{TokenStream, TokenTree};
use redist_notation::parse::{self, Parsed};
use std::fs;
use std::path::{Path, PathBuf};

/// `#[derive(Element)]` is a part only of the macro.
const DERIVED: &str = "50_element";

fn calls(tokens: TokenStream) -> Vec<TokenStream> {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut found = Vec::new();
    for (at, token) in tokens.iter().enumerate() {
        let TokenTree::Group(group) = token else { continue };
        let is_call = at >= 2 && tokens[at - 2].to_string() == "redistribute";
        match is_call && tokens[at - 1].to_string() == "!" {
            true => found.push(group.stream()),
            false => found.extend(calls(group.stream())),
        }
    }
    found
}

fn errors(parsed: Parsed) -> Vec<syn::Error> {
    let Parsed { item, mut diagnostics } = parsed;
    if let Some(item) = item {
        let whole = diagnostics.is_empty();
        let (item, _) = redist_notation::understand(item, whole, &mut diagnostics);
        redist_notation::check::undeclared(&item, &mut diagnostics);
    }
    diagnostics.finish().err().into_iter().flatten().collect()
}

fn shown(error: &syn::Error, path: &str, text: &str) -> String {
    let place = AnnotationKind::Primary.span(error.span().byte_range());
    let snippet = Snippet::source(text).path(path).annotation(place);
    let message = error.to_string();
    let report = [Level::ERROR.primary_title(message).element(snippet)];
    Renderer::plain().render(&report)
}

fn said(path: &str, text: &str) -> String {
    let tokens: TokenStream = text.parse().expect("tokens");
    let items = calls(tokens).into_iter().flat_map(parse::call);
    let all: Vec<String> =
        items.flat_map(errors).map(|error| shown(&error, path, text) + "\n").collect();
    all.join("\n")
}

fn inputs() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/macro/ui/macro");
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut inputs: Vec<PathBuf> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "rs"))
        .filter(|path| path.file_stem().is_some_and(|stem| stem != DERIVED))
        .collect();
    inputs.sort();
    inputs
}

#[test]
fn mistakes_are_told_word_for_word_and_place_for_place() {
    let inputs = inputs();
    assert!(inputs.len() > 50, "only {} inputs", inputs.len());
    let differing: Vec<String> = inputs
        .iter()
        .filter_map(|input| {
            let (name, text) = (input.file_name().unwrap(), fs::read_to_string(input).unwrap());
            let found = said(&format!("macro/{}", name.display()), &text);
            let expected = fs::read_to_string(input.with_extension("stderr")).unwrap_or_default();
            (found != expected).then(|| format!("{name:?} says\n{found}\nand not\n{expected}"))
        })
        .collect();
    assert!(differing.is_empty(), "{}", differing.join("\n"));
}
