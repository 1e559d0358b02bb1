//! What is known of a size: literals are folded, the rest is sorted by who can know it.

use super::bracket::bracketed;
use super::role::Role;
use crate::diagnostic::{Diagnostics, message};
use crate::spec::{Size, Value};
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{BinOp, Expr, ExprBinary, Lit, LitInt, UnOp};

/// A size of the item.
pub struct Number {
    /// The user's own tokens.
    pub expr: Expr,
    /// `None` where it can be no size at all; that was reported.
    pub value: Option<Value>,
    /// What it is, in words, and the range it has to be in.
    role: Role,
}

impl Number {
    /// The value, where the macro knows it.
    pub fn literal(&self) -> Option<usize> {
        self.size()?.literal()
    }

    /// What it is, in words.
    pub fn what(&self) -> String {
        self.role.to_string()
    }

    /// The size, where it is one.
    pub fn size(&self) -> Option<Size> {
        let range = (self.role.minimum, self.role.maximum);
        self.value.map(|value| Size { expr: self.expr.clone(), value, what: self.role.to_string(), range })
    }
}

/// The names that make a size depend on the item.
pub struct Scope {
    pub params: Vec<Ident>,
    pub generics: Vec<Ident>,
}

impl Scope {
    /// Finds out what is known of `expr`, and reports what no size can be.
    pub fn number(&self, expr: Expr, role: &Role, diagnostics: &mut Diagnostics) -> Number {
        let value = match fold(&expr, role, diagnostics) {
            Folded::Value(value) => in_range(value, &expr, role, diagnostics).map(Value::Literal),
            Folded::Open => Some(self.value(expr.to_token_stream())),
            Folded::Bad => None,
        };
        Number { expr: bracketed(expr), value, role: *role }
    }

    /// Who knows an expression that is not a literal: whoever knows its last name.
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
            let punct = if let TokenTree::Punct(punct) = token { Some(punct.as_char()) } else { None };
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

/// Whether the tokens before a name make it part of something else: `x.name`, `x::name`, but not `0..name`.
fn is_member(before: [Option<char>; 2]) -> bool {
    before == [Some(':'), Some(':')] || (before[1] == Some('.') && before[0] != Some('.'))
}

fn in_range(value: usize, expr: &Expr, role: &Role, diagnostics: &mut Diagnostics) -> Option<usize> {
    if (role.minimum..=role.maximum).contains(&value) {
        return Some(value);
    }
    diagnostics.error(expr, message::out_of_range(role, role.minimum, role.maximum, value));
    None
}

/// What literal arithmetic comes to.
enum Folded {
    Value(usize),
    /// Not made of literals alone.
    Open,
    /// No size; that was reported.
    Bad,
}

fn fold(expr: &Expr, role: &Role, diagnostics: &mut Diagnostics) -> Folded {
    match expr {
        Expr::Paren(inner) => fold(&inner.expr, role, diagnostics),
        Expr::Group(inner) => fold(&inner.expr, role, diagnostics),
        Expr::Binary(binary) => arithmetic(binary, role, diagnostics),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => bad(expr, message::negative(role), diagnostics),
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(integer) => fold_integer(integer, role, diagnostics),
            Lit::Float(float) => bad(expr, message::float(role, float), diagnostics),
            other => bad(expr, message::not_a_number(role, kind(other)), diagnostics),
        },
        _ => Folded::Open,
    }
}

fn bad(at: impl ToTokens, message: String, diagnostics: &mut Diagnostics) -> Folded {
    diagnostics.error(at, message);
    Folded::Bad
}

fn fold_integer(integer: &LitInt, role: &Role, diagnostics: &mut Diagnostics) -> Folded {
    let digits = integer.base10_digits();
    if !matches!(integer.suffix(), "" | "usize") {
        return bad(integer, message::suffix(role, digits, integer.suffix()), diagnostics);
    }
    // Only a macro can pass a negative number in one token.
    if digits.starts_with('-') {
        return bad(integer, message::negative(role), diagnostics);
    }
    match digits.parse() {
        Ok(value) => Folded::Value(value),
        Err(_) => bad(integer, message::does_not_fit(role), diagnostics),
    }
}

fn arithmetic(binary: &ExprBinary, role: &Role, diagnostics: &mut Diagnostics) -> Folded {
    let sides = (fold(&binary.left, role, diagnostics), fold(&binary.right, role, diagnostics));
    let (left, right) = match sides {
        (Folded::Value(left), Folded::Value(right)) => (left, right),
        (Folded::Bad, _) | (_, Folded::Bad) => return Folded::Bad,
        _ => return Folded::Open,
    };
    let shift = u32::try_from(right).ok();
    let (value, problem) = match binary.op {
        BinOp::Add(_) => (left.checked_add(right), message::does_not_fit(role)),
        BinOp::Mul(_) => (left.checked_mul(right), message::does_not_fit(role)),
        BinOp::Sub(_) => (left.checked_sub(right), message::negative(role)),
        BinOp::Div(_) => (left.checked_div(right), message::divided_by_zero(role)),
        BinOp::Rem(_) => (left.checked_rem(right), message::divided_by_zero(role)),
        BinOp::Shl(_) => (shift.and_then(|shift| shift_left(left, shift)), message::does_not_fit(role)),
        BinOp::Shr(_) => (Some(shift.and_then(|shift| left.checked_shr(shift)).unwrap_or(0)), String::new()),
        _ => return Folded::Open,
    };
    value.map_or_else(|| bad(binary, problem, diagnostics), Folded::Value)
}

/// Unlike `checked_shl`, `None` as soon as a bit is lost.
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
        let names = |names: &[&str]| names.iter().map(|name| quote::format_ident!("{name}")).collect();
        let scope = Scope { params: names(&["m", "nb"]), generics: names(&["T", "B"]) };
        scope.value(expression.parse().expect("Rust tokens"))
    }

    #[test]
    fn whoever_knows_the_last_name_knows_the_size() {
        for constant in ["NB", "Qr::NB", "NB / 2", "f(3)", "<Qr as Tiles>::NB", "{ const K: usize = 3; K }"] {
            assert_eq!(value(constant), Value::Constant, "{constant}");
        }
        for generic in ["B", "2 * B + NB", "T::NB", "<T as Tiles>::NB", "size_of::<T>()", "[B, 1][0]"] {
            assert_eq!(value(generic), Value::Generic, "{generic}");
        }
        for parameter in ["m", "m * B", "2 * nb", "f(nb)", "max(B, m)", "m.min(4)", "(0..m).len()", "{ m }"] {
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
