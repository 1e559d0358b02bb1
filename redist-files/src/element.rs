//! Elements of files: their bytes, and the codes of their types.
//!
//! A code is NumPy's, such as `<f8`; types that NumPy lacks have the code of [`LACKING`].

/// Types that NumPy lacks, with the bytes of an element.
const LACKING: [(&str, usize); 4] = [("bf16", 2), ("f8_e4m3", 1), ("f8_e5m2", 1), ("f8_e8m0", 1)];

/// The element type of an array that is converted.
#[derive(Clone, Debug)]
pub struct CopiedElement {
    /// Bytes of an element.
    pub bytes: usize,
    /// NumPy's letter for the sort of number, if NumPy has the type.
    kind: Option<char>,
    /// The type of the source's headers; without headers, that of the name.
    pub code: String,
    /// `true` if the type was read from a header.
    is_read: bool,
    /// Name of the type as the user wrote it.
    name: String,
}

impl CopiedElement {
    /// Makes an element of the user's name and bytes, and of the code of a header.
    pub fn new(name: &str, bytes: Option<usize>, code: Option<&str>) -> Result<Self, String> {
        let bytes = bytes.or_else(|| code.and_then(bytes_of_code)).ok_or_else(|| {
            format!(
                "the bytes of an element of type {name} are not known; give them by --element-bytes"
            )
        })?;
        let kind = kind(name).filter(|(_, expected)| *expected == bytes).map(|(kind, _)| kind);
        let own = match (kind, cfg!(target_endian = "little"), bytes) {
            (Some(kind), _, 1) => format!("|{kind}1"),
            (Some(kind), true, _) => format!("<{kind}{bytes}"),
            (Some(kind), false, _) => format!(">{kind}{bytes}"),
            (None, ..) => match lacking(name) {
                Some((code, expected)) if expected == bytes => code.into(),
                _ => format!("|V{bytes}"),
            },
        };
        let of_type = Self { bytes, kind, code: own, is_read: false, name: name.into() };
        match code {
            Some(code) => {
                of_type.check(code, false)?;
                Ok(Self { code: code.into(), is_read: true, ..of_type })
            }
            None => Ok(of_type),
        }
    }

    /// Makes an element of the code of a header alone.
    pub fn read(code: &str) -> Result<Self, String> {
        let bytes = bytes_of_code(code).ok_or_else(|| format!("the type {code} is not known"))?;
        let kind = lacking(code).is_none().then(|| code[1..].chars().next()).flatten();
        let kind = kind.filter(|kind| *kind != 'V');
        Ok(Self { bytes, kind, code: code.into(), is_read: true, name: code.into() })
    }

    /// Compares with the code of another header; `exact` formats have a type of their own for each.
    pub fn check(&self, code: &str, exact: bool) -> Result<(), String> {
        if self.is_read && code != self.code {
            return Err(format!("dtype: expected {}, found {code}", self.code));
        }
        let is_own = code == self.code;
        let is_opaque = self.kind.is_none() && self.code.starts_with("|V");
        let same_kind = match self.kind {
            Some(kind) => lacking(code).is_none() && code[1..].starts_with(kind),
            None => is_own || is_opaque || (!exact && lacking(code).is_none()),
        };
        if bytes_of_code(code) == Some(self.bytes) && same_kind {
            return Ok(());
        }
        let Self { name, bytes, code: own, .. } = self;
        Err(format!(
            "dtype: expected {own} for elements of type {name} of {bytes} bytes, found {code}"
        ))
    }

    /// Returns the bytes of the unit whose order is that of the machine; 1 if order has no meaning.
    pub fn unit(&self) -> usize {
        match (self.kind, lacking(&self.code)) {
            (Some('c'), _) => self.bytes / 2,
            (Some('U'), _) => 4,
            (Some('S' | 'V'), _) | (None, None) => 1,
            (Some(_), _) | (None, Some(_)) => self.bytes,
        }
    }

    /// Returns the code with bytes of numbers in little-endian order, and whether they are swapped.
    pub fn little(&self) -> (String, bool) {
        match self.code.strip_prefix('>') {
            Some(rest) => (format!("<{rest}"), true),
            None => (self.code.clone(), false),
        }
    }

    /// Returns the code with bytes of numbers in the order of this machine, and whether they are
    /// swapped.
    pub fn native(&self) -> (String, bool) {
        let [own, other] = if cfg!(target_endian = "little") { ['<', '>'] } else { ['>', '<'] };
        match self.code.strip_prefix(other) {
            Some(rest) => (format!("{own}{rest}"), true),
            None => (self.code.clone(), false),
        }
    }

    /// Returns NumPy's code: bytes without a meaning where NumPy lacks the type.
    pub fn numpy(&self) -> String {
        match lacking(&self.code) {
            Some((_, bytes)) => format!("|V{bytes}"),
            None => self.code.clone(),
        }
    }

    /// Returns the user's name of the type.
    pub fn name(&self) -> &str {
        &self.name
    }
}

fn lacking(name: &str) -> Option<(&'static str, usize)> {
    let name = name.rsplit("::").next()?.trim().to_lowercase();
    LACKING.into_iter().find(|(code, _)| *code == name)
}

/// Returns the bytes of an element of a code.
pub fn bytes_of_code(code: &str) -> Option<usize> {
    lacking(code).map(|(_, bytes)| bytes).or_else(|| bytes_of_type(code))
}

/// Returns the bytes of an element of a type such as `<f8`, `<U3` or `<M8[ns]`.
pub fn bytes_of_type(dtype: &str) -> Option<usize> {
    let (order, rest) = dtype.split_at_checked(1)?;
    let (kind, rest) = rest.split_at_checked(1)?;
    let (digits, unit) = match rest.strip_suffix(']').and_then(|rest| rest.split_once('[')) {
        Some((digits, unit)) => (digits, Some(unit)),
        None => (rest, None),
    };
    let is_time = ["M", "m"].contains(&kind);
    let known = ["<", ">", "|", "="].contains(&order)
        && (is_time || ["b", "i", "u", "f", "c", "V", "S", "U"].contains(&kind))
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && unit.is_none_or(|unit| is_time && unit.bytes().all(|byte| byte.is_ascii_alphanumeric()));
    // A character has four bytes.
    let width = if kind == "U" { 4 } else { 1 };
    let bytes =
        digits.parse().ok().filter(|bytes| known && *bytes > 0 && (!is_time || *bytes == 8));
    bytes.and_then(|bytes: usize| bytes.checked_mul(width))
}

/// Returns the bytes of a number of a name, as in `f64`, `bf16` or `f8_e4m3`.
pub fn bytes_of_name(name: &str) -> Option<usize> {
    Some(match name {
        "u8" | "i8" | "bool" | "f8_e4m3" | "f8_e5m2" | "f8_e8m0" => 1,
        "u16" | "i16" | "f16" | "bf16" => 2,
        "u32" | "i32" | "f32" | "char" => 4,
        "u64" | "i64" | "f64" | "usize" | "isize" | "Complex32" | "c32" => 8,
        "u128" | "i128" | "Complex64" | "c64" => 16,
        _ => return None,
    })
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
        "char" | "i128" | "u128" => None,
        _ if lacking(name).is_some() => None,
        _ => Some((name.chars().next()?.to_ascii_lowercase(), bytes)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_have_numpy_s_names() {
        let dtype =
            |name: &str, bytes| CopiedElement::new(name, Some(bytes), None).map(|e| e.numpy());
        assert_eq!(dtype("f64", 8), Ok("<f8".into()));
        assert_eq!(dtype("num_complex :: Complex < f32 >", 8), Ok("<c8".into()));
        assert_eq!(dtype("bool", 1), Ok("|b1".into()));
        assert_eq!(dtype("bf16", 2), Ok("|V2".into()));
        assert_eq!(dtype("f64", 24), Ok("|V24".into()));
        assert!(CopiedElement::new("Particle", None, None).is_err());
    }

    #[test]
    fn types_of_bytes_are_plain() {
        assert_eq!([">U1", "<m8"].map(bytes_of_type), [Some(4), Some(8)]);
        for wrong in ["<f8[ns]", "<M4[ns]", "<M8[n s]", "<U0", "<U", "<U99999999999999999999", "é8"]
        {
            assert_eq!(bytes_of_type(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_type_of_a_format_of_its_own_is_no_other_of_its_size() {
        let bf16 = CopiedElement::new("half::bf16", Some(2), None).expect("a type");
        assert!(bf16.check("bf16", true).is_ok() && bf16.check("|V2", false).is_ok());
        assert!(bf16.check("<f2", true).is_err() && bf16.check("f8_e5m2", true).is_err());
        let f16 = CopiedElement::new("f16", Some(2), None).expect("a type");
        assert!(f16.check("bf16", true).is_err() && f16.check("<f2", true).is_ok());
        let plain = CopiedElement::new("Particle", Some(2), None).expect("a type");
        assert!(plain.check("bf16", true).is_ok());
    }

    #[test]
    fn numbers_have_units_with_an_order() {
        let unit = |code: &str| CopiedElement::read(code).expect("a type").unit();
        assert_eq!(["<f8", "<c16", ">U3", "|V7", "bf16", "|u1"].map(unit), [8, 8, 4, 1, 2, 1]);
    }
}
