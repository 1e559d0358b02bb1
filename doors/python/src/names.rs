//! Names of element types: Rust's, and numpy's for the same.

use redist::AnyElement;

/// Rust's and numpy's names of the same numbers.
pub const NUMBERS: [(&str, &str); 14] = [
    ("i8", "int8"),
    ("i16", "int16"),
    ("i32", "int32"),
    ("i64", "int64"),
    ("u8", "uint8"),
    ("u16", "uint16"),
    ("u32", "uint32"),
    ("u64", "uint64"),
    ("f16", "float16"),
    ("bf16", "bfloat16"),
    ("f32", "float32"),
    ("f64", "float64"),
    ("c32", "complex64"),
    ("c64", "complex128"),
];

/// Returns numpy's words for the name of an element type, as another rank tells it.
pub fn in_numpys_words(name: &str) -> String {
    if let Some(words) = AnyElement::words_of(name) {
        return words.into();
    }
    if let Some(bytes) = name.strip_prefix("[u8; ").and_then(|rest| rest.strip_suffix("]")) {
        return format!("|V{bytes}");
    }
    let rust = match name {
        "num_complex::Complex<f32>" => "c32",
        "num_complex::Complex<f64>" => "c64",
        other => other.rsplit("::").next().unwrap_or(other),
    };
    let numpy = NUMBERS.iter().find(|(known, _)| *known == rust).map(|(_, numpy)| *numpy);
    numpy.unwrap_or(name).into()
}
