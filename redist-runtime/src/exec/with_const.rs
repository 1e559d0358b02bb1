//! Lengths that the compiler knows.

/// Evaluates an expression in which `$name` is a constant, for some values of a number, and another
/// expression for all other values: what is copied by a length that the compiler knows needs no
/// call.
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
