use crate::diagnostic::{Diagnostics, message};
use quote::ToTokens;
use syn::{BinOp, Expr, ExprBinary, Lit, LitInt, UnOp};

pub enum Folded {
    Value(usize),
    Open,
    Bad,
}

/// Reports results that no size can have.
pub fn fold(expr: &Expr, what: &str, diagnostics: &mut Diagnostics) -> Folded {
    match expr {
        Expr::Paren(inner) => fold(&inner.expr, what, diagnostics),
        Expr::Group(inner) => fold(&inner.expr, what, diagnostics),
        Expr::Binary(binary) => arithmetic(binary, what, diagnostics),
        Expr::Unary(unary) if matches!(unary.op, UnOp::Neg(_)) => {
            bad(expr, message::negative(what), diagnostics)
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
        return bad(integer, message::negative(what), diagnostics);
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
        BinOp::Sub(_) => (left.checked_sub(right), message::negative(what)),
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
