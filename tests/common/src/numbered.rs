//! Arrays whose elements tell their global index and the move that they are of; compiled here, as
//! test binaries are not optimised.

/// Returns the element with a global index in the move of this number.
pub fn element(index: u64, number: u64) -> u64 {
    number << 32 | index
}

/// Writes the elements of a move to places with these global indices.
pub fn fill(array: &mut [u64], indices: &[u64], number: u64) {
    assert_eq!(array.len(), indices.len(), "an index for each place");
    array.iter_mut().zip(indices).for_each(|(place, index)| *place = element(*index, number));
}

/// Fails at the first place without its element of a move, and says which one is there.
pub fn check(array: &[u64], indices: &[u64], number: u64) -> Result<(), String> {
    assert_eq!(array.len(), indices.len(), "an index for each place");
    let mut places = array.iter().zip(indices);
    let Some(at) = places.position(|(found, index)| *found != element(*index, number)) else {
        return Ok(());
    };
    let (index, found) = (indices[at], array[at]);
    let (of, moved) = (found & u64::from(u32::MAX), found >> 32);
    Err(format!(
        "element {index}, at {at} here, has the value of element {of} in move {moved}, not of itself \
         in move {number}"
    ))
}
