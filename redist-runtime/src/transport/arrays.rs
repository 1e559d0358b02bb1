//! The arrays of a rank, as bytes.

#[cfg(feature = "mpi")]
use super::mpi::SharedBytes;

/// The bytes of this rank's source array.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// In memory of its own.
    Own(&'a [u8]),
    /// In its part of an array that the ranks of a node share.
    #[cfg(feature = "mpi")]
    Shared(&'a SharedBytes),
}

impl<'a> Source<'a> {
    /// Wherever it lies.
    pub fn bytes(&self) -> &'a [u8] {
        match self {
            Source::Own(bytes) => bytes,
            #[cfg(feature = "mpi")]
            Source::Shared(array) => array.bytes(),
        }
    }
}

/// The bytes of this rank's destination array.
#[derive(Debug)]
pub enum Target<'a> {
    /// In memory of its own.
    Own(&'a mut [u8]),
    /// In its part of an array that the ranks of a node share.
    #[cfg(feature = "mpi")]
    Shared(&'a mut SharedBytes),
    /// Kept: a function of this rank's writes to it, and no other rank does.
    Kept,
}

impl<'a> Target<'a> {
    /// Wherever it lies.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Target::Own(bytes) => bytes,
            Target::Kept => &mut [],
            #[cfg(feature = "mpi")]
            Target::Shared(array) => array.bytes_mut(),
        }
    }

    /// Wherever it lies.
    pub fn into_bytes(self) -> &'a mut [u8] {
        match self {
            Target::Own(bytes) => bytes,
            Target::Kept => &mut [],
            #[cfg(feature = "mpi")]
            Target::Shared(array) => array.bytes_mut(),
        }
    }
}

/// Both of a rank's arrays.
#[derive(Debug)]
pub struct Arrays<'a> {
    pub source: Source<'a>,
    pub target: Target<'a>,
}
