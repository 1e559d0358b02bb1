use crate::errors::PlanError;
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use redist::AnyElement;

/// Numbers have names, which ranks compare; all other types have bytes.
pub fn element(dtype: &Bound<'_, PyArrayDescr>) -> PyResult<AnyElement> {
    if dtype.has_object() {
        let words = format!("dtype {dtype}: Python objects have no bytes that could be moved");
        return Err(PlanError::new_err(words));
    }
    let bytes = dtype.itemsize();
    number(dtype, bytes)
        .and_then(|name| AnyElement::named(&name))
        .or_else(|| AnyElement::of_bytes(bytes))
        .ok_or_else(|| PlanError::new_err(format!("dtype {dtype}: its elements have no bytes")))
}

/// Names a number in this machine's byte order.
fn number(dtype: &Bound<'_, PyArrayDescr>, bytes: usize) -> Option<String> {
    let bits = 8 * bytes;
    match dtype.kind() {
        _ if dtype.is_native_byteorder() == Some(false) => None,
        b'b' => Some("u8".into()),
        b'i' => Some(format!("i{bits}")),
        b'u' => Some(format!("u{bits}")),
        // Floats of 80 bits have 16 bytes, as no type of Rust's.
        b'f' => Some(format!("f{bits}")),
        b'c' => Some(format!("c{}", bits / 2)),
        _ => None,
    }
}
