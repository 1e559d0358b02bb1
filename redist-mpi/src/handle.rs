//! Handles, and places that the library writes them to. Unsafe, because it takes pointers to these.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;

macro_rules! kinds {
    ($($kind:ident)*) => {$(
        #[derive(Clone, Copy, Debug)]
        pub(crate) enum $kind {}
    )*};
}

kinds! { Comm Datatype Errhandler Group Info Message Op Request Win }

/// A handle, as a word: a pointer, or a number of C with its sign.
pub(crate) struct Handle<K>(usize, PhantomData<K>);

impl<K> Handle<K> {
    #[inline]
    pub const fn new(word: usize) -> Self {
        Self(word, PhantomData)
    }

    #[inline]
    pub const fn word(self) -> usize {
        self.0
    }

    /// Returns the handle for libraries whose handles are numbers of C.
    #[inline]
    pub const fn narrow(self) -> c_int {
        self.0 as c_int
    }

    #[inline]
    pub const fn from_narrow(handle: c_int) -> Self {
        Self::new(handle as isize as usize)
    }
}

impl<K> Clone for Handle<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for Handle<K> {}

impl<K> PartialEq for Handle<K> {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<K> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// A handle as it lies in memory.
#[derive(Clone, Copy)]
#[repr(C)]
union Lain {
    wide: usize,
    narrow: c_int,
}

/// A place for a handle, which the library reads and writes.
pub(crate) struct Place<K> {
    lain: Lain,
    kind: PhantomData<K>,
}

impl<K> Place<K> {
    /// Makes a place with a handle in it; `is_narrow` if handles are numbers of C.
    #[inline]
    pub fn holding(handle: Handle<K>, is_narrow: bool) -> Self {
        let mut lain = Lain { wide: handle.word() };
        // Elsewhere a word begins with the number.
        if cfg!(target_endian = "big") && is_narrow {
            lain.narrow = handle.narrow();
        }
        Self { lain, kind: PhantomData }
    }

    /// Returns the place for the library, which writes no more than a handle.
    #[inline]
    pub fn pointer(&mut self) -> *mut c_void {
        (&raw mut self.lain).cast()
    }

    /// Returns the handle in it; `is_narrow` as for [`holding`](Self::holding).
    #[inline]
    pub fn handle(&self, is_narrow: bool) -> Handle<K> {
        // SAFETY: `holding` initialises all bytes. Any bytes are a handle, which is a number or an
        // address here.
        unsafe {
            match is_narrow {
                true => Handle::from_narrow(self.lain.narrow),
                false => Handle::new(self.lain.wide),
            }
        }
    }
}

impl<K> fmt::Debug for Place<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a place for a handle")
    }
}

/// Adjacent places for handles: a list for the library.
#[derive(Debug)]
pub(crate) struct Places<K> {
    words: Vec<usize>,
    is_narrow: bool,
    kind: PhantomData<K>,
}

impl<K> Places<K> {
    pub fn filled(handle: Handle<K>, len: usize, is_narrow: bool) -> Self {
        let mut places = Self { words: vec![0; len], is_narrow, kind: PhantomData };
        (0..len).for_each(|at| places.set(at, handle));
        places
    }

    /// Returns the list for the library, which writes no more handles than it has.
    #[inline]
    pub fn pointer(&mut self) -> *mut c_void {
        self.words.as_mut_ptr().cast()
    }

    #[inline]
    pub fn get(&self, at: usize) -> Handle<K> {
        assert!(at < self.words.len(), "place {at} of {}", self.words.len());
        if !self.is_narrow {
            return Handle::new(self.words[at]);
        }
        // SAFETY: there are as many words, which have room for as many numbers, all initialised; `at`
        // is less.
        Handle::from_narrow(unsafe { *self.words.as_ptr().cast::<c_int>().add(at) })
    }

    #[inline]
    pub fn set(&mut self, at: usize, handle: Handle<K>) {
        assert!(at < self.words.len(), "place {at} of {}", self.words.len());
        if !self.is_narrow {
            self.words[at] = handle.word();
            return;
        }
        // SAFETY: there are as many words, which have room for as many numbers; `at` is less.
        unsafe { *self.words.as_mut_ptr().cast::<c_int>().add(at) = handle.narrow() };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_sign() {
        let handle = Handle::<Comm>::from_narrow(0x8400_0001_u32 as c_int);
        let place = Place::holding(handle, true);
        assert_eq!(place.handle(true), handle);
        assert_eq!(handle.narrow() as u32, 0x8400_0001);
    }

    #[test]
    fn places_lie_as_close_as_their_handles() {
        for is_narrow in [true, false] {
            let mut places = Places::filled(Handle::<Request>::new(7), 3, is_narrow);
            places.set(1, Handle::from_narrow(-5));
            assert_eq!((0..3).map(|at| places.get(at).narrow()).collect::<Vec<_>>(), [7, -5, 7]);
            let bytes = if is_narrow { 4 } else { size_of::<usize>() };
            // SAFETY: the second place lies inside of the list.
            let second = unsafe { places.pointer().cast::<u8>().add(bytes).cast::<c_int>().read() };
            assert_eq!(second, -5);
        }
    }
}
