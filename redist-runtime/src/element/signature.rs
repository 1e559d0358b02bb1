use core::fmt;

/// An element's basic types in the order of memory, without gaps: the type signature of MPI.
#[derive(Clone, Copy)]
pub enum Signature {
    /// A type that is known by its name.
    Named(fn() -> &'static str),
    /// As many of one type.
    Array(usize, &'static Signature),
    /// A struct whose fields are known.
    Struct(&'static Fields),
}

/// The fields of a struct in their order.
#[derive(Clone, Copy)]
pub enum Fields {
    /// One alone.
    One(&'static Signature),
    /// Some, and those after them.
    Two(&'static Fields, &'static Fields),
}

impl Signature {
    /// Returns `true` if it contains a struct whose fields are known.
    pub fn has_fields(&self) -> bool {
        match self {
            Signature::Named(_) => false,
            Signature::Array(_, element) => element.has_fields(),
            Signature::Struct(_) => true,
        }
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Signature::Named(name) => f.write_str(name()),
            Signature::Array(len, element) => write!(f, "[{element}; {len}]"),
            Signature::Struct(fields) => write!(f, "{{{fields}}}"),
        }
    }
}

impl fmt::Display for Fields {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fields::One(field) => write!(f, "{field}"),
            Fields::Two(first, last) => write!(f, "{first}, {last}"),
        }
    }
}

impl fmt::Debug for Signature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
