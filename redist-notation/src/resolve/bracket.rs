use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::Expr;

/// Makes invisible groups visible, because rustc's parser forgets them: `2 * $size`, of a
/// `macro_rules!` with `NB - 1`, would become `2 * NB - 1`.
pub fn bracketed(expr: &Expr) -> Expr {
    let tokens = match expr {
        // Around everything they change nothing.
        Expr::Group(whole) => whole.expr.to_token_stream(),
        _ => expr.to_token_stream(),
    };
    syn::parse2(visible(tokens)).unwrap_or_else(|_| expr.clone())
}

fn visible(tokens: TokenStream) -> TokenStream {
    tokens
        .into_iter()
        .map(
            |token| if let TokenTree::Group(group) = token { visible_group(&group) } else { token },
        )
        .collect()
}

fn visible_group(group: &Group) -> TokenTree {
    let invisible = group.delimiter() == Delimiter::None && falls_apart(group.stream());
    let delimiter = if invisible { Delimiter::Parenthesis } else { group.delimiter() };
    let mut visible = Group::new(delimiter, visible(group.stream()));
    visible.set_span(group.span());
    visible.into()
}

/// Returns `true` if surrounding operators could split these tokens.
fn falls_apart(tokens: TokenStream) -> bool {
    use Expr::{Binary, Cast, Range, Unary};
    matches!(syn::parse2(tokens), Ok(Binary(_) | Cast(_) | Range(_) | Unary(_)))
}
