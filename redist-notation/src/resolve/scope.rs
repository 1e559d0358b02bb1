//! Finds the stage that knows each size, and folds literal arithmetic.

use crate::ast::Item;
use crate::diagnostic::{Diagnostics, message};
use crate::size::{Size, Value};
use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
use quote::ToTokens;
use redist_plan::layout::MAX_EXTENT;
use syn::{BinOp, Expr, ExprBinary, GenericParam, Lit, LitInt, UnOp};

/// Names that make a size depend on the item.
pub struct Scope {
    params: Vec<Ident>,
    generics: Vec<Ident>,
}

impl Scope {
    pub fn of(item: &Item) -> Self {
        Scope {
            params: item.params.iter().map(|param| param.ident.clone()).collect(),
            generics: generics(item),
        }
    }

    /// Finds the stage that knows a size, and reports a result that no size can have.
    pub fn resolve(&self, size: &mut Size, diagnostics: &mut Diagnostics) {
        match fold(&size.expr, &size.what, diagnostics) {
            Folded::Value(value) => in_range(value, size, diagnostics),
            Folded::Open => size.value = self.value(size.expr.to_token_stream()),
            Folded::Bad => size.is_wrong = true,
        }
        size.expr = bracketed(&size.expr);
    }

    /// Finds the stage that knows the last of an expression's names.
    pub fn value(&self, tokens: TokenStream) -> Value {
        let mut value = Value::Constant;
        let mut before = [None, None];
        for token in tokens {
            let found = match &token {
                TokenTree::Group(group) => self.value(group.stream()),
                TokenTree::Ident(name) if !is_member(before) => self.name(name),
                _ => Value::Constant,
            };
            value = value.max(found);
            let punct =
                if let TokenTree::Punct(punct) = token { Some(punct.as_char()) } else { None };
            before = [before[1], punct];
        }
        value
    }

    fn name(&self, name: &Ident) -> Value {
        if self.params.contains(name) {
            Value::Parameter
        } else if self.generics.contains(name) {
            Value::Generic
        } else {
            Value::Constant
        }
    }
}

/// Returns `true` if the tokens before a name make it a part: `x.name`, `x::name`, not `0..name`.
fn is_member(before: [Option<char>; 2]) -> bool {
    before == [Some(':'), Some(':')] || (before[1] == Some('.') && before[0] != Some('.'))
}

fn in_range(value: usize, size: &mut Size, diagnostics: &mut Diagnostics) {
    let problem = match value {
        _ if value < size.minimum => message::too_small(&size.what, size.minimum, value),
        _ if value > MAX_EXTENT => message::too_large(&size.what, value),
        _ => return size.value = Value::Literal(value),
    };
    diagnostics.error(&size.expr, problem);
    size.is_wrong = true;
}

pub fn generics(item: &Item) -> Vec<Ident> {
    let generic = |param: &GenericParam| match param {
        GenericParam::Type(parameter) => Some(parameter.ident.clone()),
        GenericParam::Const(parameter) => Some(parameter.ident.clone()),
        GenericParam::Lifetime(_) => None,
    };
    item.generics.params.iter().filter_map(generic).collect()
}

pub fn names(expression: TokenStream, name: &Ident) -> bool {
    Scope { params: vec![name.clone()], generics: Vec::new() }.value(expression) == Value::Parameter
}

/// Makes invisible groups visible, because rustc's parser forgets them: `2 * $size`, of a
/// `macro_rules!` with `NB - 1`, would become `2 * NB - 1`.
fn bracketed(expr: &Expr) -> Expr {
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

/// The outcome of literal arithmetic.
enum Folded {
    /// A number.
    Value(usize),
    /// No number yet: a name stands in the expression.
    Open,
    /// A number that no size can have, which was reported.
    Bad,
}

/// Reports results that no size can have.
fn fold(expr: &Expr, what: &str, diagnostics: &mut Diagnostics) -> Folded {
    match expr {
        Expr::Paren(inner) => fold(&inner.expr, what, diagnostics),
        Expr::Group(inner) => fold(&inner.expr, what, diagnostics),
        Expr::Binary(binary) => arithmetic(binary, what, diagnostics),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            let found = format!("-{}", message::source_text(&unary.expr));
            bad(expr, message::negative(what, found), diagnostics)
        }
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(integer) => fold_integer(integer, what, diagnostics),
            Lit::Float(float) => bad(expr, message::float(what, float), diagnostics),
            other => bad(expr, message::not_a_number(what, kind(other)), diagnostics),
        },
        _ => Folded::Open,
    }
}

fn bad(at: impl ToTokens, message: String, diagnostics: &mut Diagnostics) -> Folded {
    diagnostics.error(at, message);
    Folded::Bad
}

fn fold_integer(integer: &LitInt, what: &str, diagnostics: &mut Diagnostics) -> Folded {
    let digits = integer.base10_digits();
    if !matches!(integer.suffix(), "" | "usize") {
        return bad(integer, message::suffix(what, digits, integer.suffix()), diagnostics);
    }
    // Only a macro can pass a negative number in one token.
    if digits.starts_with('-') {
        return bad(integer, message::negative(what, digits), diagnostics);
    }
    match digits.parse() {
        Ok(value) => Folded::Value(value),
        Err(_) => bad(integer, message::too_large(what, digits), diagnostics),
    }
}

fn arithmetic(binary: &ExprBinary, what: &str, diagnostics: &mut Diagnostics) -> Folded {
    let sides = (fold(&binary.left, what, diagnostics), fold(&binary.right, what, diagnostics));
    let (left, right) = match sides {
        (Folded::Value(left), Folded::Value(right)) => (left, right),
        (Folded::Bad, _) | (_, Folded::Bad) => return Folded::Bad,
        _ => return Folded::Open,
    };
    let shift = u32::try_from(right).ok();
    let (value, problem) = match binary.op {
        BinOp::Add(_) => (left.checked_add(right), message::overflows(what)),
        BinOp::Mul(_) => (left.checked_mul(right), message::overflows(what)),
        BinOp::Sub(_) => {
            let found = format!("-{}", right.saturating_sub(left));
            (left.checked_sub(right), message::negative(what, found))
        }
        BinOp::Div(_) => (left.checked_div(right), message::divided_by_zero(what)),
        BinOp::Rem(_) => (left.checked_rem(right), message::divided_by_zero(what)),
        BinOp::Shl(_) => {
            (shift.and_then(|shift| shift_left(left, shift)), message::overflows(what))
        }
        BinOp::Shr(_) => {
            (Some(shift.and_then(|shift| left.checked_shr(shift)).unwrap_or(0)), String::new())
        }
        _ => return Folded::Open,
    };
    value.map_or_else(|| bad(binary, problem, diagnostics), Folded::Value)
}

/// Unlike `checked_shl`, fails if a bit is lost.
fn shift_left(value: usize, shift: u32) -> Option<usize> {
    2usize.checked_pow(shift).and_then(|power| value.checked_mul(power))
}

fn kind(literal: &Lit) -> &'static str {
    match literal {
        Lit::Str(_) | Lit::ByteStr(_) | Lit::CStr(_) => "a string",
        Lit::Char(_) | Lit::Byte(_) => "a character",
        Lit::Bool(_) => "a truth value",
        _ => "something else",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(expression: &str) -> Value {
        let names =
            |names: &[&str]| names.iter().map(|name| quote::format_ident!("{name}")).collect();
        let scope = Scope { params: names(&["m", "nb"]), generics: names(&["T", "B"]) };
        scope.value(expression.parse().expect("Rust tokens"))
    }

    #[test]
    fn a_size_is_known_when_its_last_name_is() {
        for constant in
            ["NB", "Qr::NB", "NB / 2", "f(3)", "<Qr as Tiles>::NB", "{ const K: usize = 3; K }"]
        {
            assert_eq!(value(constant), Value::Constant, "{constant}");
        }
        for generic in
            ["B", "2 * B + NB", "T::NB", "<T as Tiles>::NB", "size_of::<T>()", "[B, 1][0]"]
        {
            assert_eq!(value(generic), Value::Generic, "{generic}");
        }
        for parameter in
            ["m", "m * B", "2 * nb", "f(nb)", "max(B, m)", "m.min(4)", "(0..m).len()", "{ m }"]
        {
            assert_eq!(value(parameter), Value::Parameter, "{parameter}");
        }
    }

    #[test]
    fn members_are_not_parameters() {
        for constant in ["sizes.m", "sizes::m", "self::nb", "A.b.nb", "sizes.m()"] {
            assert_eq!(value(constant), Value::Constant, "{constant}");
        }
        assert_eq!(value("m.nb"), Value::Parameter);
        assert_eq!(value("0..m"), Value::Parameter);
    }
}
