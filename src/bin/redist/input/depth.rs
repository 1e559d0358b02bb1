//! The depth of nesting of a text: recursive parsers could overflow their stack.

use proc_macro2::{Delimiter, Spacing, Span, TokenStream, TokenTree, token_stream};

/// Deepest nesting that parsers are given.
pub const MAX_DEPTH: usize = 256;

pub fn too_deep_in_groups(tokens: TokenStream) -> Option<Span> {
    find(tokens, |_| 0)
}

/// Finds the first token that may be too deep in an expression, whose operators nest, too.
pub fn too_deep(tokens: TokenStream) -> Option<Span> {
    find(tokens, |level| level.run)
}

/// An open group of tokens.
struct Level {
    tokens: token_stream::IntoIter,
    /// Groups around it.
    depth: usize,
    /// Tokens since the last `,`, `;` or end of an item: each may nest an expression.
    run: usize,
    /// `true` behind `#`, which begins an attribute.
    after_hash: bool,
}

fn find(tokens: TokenStream, within: impl Fn(&Level) -> usize) -> Option<Span> {
    let level = |tokens: TokenStream, depth| Level {
        tokens: tokens.into_iter(),
        depth,
        run: 0,
        after_hash: false,
    };
    let mut levels = vec![level(tokens, 0)];
    while let Some(last) = levels.last_mut() {
        let Some(token) = last.tokens.next() else {
            levels.pop();
            continue;
        };
        last.run += 1;
        let depth = last.depth + within(last);
        if depth > MAX_DEPTH {
            return Some(token.span());
        }
        let ends = last.ends_at(&token);
        if ends {
            last.run = 0;
        }
        if let TokenTree::Group(group) = token {
            levels.push(level(group.stream(), depth + 1));
        }
    }
    None
}

impl Level {
    fn ends_at(&mut self, token: &TokenTree) -> bool {
        let is_attribute = core::mem::replace(&mut self.after_hash, false);
        match token {
            TokenTree::Punct(punct) => {
                let is_bang = punct.as_char() == '!' && punct.spacing() == Spacing::Alone;
                self.after_hash = punct.as_char() == '#' || is_attribute && is_bang;
                matches!(punct.as_char(), ',' | ';')
            }
            // The end of an attribute or, outside of all groups, of an item.
            TokenTree::Group(group) => {
                is_attribute || self.depth == 0 && group.delimiter() == Delimiter::Brace
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> [bool; 2] {
        let tokens: TokenStream = text.parse().expect("the test's own text has to be Rust tokens");
        [too_deep_in_groups(tokens.clone()), too_deep(tokens)].map(|found| found.is_some())
    }

    #[test]
    fn what_nests_is_counted() {
        let nested = |depth| format!("{}1{}", "(".repeat(depth), ")".repeat(depth));
        assert_eq!(found(&nested(100)), [false, false]);
        assert_eq!(found(&nested(300)), [true, true]);
        assert_eq!(found(&format!("[{}]", "- ".repeat(300))), [false, true]);
        assert_eq!(found(&format!("[{}]", "a + ".repeat(300))), [false, true]);
        assert_eq!(found(&format!("[{}]", "a + b, ".repeat(300))), [false, false]);
        assert_eq!(
            found(&"/// Docs.\nstruct A: [u8; 3] { from: *, to: * }\n".repeat(300)),
            [false; 2]
        );
        assert_eq!(found(&format!("{}struct A;", "/// Docs.\n".repeat(300))), [false; 2]);
    }
}
