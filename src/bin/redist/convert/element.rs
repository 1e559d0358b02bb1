//! Elements of files: their bytes, and their types for NumPy.

use super::npy::bytes_of_type;
use crate::input::bytes_of_name;

/// The element type of a conversion.
#[derive(Clone, Debug)]
pub struct CopiedElement {
    /// Bytes of an element.
    pub bytes: usize,
    /// NumPy's letter for the sort of number, if NumPy has the type.
    kind: Option<char>,
    /// The type of the files' headers; without headers, NumPy's type for the array.
    pub dtype: String,
    /// `true` if the type was read from a header.
    is_read: bool,
    /// Name of the type as the user wrote it.
    name: String,
}

impl CopiedElement {
    pub fn new(name: &str, bytes: Option<usize>, dtype: Option<&str>) -> Result<Self, String> {
        let read = dtype.and_then(bytes_of_type);
        let bytes = bytes.or(read).ok_or_else(|| {
            format!(
                "the bytes of an element of type {name} are not known; give them by --element-bytes"
            )
        })?;
        let kind = kind(name).filter(|(_, expected)| *expected == bytes).map(|(kind, _)| kind);
        let own = match (kind, cfg!(target_endian = "little"), bytes) {
            (Some(kind), _, 1) => format!("|{kind}1"),
            (Some(kind), true, _) => format!("<{kind}{bytes}"),
            (Some(kind), false, _) => format!(">{kind}{bytes}"),
            (None, ..) => format!("|V{bytes}"),
        };
        let of_type = Self { bytes, kind, dtype: own, is_read: false, name: name.into() };
        match dtype {
            Some(dtype) => {
                of_type.check(dtype)?;
                Ok(Self { dtype: dtype.into(), is_read: true, ..of_type })
            }
            None => Ok(of_type),
        }
    }

    pub fn check(&self, dtype: &str) -> Result<(), String> {
        let known = || {
            let same_kind = self.kind.is_none_or(|kind| dtype[1..].starts_with(kind));
            bytes_of_type(dtype) == Some(self.bytes) && same_kind
        };
        if self.is_read && dtype != self.dtype {
            return Err(format!("dtype: expected {}, found {dtype}", self.dtype));
        }
        if !known() {
            let Self { name, bytes, dtype: own, .. } = self;
            return Err(format!(
                "dtype: expected {own} for elements of type {name} of {bytes} bytes, found {dtype}"
            ));
        }
        Ok(())
    }
}

/// Returns NumPy's letter for a type and the bytes of an element, if NumPy has it.
fn kind(name: &str) -> Option<(char, usize)> {
    let name: String = name.split_whitespace().collect();
    let complex = |inner: &str| kind(inner).filter(|(kind, _)| *kind == 'f');
    if let Some(inner) = name.strip_suffix('>').and_then(|name| name.split_once("Complex<")) {
        return complex(inner.1).map(|(_, bytes)| ('c', 2 * bytes));
    }
    let name = name.rsplit("::").next()?;
    let bytes = bytes_of_name(name)?;
    match name {
        "bf16" | "char" | "i128" | "u128" => None,
        _ => Some((name.chars().next()?.to_ascii_lowercase(), bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_numpy_s_names() {
        let dtype =
            |name: &str, bytes| CopiedElement::new(name, Some(bytes), None).map(|e| e.dtype);
        assert_eq!(dtype("f64", 8), Ok("<f8".into()));
        assert_eq!(dtype("num_complex :: Complex < f32 >", 8), Ok("<c8".into()));
        assert_eq!(dtype("bool", 1), Ok("|b1".into()));
        assert_eq!(dtype("bf16", 2), Ok("|V2".into()));
        assert_eq!(dtype("f64", 24), Ok("|V24".into()));
        assert!(CopiedElement::new("Particle", None, None).is_err());
    }
}
