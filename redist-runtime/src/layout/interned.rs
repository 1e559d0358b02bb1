//! Lists of sizes that live as long as the program, so that layouts stay plain values which can be
//! copied.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Every list that was asked for, once.
static LISTS: Mutex<BTreeSet<&'static [usize]>> = Mutex::new(BTreeSet::new());

/// A list with these sizes that is never freed. Asking again for the same sizes gives the same
/// list.
pub(super) fn interned(sizes: &[usize]) -> &'static [usize] {
    // A set is whole between insertions, so it does not matter if a thread panicked while it held
    // the lock.
    let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(list) = lists.get(sizes) {
        return list;
    }
    let list: &'static [usize] = Box::leak(sizes.into());
    lists.insert(list);
    list
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_sizes_are_kept_once() {
        let (first, again) = (interned(&[7, 0, 11]), interned(&[7, 0, 11]));
        assert!(core::ptr::eq(first, again));
        assert_eq!((first, interned(&[7, 11])), (&[7, 0, 11][..], &[7, 11][..]));
    }
}
