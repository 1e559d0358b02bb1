//! The arrays of a rank, as bytes.

#[cfg(feature = "mpi")]
use super::mpi::SharedBytes;

/// The bytes of this rank's source array.
#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
    /// In memory of this rank only.
    Own(&'a [u8]),
    /// In this rank's part of an array that the ranks of a node share.
    #[cfg(feature = "mpi")]
    Shared(&'a SharedBytes),
}

impl<'a> Source<'a> {
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
    /// In memory of this rank only.
    Own(&'a mut [u8]),
    /// In this rank's part of an array that the ranks of a node share.
    #[cfg(feature = "mpi")]
    Shared(&'a mut SharedBytes),
    /// Kept: only a function of this rank's caller writes to it, and no other rank does.
    Kept,
}

impl<'a> Target<'a> {
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        match self {
            Target::Own(bytes) => bytes,
            Target::Kept => &mut [],
            #[cfg(feature = "mpi")]
            Target::Shared(array) => array.bytes_mut(),
        }
    }

    pub fn into_bytes(self) -> &'a mut [u8] {
        match self {
            Target::Own(bytes) => bytes,
            Target::Kept => &mut [],
            #[cfg(feature = "mpi")]
            Target::Shared(array) => array.bytes_mut(),
        }
    }
}

/// Both arrays of this rank in a move.
#[derive(Debug)]
pub struct Arrays<'a> {
    pub source: Source<'a>,
    pub target: Target<'a>,
}
