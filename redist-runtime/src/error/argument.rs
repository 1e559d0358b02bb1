//! Mistakes in arguments of a move that interfaces for other languages find. They are small, so
//! that other ranks learn of them whole.

use crate::layout::vocabulary::counted;
use crate::plan::Side;
use core::fmt;

/// A mistake in an argument of a move, as this rank and all that receive from it read it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[doc(hidden)]
pub enum WrongArgument {
    #[error("the {side} array is NULL, but its length is {}; bring the array", counted(*elements, "element"))]
    Null { side: Side, elements: usize },
    #[error("the {side} array has the length {length}; lengths are in elements, 0 or more")]
    Length { side: Side, length: i64 },
    #[error("the source and the destination overlap; bring arrays apart")]
    Overlap,
    #[error(
        "the arrays have elements of type {brought}, but the plan was bound for {bound}; bring arrays of that type, \
         or bind the plan for {brought}"
    )]
    Element { brought: ShortName, bound: ShortName },
    #[error(
        "the {side} array has elements of type {brought}, but must have those of the plan's type; bring such an array"
    )]
    Type { side: Side, brought: Name },
    #[error("the {side} array is a {class}, which is no array; bring an array")]
    NoArray { side: Side, class: Name },
    #[error("the {side} array is read-only; bring one that may be written to")]
    ReadOnly { side: Side },
    #[error("the {side} array is a masked array, whose mask would stay behind; bring its data")]
    Masked { side: Side },
    #[error(
        "the {side} array has strides that are no whole numbers of elements; bring a dense copy"
    )]
    PartStrides { side: Side },
}

/// A name of another language: up to 16 printable characters of ASCII, and zeros behind them.
#[derive(Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub struct Name([u8; Name::BYTES]);

impl Name {
    /// Its bytes, with the zeros.
    const BYTES: usize = 16;

    /// Shortens a name to what has room, with dots at its end if it is longer.
    pub fn of(name: &str) -> Self {
        let mut bytes = [0; Self::BYTES];
        let printable = |byte: u8| if matches!(byte, b' '..=b'~') { byte } else { b'?' };
        for (place, byte) in bytes.iter_mut().zip(name.bytes()) {
            *place = printable(byte);
        }
        if name.len() > Self::BYTES {
            bytes[Self::BYTES - 3..].fill(b'.');
        }
        Self(bytes)
    }

    /// Returns the name as two numbers, for other ranks.
    pub fn numbers(self) -> [u64; 2] {
        let both = u128::from_be_bytes(self.0);
        [(both >> 64) as u64, both as u64]
    }

    /// Reads a name that another rank has sent, whatever its bytes are.
    pub fn from_numbers([high, low]: [u64; 2]) -> Self {
        let bytes = (u128::from(high) << 64 | u128::from(low)).to_be_bytes();
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        Self::of(&String::from_utf8_lossy(&bytes[..end]))
    }
}

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut characters = self.0.into_iter().take_while(|byte| *byte != 0).map(char::from);
        characters.try_for_each(|character| write!(f, "{character}"))
    }
}

impl fmt::Debug for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The name of an element type in eight bytes: up to seven characters, or `[u8; N]`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[doc(hidden)]
pub struct ShortName(u64);

/// Is set in a name that stands for a number of bytes.
const OF_BYTES: u64 = 1 << 63;

impl ShortName {
    /// Returns a name such as `c64` or `[u8; 24]`; of longer ones the beginning.
    pub fn of(name: &str) -> Self {
        let count = name.strip_prefix("[u8; ").and_then(|rest| rest.strip_suffix(']'));
        if let Some(count) = count.and_then(|count| count.parse::<u64>().ok()) {
            return Self(count | OF_BYTES);
        }
        let characters = name.bytes().filter(u8::is_ascii).take(7).enumerate();
        Self(characters.map(|(at, byte)| u64::from(byte) << (8 * at)).sum())
    }

    /// Returns the name as a number, for other ranks.
    pub fn number(self) -> u64 {
        self.0
    }

    /// Reads a name that another rank has sent.
    pub fn from_number(number: u64) -> Self {
        Self(number)
    }
}

impl fmt::Display for ShortName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0 & OF_BYTES != 0 {
            return write!(f, "[u8; {}]", self.0 & !OF_BYTES);
        }
        let characters = self.0.to_le_bytes().into_iter().take_while(|byte| *byte != 0);
        characters.map(char::from).try_for_each(|character| write!(f, "{character}"))
    }
}

impl fmt::Debug for ShortName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_as_they_were_written() {
        for name in ["f64", "c64", "bf16", "u128", "[u8; 24]", "[u8; 4611686018427387903]"] {
            let told = ShortName::from_number(ShortName::of(name).number());
            assert_eq!(told.to_string(), name);
        }
        assert_eq!(ShortName::of("complex128").to_string(), "complex");
    }

    #[test]
    fn longer_names_are_cut_and_printable() {
        for (name, shown) in [
            ("", ""),
            ("sixteen letters.", "sixteen letters."),
            ("[('x', '<f4'), ('y', '<i4')]", "[('x', '<f4')..."),
            ("a\nb\u{e9}", "a?b??"),
        ] {
            assert_eq!(Name::of(name).to_string(), shown);
            assert_eq!(Name::from_numbers(Name::of(name).numbers()).to_string(), shown);
        }
        // Bytes that no name has, as a faulty rank may send.
        assert_eq!(Name::from_numbers([u64::MAX; 2]).to_string(), "?".repeat(13) + "...");
        assert_eq!(Name::from_numbers([0x0a41_0000_0000_0000, u64::MAX]).to_string(), "?A");
    }
}
