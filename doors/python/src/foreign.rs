//! Objects that are brought as arrays and are none of numpy's: the words that say how to make one.

use crate::words::of_side;
use pyo3::prelude::*;
use redist::Side;

/// Returns how the user gets an array of numpy's from an object, for a side.
pub fn mend(object: &Bound<'_, PyAny>, side: Side) -> String {
    let has = |name: &str| object.hasattr(name).unwrap_or(false);
    let (shares, word) = ("which shares its memory", of_side(side));
    if has("detach") && has("numpy") {
        // Tensors of torch.
        return "its `.numpy()`, which shares its memory: with `.detach()` before it where the tensor requires \
                gradients, as `.view(torch.uint16).numpy()` and a plan for \"u2\" where it is of bfloat16; a \
                tensor on a device moves by a copy of it, `.cpu()`"
            .into();
    }
    if has("__dlpack__") {
        return format!("`numpy.from_dlpack` makes of it, {shares}");
    }
    if has("__array_interface__") || has("__array_struct__") || is_buffer(object) {
        return format!("`numpy.asarray` makes of it, {shares}");
    }
    match side {
        Side::Source if has("__array__") || has("__len__") => {
            "`numpy.asarray` makes of it".to_owned()
        }
        _ => format!("`empty({word:?})` makes"),
    }
}

fn is_buffer(object: &Bound<'_, PyAny>) -> bool {
    let view = object.py().import("builtins").and_then(|builtins| builtins.getattr("memoryview"));
    view.and_then(|view| view.call1((object,))).is_ok()
}
