//! The arrays of a rank, as bytes.

#[cfg(feature = "mpi")]
use super::mpi::SharedBytes;

#[derive(Clone, Copy, Debug)]
pub enum Source<'a> {
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

#[derive(Debug)]
pub enum Target<'a> {
    Own(&'a mut [u8]),
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

#[derive(Debug)]
pub struct Arrays<'a> {
    pub source: Source<'a>,
    pub target: Target<'a>,
}
