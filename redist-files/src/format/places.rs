//! Formats: each says where the elements of the arrays of a file are.

use crate::chunks::{NewChunks, StoredBoxes, StoredChunks};
use crate::element::{CopiedElement, bytes_of_code};
use crate::readable::Readable;
use std::fmt::Debug;
use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A format of files that hold arrays.
pub trait Format: Debug + Send + Sync {
    /// Returns the word of `--format`.
    fn name(&self) -> &'static str;

    /// Returns `true` if a file holds several arrays by name.
    fn is_shared(&self) -> bool;

    /// Returns the code of an element in a new file, and whether its bytes are swapped. Fails if the
    /// format cannot hold it.
    fn code(&self, element: &CopiedElement) -> Result<(String, bool), String>;

    /// Reads what a file of `len` bytes says about its arrays.
    fn open(&self, file: &Readable, len: u64) -> Result<Vec<StoredPart>, String>;

    /// Returns `true` if few ranges of bytes say all about its arrays, so that it is read from stores.
    fn reads_objects(&self) -> bool {
        true
    }

    /// Places arrays in a new file. Fails if the format cannot hold them.
    fn lay_out(&self, parts: &[NewPart]) -> Result<FileLayout, String>;

    /// Returns the format's way with folders, if an array of it is a folder of chunks.
    fn folder(&self) -> Option<&dyn FolderFormat> {
        None
    }

    /// Completes a file of this layout whose elements are all written.
    fn finish(&self, _file: &File, _layout: &FileLayout) -> Result<(), String> {
        Ok(())
    }
}

/// A format of folders, each with one array in chunks.
pub trait FolderFormat {
    /// Reads what a folder says about its array: the file that says it, and the array. `None` if
    /// there is no such folder.
    fn open(&self, folder: &Path) -> Result<Option<(PathBuf, StoredPart)>, String>;

    /// Returns the extents of chunks that the user asks for, in elements.
    fn asked_chunks(&self) -> Option<&[usize]>;

    /// Returns the name of the file that completes a new array: before it, nobody takes the folder for one.
    fn last_file(&self) -> &'static str;

    /// Prepares a new array. Fails if the format cannot hold it.
    fn create(&self, part: &NewPart) -> Result<Arc<dyn NewChunks>, String>;
}

/// A local array, or a whole one, in a file that is there.
#[derive(Clone, Debug)]
pub struct StoredPart {
    /// The name in a file that holds several.
    pub name: String,
    /// The file's words on the array; `None` if it has none.
    pub header: Option<PartHeader>,
    pub span: Span,
    /// `true` if the file may go on behind the array.
    pub open_end: bool,
    /// The chunks of an array in a folder.
    pub chunks: Option<Arc<dyn StoredChunks>>,
    /// The library that reads an array whose elements have no place of their own in the file.
    pub boxes: Option<Arc<dyn StoredBoxes>>,
    /// `true` if bytes of numbers are in the other order in the file than the header's code says.
    pub swapped: bool,
    /// The checksum that the file keeps of the array.
    pub sum: Option<MemberSum>,
}

/// A checksum that a file keeps of a part of it.
#[derive(Clone, Debug)]
pub struct MemberSum {
    /// The part's name.
    pub name: String,
    /// Its first byte.
    pub start: u64,
    /// Its bytes.
    pub len: u64,
    /// The checksum, by CRC-32.
    pub sum: u32,
}

impl StoredPart {
    /// Makes the only array of a file.
    pub fn only(header: Option<PartHeader>, span: Span) -> Self {
        let (name, open_end) = (String::new(), false);
        Self { name, header, span, open_end, chunks: None, boxes: None, swapped: false, sum: None }
    }
}

/// The words of a file about an array.
#[derive(Clone, Debug)]
pub struct PartHeader {
    /// Code of the elements' type.
    pub code: String,
    /// `true` if types of the format have codes of their own.
    pub exact: bool,
    /// Extents, in elements.
    pub shape: Vec<usize>,
    /// `true` if the first index runs fastest.
    pub fortran: bool,
    /// Chunks of the array, in a folder.
    pub chunks: Option<PartChunks>,
}

impl PartHeader {
    /// Makes a header of a format whose codes stand for types of their size, too.
    pub fn new(code: String, shape: Vec<usize>, fortran: bool) -> Self {
        Self { code, exact: false, shape, fortran, chunks: None }
    }
}

/// Returns the bytes of an element by a header.
pub fn bytes_of(header: Option<&PartHeader>) -> Option<usize> {
    header.and_then(|header| bytes_of_code(&header.code))
}

/// The bytes of a file in which the elements of an array are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Span {
    /// Bytes before the first element.
    pub start: u64,
    /// Bytes of all elements.
    pub len: u64,
    /// Bytes of elements between two gaps; `u64::MAX` if there are none.
    pub every: u64,
    /// Bytes of a gap.
    pub gap: u64,
}

impl Span {
    pub fn dense(start: u64, len: u64) -> Self {
        Self { start, len, every: u64::MAX, gap: 0 }
    }

    /// Returns the file's byte of a byte of the elements, and how many follow without a gap.
    pub fn place(&self, byte: u64) -> (u64, u64) {
        let gaps = byte / self.every;
        (self.start + byte + gaps * self.gap, self.every - byte % self.every)
    }

    /// Visits `len` bytes of the elements from one on: the file's byte, and the range of these.
    pub fn for_each<E>(
        &self,
        first: u64,
        len: usize,
        mut visit: impl FnMut(u64, Range<usize>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut done = 0;
        while done < len {
            let (place, together) = self.place(first + done as u64);
            let end = len.min(done.saturating_add(usize::try_from(together).unwrap_or(usize::MAX)));
            visit(place, done..end)?;
            done = end;
        }
        Ok(())
    }
}

/// An array of a file that is to be written.
#[derive(Clone, Debug)]
pub struct NewPart {
    pub name: String,
    pub element: CopiedElement,
    /// Extents, in elements.
    pub shape: Vec<usize>,
    /// `true` if the first index runs fastest.
    pub fortran: bool,
    /// Chunks of the array, for a format of folders.
    pub chunks: Option<PartChunks>,
}

/// Chunks of an array; those of a new one are by its layout and its source.
#[derive(Clone, Debug, Default)]
pub struct PartChunks {
    /// Extents of a chunk, in elements.
    pub shape: Vec<usize>,
    /// The element that chunks consist of that are not there; zeros if empty.
    pub fill: Vec<u8>,
}

impl NewPart {
    /// Returns the bytes of the elements; fails if no file can hold them.
    pub fn bytes(&self) -> Result<u64, String> {
        bytes(0, &self.shape, self.element.bytes)
    }
}

/// The places of a new file, and what is written around them.
#[derive(Clone, Debug, Default)]
pub struct FileLayout {
    /// Texts, each with the byte that it begins at.
    pub texts: Vec<(u64, Vec<u8>)>,
    /// By part: where the elements go.
    pub spans: Vec<Span>,
    /// Bytes of the file.
    pub len: u64,
}

/// Counts the bytes of a file of elements behind `start` bytes.
pub fn bytes(start: u64, extents: &[usize], element_bytes: usize) -> Result<u64, String> {
    let empty = extents.contains(&0);
    let mut elements = extents.iter().try_fold(1u64, |all, extent| all.checked_mul(*extent as u64));
    if empty {
        elements = Some(0);
    }
    elements
        .and_then(|elements| elements.checked_mul(element_bytes as u64)?.checked_add(start))
        .filter(|bytes| *bytes <= i64::MAX as u64)
        .ok_or_else(|| format!("{extents:?} elements of {element_bytes} bytes fit no file"))
}
