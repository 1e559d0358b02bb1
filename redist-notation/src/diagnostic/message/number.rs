//! What no size can be.

use core::fmt::Display;
use syn::LitFloat;

/// Below the minimum or above the maximum.
pub fn out_of_range(role: impl Display, minimum: usize, maximum: usize, found: usize) -> String {
    if found < minimum {
        format!("{role} must be at least {minimum}, found {found}")
    } else {
        format!("{role} must be at most {maximum}, found {found}")
    }
}

/// A literal, or a result of arithmetic, that does not fit.
pub fn does_not_fit(role: impl Display) -> String {
    format!("{role} does not fit in `usize`; the largest is {}", usize::MAX)
}

/// A minus, or a difference below zero.
pub fn negative(role: impl Display) -> String {
    format!("{role} cannot be negative")
}

/// Arithmetic without a result.
pub fn divided_by_zero(role: impl Display) -> String {
    format!("{role} has a division by zero")
}

/// A floating-point literal, with the nearest integer below it.
pub fn float(role: impl Display, found: &LitFloat) -> String {
    let message = format!("{role} must be an integer, found `{found}`");
    match found.base10_parse::<f64>() {
        Ok(value) if value < 1e15 => format!("{message}; write `{}`", value.trunc()),
        _ => message,
    }
}

/// A literal of another type.
pub fn not_a_number(role: impl Display, kind: &str) -> String {
    format!("{role} must be an integer, found {kind}")
}

/// An integer of another type.
pub fn suffix(role: impl Display, digits: &str, suffix: &str) -> String {
    format!("{role} is a `usize`; write `{digits}` without the suffix `{suffix}`")
}

/// A number that is needed while the macro expands.
pub fn not_a_literal(what: &str) -> String {
    format!("{what} must be an integer literal: the macro needs it before constants are evaluated")
}
