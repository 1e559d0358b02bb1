//! Finds names in expressions.

use proc_macro2::{Group, Ident, Spacing, Span, TokenStream, TokenTree};

/// A name in an expression.
pub struct Name {
    /// The name without spaces.
    pub text: String,
    pub span: Span,
}

/// Replaces names. Members (`x.name`), macros and functions are no names.
pub fn replace(
    tokens: TokenStream,
    value: &mut dyn FnMut(&Name) -> Option<TokenStream>,
) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let (mut replaced, mut at) = (TokenStream::new(), 0);
    while at < tokens.len() {
        let end = path_end(&tokens, at);
        let is_member =
            at > 0 && is_punct(&tokens[at - 1], '.') && (at < 2 || !is_punct(&tokens[at - 2], '.'));
        match &tokens[at] {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), replace(group.stream(), value));
                inner.set_span(group.span());
                replaced.extend([TokenTree::Group(inner)]);
                at += 1;
            }
            TokenTree::Ident(first) if !is_member && !is_called(tokens.get(end)) => {
                let name = name(&tokens[at..end], first);
                let unchanged = || tokens[at..end].iter().cloned().collect();
                replaced.extend(value(&name).unwrap_or_else(unchanged));
                at = end;
            }
            other => {
                replaced.extend([other.clone()]);
                at += 1;
            }
        }
    }
    replaced
}

pub fn all(tokens: TokenStream) -> Vec<Name> {
    let mut names = Vec::new();
    replace(tokens, &mut |name| {
        names.push(Name { text: name.text.clone(), span: name.span });
        None
    });
    names
}

fn path_end(tokens: &[TokenTree], at: usize) -> usize {
    let mut end = at + 1;
    while let [TokenTree::Punct(colon), second, TokenTree::Ident(_), ..] =
        &tokens[end.min(tokens.len())..]
        && colon.as_char() == ':'
        && colon.spacing() == Spacing::Joint
        && is_punct(second, ':')
    {
        end += 3;
    }
    end
}

fn name(path: &[TokenTree], first: &Ident) -> Name {
    let text = path.iter().map(ToString::to_string).collect();
    let last = path.last().map_or(first.span(), TokenTree::span);
    Name { text, span: first.span().join(last).unwrap_or(first.span()) }
}

fn is_called(next: Option<&TokenTree>) -> bool {
    match next {
        Some(TokenTree::Group(_)) => true,
        // `f::<T>()` is called, too.
        Some(other) => is_punct(other, '!') || is_punct(other, ':'),
        None => false,
    }
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

/// Returns `false` for an item that is only an array with its clauses.
pub fn is_named(ident: &Ident) -> bool {
    ident.span().source_text().is_none_or(|text| text != "[")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_paths_and_not_members_or_functions() {
        let names = |text: &str| -> Vec<String> {
            let tokens = text.parse().expect("the test's own text has to be Rust tokens");
            all(tokens).into_iter().map(|name| name.text).collect()
        };
        assert_eq!(names("2 * NB + Qr :: NB"), ["NB", "Qr::NB"]);
        assert_eq!(names("(a::b::C, [D])"), ["a::b::C", "D"]);
        assert_eq!(names("f(x) + y.z + g!(w) + 0..n"), ["x", "y", "w", "n"]);
        assert!(names("64 / 2").is_empty());
    }
}
