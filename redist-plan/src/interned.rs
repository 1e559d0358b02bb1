//! Lists that live as long as the program, so that values that have one can be copied.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// The lists of one sort that are kept: equal ones once, for as long as the program runs.
#[doc(hidden)]
pub struct Interner<T: ?Sized + 'static>(Mutex<BTreeSet<&'static T>>);

impl<T: ?Sized + Ord> Default for Interner<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: ?Sized + Ord> Interner<T> {
    pub const fn new() -> Self {
        Self(Mutex::new(BTreeSet::new()))
    }

    /// Returns this value, never freed; equal values once.
    pub fn get(&self, value: &T) -> &'static T
    where
        for<'a> Box<T>: From<&'a T>,
    {
        // A set is whole between insertions, so it does not matter if a thread panicked while it
        // held the lock.
        let mut values = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = values.get(value) {
            return found;
        }
        let value: &'static T = Box::leak(value.into());
        values.insert(value);
        value
    }
}

static LISTS: Interner<[usize]> = Interner::new();

#[doc(hidden)]
pub fn interned(numbers: &[usize]) -> &'static [usize] {
    LISTS.get(numbers)
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
