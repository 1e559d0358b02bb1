//! Handles, and places that the library writes them to.

use std::ffi::{c_int, c_void};
use std::fmt;
use std::marker::PhantomData;

macro_rules! kinds {
    ($($kind:ident)*) => {$(
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub(crate) enum $kind {}
    )*};
}

kinds! { Comm Datatype Errhandler Group Info Message Op Request }

/// A handle, as a word: a pointer, or a number of C with its sign.
#[derive(Clone, Copy, PartialEq)]
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

    /// Calls a function with a place for the library, which holds the handle. Returns the result,
    /// and the handle that is there afterwards. `is_narrow` if handles are numbers of C.
    #[inline]
    pub fn in_memory<R>(self, is_narrow: bool, call: impl FnOnce(*mut c_void) -> R) -> (R, Self) {
        let (mut narrow, mut wide) = (self.0 as c_int, self.0);
        let place = match is_narrow {
            true => (&raw mut narrow).cast(),
            false => (&raw mut wide).cast(),
        };
        let result = call(place);
        (result, if is_narrow { Self::from_narrow(narrow) } else { Self::new(wide) })
    }
}

impl<K> fmt::Debug for Handle<K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#x}", self.0)
    }
}

/// Adjacent places for requests: a list for the library.
#[derive(Debug)]
pub(crate) enum Places {
    Narrow(Vec<c_int>),
    Wide(Vec<usize>),
}

impl Places {
    pub fn filled(request: Handle<Request>, len: usize, is_narrow: bool) -> Self {
        match is_narrow {
            true => Self::Narrow(vec![request.narrow(); len]),
            false => Self::Wide(vec![request.word(); len]),
        }
    }

    /// Returns the list for the library, which writes at most as many handles as it has.
    #[inline]
    pub fn pointer(&mut self) -> *mut c_void {
        match self {
            Self::Narrow(list) => list.as_mut_ptr().cast(),
            Self::Wide(list) => list.as_mut_ptr().cast(),
        }
    }

    #[inline]
    pub fn get(&self, at: usize) -> Handle<Request> {
        match self {
            Self::Narrow(list) => Handle::from_narrow(list[at]),
            Self::Wide(list) => Handle::new(list[at]),
        }
    }

    #[inline]
    pub fn set(&mut self, at: usize, request: Handle<Request>) {
        match self {
            Self::Narrow(list) => list[at] = request.narrow(),
            Self::Wide(list) => list[at] = request.word(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_keeps_its_sign() {
        let handle = Handle::<Comm>::from_narrow(0x8400_0001_u32 as c_int);
        assert_eq!(handle.in_memory(true, |_| ()).1, handle);
        assert_eq!(handle.narrow() as u32, 0x8400_0001);
    }

    #[test]
    fn places_have_their_handles() {
        for is_narrow in [true, false] {
            let mut places = Places::filled(Handle::new(7), 3, is_narrow);
            places.set(1, Handle::from_narrow(-5));
            assert_eq!([0, 1, 2].map(|at| places.get(at).narrow()), [7, -5, 7]);
        }
    }
}
