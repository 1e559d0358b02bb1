//! Pieces of an object that go into one buffer, and are read together.

use super::object::{Object, Piece};
use std::io;
use std::ops::Range;

/// Most pieces that wait, so that lists of them stay short.
const MAX_PIECES: usize = 4096;

/// Pieces of an object that are not read yet. Both in the object and in the buffer, each lies behind
/// the one before.
pub struct Gathered<'a> {
    object: &'a Object,
    pieces: Vec<Piece<'a>>,
    /// The buffer behind the last piece, and the byte that it begins at.
    rest: (&'a mut [u8], usize),
}

impl<'a> Gathered<'a> {
    pub fn new(object: &'a Object, to: &'a mut [u8]) -> Self {
        Self { object, pieces: Vec::new(), rest: (to, 0) }
    }

    /// Adds the bytes of the buffer that are at a place of the object.
    pub fn add(&mut self, place: u64, range: Range<usize>) -> io::Result<()> {
        let (rest, begins) = std::mem::take(&mut self.rest);
        let before = range.start.checked_sub(begins);
        let before = before.ok_or_else(|| io::Error::other("pieces are in no order"))?;
        let (piece, rest) = rest[before..].split_at_mut(range.len());
        self.rest = (rest, range.end);
        if !piece.is_empty() {
            self.pieces.push((place, piece));
        }
        match self.pieces.len() {
            MAX_PIECES => self.read(),
            _ => Ok(()),
        }
    }

    /// Reads the pieces that wait.
    pub fn read(&mut self) -> io::Result<()> {
        let pieces = std::mem::take(&mut self.pieces);
        if pieces.is_empty() { Ok(()) } else { self.object.read(pieces) }
    }
}
