use core::fmt::Display;
use redist_plan::layout::MAX_EXTENT;
use syn::LitFloat;

pub fn too_small(role: impl Display, minimum: usize, found: usize) -> String {
    format!("{role} must be at least {minimum}, found {found}")
}

pub fn too_large(role: impl Display, found: impl Display) -> String {
    format!("{role} must be at most {MAX_EXTENT}, found {found}")
}

pub fn overflows(role: impl Display) -> String {
    format!("{role} must be at most {MAX_EXTENT}, but this comes to more")
}

pub fn negative(role: impl Display) -> String {
    format!("{role} cannot be negative")
}

pub fn divided_by_zero(role: impl Display) -> String {
    format!("{role} has a division by zero")
}

pub fn float(role: impl Display, found: &LitFloat) -> String {
    let message = format!("{role} must be an integer, found `{found}`");
    match found.base10_parse::<f64>() {
        Ok(value) if value < 1e15 => format!("{message}; write `{}`", value.trunc()),
        _ => message,
    }
}

pub fn not_a_number(role: impl Display, kind: &str) -> String {
    format!("{role} must be an integer, found {kind}")
}

pub fn suffix(role: impl Display, digits: &str, suffix: &str) -> String {
    format!("{role} is a `usize`; write `{digits}` without the suffix `{suffix}`")
}

pub fn not_a_literal(what: &str) -> String {
    format!("{what} must be an integer literal: the macro needs it before constants are evaluated")
}
