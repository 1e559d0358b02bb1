//! The number of dimensions that the command line plans for.

use redist_notation::spec::Size;

/// There is code for each number of dimensions.
const MAX_DIMENSIONS: usize = 8;

/// Returns the error of an array that no code is for.
pub fn too_many(extents: &[Size]) -> Option<syn::Error> {
    let (first, many) = (extents.get(MAX_DIMENSIONS)?, extents.len());
    let words = format!(
        "the command line takes up to {MAX_DIMENSIONS} dimensions, but the array has {many}"
    );
    Some(syn::Error::new_spanned(&first.expr, words))
}
