//! A macro that makes constants of common lengths.

/// Evaluates an expression with `$name` as a constant for the listed values of a number, and a
/// second expression for all other values. Copies of a constant length need no call.
macro_rules! with_const {
    ($number:expr, $name:ident in [$($known:literal)*] => $body:expr, else $otherwise:expr) => {
        match $number {
            $($known => {
                const $name: usize = $known;
                $body
            })*
            _ => $otherwise,
        }
    };
}
pub(super) use with_const;
