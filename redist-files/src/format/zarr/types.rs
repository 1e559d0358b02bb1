//! Names of element types.

/// Names of version 3, and codes of the same types on this machine without their byte order.
const NAMES: [(&str, &str); 18] = [
    ("bool", "b1"),
    ("int8", "i1"),
    ("uint8", "u1"),
    ("int16", "i2"),
    ("uint16", "u2"),
    ("float16", "f2"),
    ("int32", "i4"),
    ("uint32", "u4"),
    ("float32", "f4"),
    ("int64", "i8"),
    ("uint64", "u8"),
    ("float64", "f8"),
    ("complex64", "c8"),
    ("complex128", "c16"),
    ("bfloat16", "bf16"),
    ("float8_e5m2", "f8_e5m2"),
    ("float8_e8m0fnu", "f8_e8m0"),
    ("complex_float64", "c16"),
];

/// Returns the name of a type in metadata of a version; `None` if that has none.
pub fn name(code: &str, version: u8) -> Option<String> {
    let plain = code.trim_start_matches(['<', '>', '|']);
    let bits = plain.strip_prefix('V').and_then(|bytes| bytes.parse::<usize>().ok());
    match (NAMES.iter().find(|(_, known)| *known == plain), bits, version) {
        (Some(_), _, 2) => code.starts_with(['<', '>', '|']).then(|| code.to_owned()),
        (Some((name, _)), _, _) => Some((*name).into()),
        (None, Some(_), 2) => Some(code.to_owned()),
        (None, Some(bytes), _) => Some(format!("r{}", bytes.checked_mul(8)?)),
        (None, None, _) => None,
    }
}

/// Returns the code of a type of metadata of version 3.
pub fn code(name: &str) -> Option<String> {
    if let Some((_, plain)) = NAMES.iter().find(|(known, _)| *known == name) {
        return Some(with_order(plain));
    }
    let bits: usize = name.strip_prefix('r')?.parse().ok()?;
    (bits > 0 && bits.is_multiple_of(8)).then(|| format!("|V{}", bits / 8))
}

/// Puts the byte order of this machine before a code, where there is one.
pub fn with_order(plain: &str) -> String {
    match plain {
        "bf16" | "f8_e5m2" | "f8_e8m0" => plain.into(),
        _ if plain.ends_with('1') => format!("|{plain}"),
        _ if cfg!(target_endian = "little") => format!("<{plain}"),
        _ => format!(">{plain}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_codes_are_of_the_same_types() {
        for (known, _) in &NAMES[..17] {
            let code = code(known).expect("a code");
            assert_eq!(name(&code, 3).as_deref(), Some(*known));
            assert!(crate::element::bytes_of_code(&code).is_some(), "{code}");
        }
        assert_eq!(code("r24").as_deref(), Some("|V3"));
        assert_eq!(
            (name("|V3", 3).as_deref(), name("|V3", 2).as_deref()),
            (Some("r24"), Some("|V3"))
        );
        assert_eq!(
            (name("bf16", 2), name("f8_e4m3", 3), code("string"), code("r7")),
            (None, None, None, None)
        );
    }
}
