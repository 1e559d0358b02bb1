//! Signatures of element types: the basic types that ranks of different programs compare.

use core::fmt;

/// An element's basic types in the order of memory, without gaps: the type signature of MPI.
#[derive(Clone, Copy)]
pub enum Signature {
    /// A type that is known by its name, and its bytes.
    Named(fn() -> &'static str, usize),
    /// As many of one type.
    Array(usize, &'static Signature),
    /// A struct with these fields, in their order.
    Struct(&'static [Signature]),
}

impl Signature {
    /// Returns the signature of the struct `T`, which has these fields.
    ///
    /// # Panics
    /// If the struct has padding; in a constant, that is an error of the compiler's.
    #[track_caller]
    pub const fn of<T>(fields: &'static [Signature]) -> Self {
        let signature = Signature::Struct(fields);
        assert!(
            size_of::<T>() == signature.bytes(),
            "this struct has padding between its fields or after them, and elements have none; put larger fields before \
             smaller ones, or fill the gap with a field of its own"
        );
        signature
    }

    const fn bytes(&self) -> usize {
        match self {
            Signature::Named(_, bytes) => *bytes,
            Signature::Array(len, element) => *len * element.bytes(),
            Signature::Struct(fields) => {
                let (mut bytes, mut number) = (0, 0);
                while number < fields.len() {
                    bytes += fields[number].bytes();
                    number += 1;
                }
                bytes
            }
        }
    }

    /// Returns `true` if it contains a struct whose fields are known.
    pub fn has_fields(&self) -> bool {
        match self {
            Signature::Named(..) => false,
            Signature::Array(_, element) => element.has_fields(),
            Signature::Struct(_) => true,
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Signature::Named(name, _) => f.write_str(name()),
            Signature::Array(len, element) => write!(f, "[{element}; {len}]"),
            Signature::Struct(fields) => {
                let fields: Vec<String> = fields.iter().map(ToString::to_string).collect();
                write!(f, "{{{}}}", fields.join(", "))
            }
        }
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
