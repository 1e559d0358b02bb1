//! Arrays in shared memory, which other languages know by their address.

use redist::Error;
use redist::exec::{AnyBound, DestinationArray, SourceArray};
use redist::mpi::SharedArray;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

type Shared = Rc<RefCell<SharedArray<u8>>>;

/// Shared arrays by their addresses.
struct Kept(BTreeMap<usize, Shared>);

impl Drop for Kept {
    /// Leaks the arrays, because other code may have addresses in them.
    fn drop(&mut self) {
        self.0.values().for_each(|array| mem::forget(Rc::clone(array)));
    }
}

thread_local! {
    static KEPT: RefCell<Kept> = const { RefCell::new(Kept(BTreeMap::new())) };
}

/// Arrays that other threads have given up.
static GIVEN_UP: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// Keeps an array until it is freed, here or by [`free_shared_anywhere`]. Returns its address.
pub fn keep_shared(mut array: SharedArray<u8>) -> *mut u8 {
    free_given_up();
    let begin = array.as_mut_ptr();
    KEPT.with_borrow_mut(|kept| kept.0.insert(begin.addr(), Rc::new(RefCell::new(array))));
    begin
}

/// Frees this thread's array at an address; `false` if there is none.
pub fn free_shared(address: usize) -> bool {
    KEPT.try_with(|kept| kept.borrow_mut().0.remove(&address)).ok().flatten().is_some()
}

/// Frees an array of [`keep_shared`]: another thread's when that keeps or gives up its next one.
pub fn free_shared_anywhere(address: usize) {
    free_given_up();
    if !free_shared(address) {
        GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner).push(address);
    }
}

fn free_given_up() {
    GIVEN_UP.lock().unwrap_or_else(PoisonError::into_inner).retain(|array| !free_shared(*array));
}

/// Moves between arrays at these addresses, of as many bytes. This thread's shared arrays move as
/// such; closures provide all other slices.
///
/// # Errors
/// A rank's array is wrong, a rank has ended or makes a different call: see [`AnyBound::run`].
///
/// # Panics
/// As there.
pub fn run_between<'a>(
    bound: &mut AnyBound,
    [from, to]: [(usize, usize); 2],
    source: impl FnOnce() -> &'a [u8],
    destination: impl FnOnce() -> &'a mut [u8],
) -> Result<(), Error> {
    let [from, to] = [from, to].map(|(address, bytes)| shared_at(address, bytes));
    let from = from.as_ref().and_then(|array| array.try_borrow().ok());
    // If one empty array is both, it is only the source.
    let mut to = to.as_ref().and_then(|array| array.try_borrow_mut().ok());
    let (own_source, mut own_destination);
    let source: &dyn SourceArray<u8> = match &from {
        Some(array) => &**array,
        None => {
            own_source = source();
            &own_source
        }
    };
    let destination: &mut dyn DestinationArray<u8> = match &mut to {
        Some(array) => &mut **array,
        None => {
            own_destination = destination();
            &mut own_destination
        }
    };
    bound.run(source, destination)
}

/// Returns `true` if arrays at two addresses, of as many bytes, may share a byte.
pub fn overlap([(one, bytes), (other, others)]: [(usize, usize); 2]) -> bool {
    let (end, others_end) = (one.saturating_add(bytes), other.saturating_add(others));
    bytes > 0 && others > 0 && one < others_end && other < end
}

fn shared_at(address: usize, bytes: usize) -> Option<Shared> {
    KEPT.with_borrow(|kept| {
        let array = kept.0.get(&address)?;
        (array.borrow().len() == bytes).then(|| Rc::clone(array))
    })
}

#[cfg(test)]
mod tests {
    use super::overlap;

    #[test]
    fn neighbours_do_not_overlap() {
        assert!(!overlap([(8, 8), (16, 8)]));
        assert!(!overlap([(16, 8), (8, 8)]));
        assert!(overlap([(8, 9), (16, 8)]));
        assert!(overlap([(0, 100), (16, 8)]));
        assert!(!overlap([(16, 0), (8, 16)]));
    }
}
