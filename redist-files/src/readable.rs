//! Files, and objects at stores: the bytes of both are read at any place.

use super::address::{Address, is_address};
use super::journal::hash;
use super::regular::{self, Access, FileId};
use super::store::{self, Object};
use rustix::io::Errno;
use std::fs::{File, Metadata};
use std::io::{self, BufReader, ErrorKind, Read};
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;

/// Fails on the name of an object that this program cannot read, or write.
pub fn admit(name: &Path, is_written: bool) -> Result<(), String> {
    match is_address(name) {
        true => store::admit(&Address::parse(name)?, is_written),
        false => Ok(()),
    }
}

/// Words on a file or an object that is not there.
pub fn missing(name: &Path) -> String {
    let words = match is_address(name) {
        true => "there is no such object, or no such bucket".into(),
        false => io::Error::from_raw_os_error(Errno::NOENT.raw_os_error()).to_string(),
    };
    format!("{}: {words}", name.display())
}

/// Bytes that are read from a store at a time where a header is read from its begin to its end.
const HEADER_BYTES: usize = 64 << 10;

/// An open file, or an object.
#[derive(Debug)]
pub enum Readable {
    File(File),
    Object(Object),
}

/// The identity of a file or an object, and how it was when it was opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    pub id: FileId,
    /// Bytes.
    pub len: u64,
    /// A number that changes with it: the time of a file's last change in nanoseconds, or a hash of
    /// the store's words on an object.
    pub modified: i128,
}

impl State {
    pub fn of(metadata: &Metadata) -> Self {
        let seconds = i128::from(metadata.mtime());
        let modified = seconds * 1_000_000_000 + i128::from(metadata.mtime_nsec());
        Self { id: FileId::of(metadata), len: metadata.len(), modified }
    }

    fn of_object(name: &Path, object: &Object) -> Self {
        let modified = hash(1, object.words().as_bytes()).into();
        Self { id: object_id(name), len: object.len(), modified }
    }
}

/// Returns the identity of an object, which no file has: a device of its own.
fn object_id(name: &Path) -> FileId {
    FileId::of_numbers(u64::MAX, hash(0, name.as_os_str().as_encoded_bytes()))
}

impl From<File> for Readable {
    fn from(file: File) -> Self {
        Self::File(file)
    }
}

impl Readable {
    /// Opens a regular file, or an object. `None` if there is none.
    pub fn open(name: &Path) -> io::Result<Option<(Self, State)>> {
        if is_address(name) {
            let opened = Object::open(name).map_err(io::Error::other)?;
            return Ok(opened.map(|object| {
                let state = State::of_object(name, &object);
                (Self::Object(object), state)
            }));
        }
        match regular::open(name, Access::Read) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
            Ok((file, metadata)) => Ok(Some((Self::File(file), State::of(&metadata)))),
        }
    }

    /// Returns the file. Fails on an object.
    pub fn file(&self) -> io::Result<&File> {
        match self {
            Self::File(file) => Ok(file),
            Self::Object(_) => Err(io::Error::other("is an object at a store, and no file")),
        }
    }

    /// Returns `true` if it keeps a file open.
    pub fn is_file(&self) -> bool {
        matches!(self, Self::File(_))
    }

    pub fn read_exact_at(&self, to: &mut [u8], place: u64) -> io::Result<()> {
        match self {
            Self::File(file) => file.read_exact_at(to, place),
            Self::Object(object) => object.read_exact_at(to, place),
        }
    }

    /// Reads a part of it from the first byte on.
    pub fn reader(&self, part: Range<u64>) -> BufReader<PartReader<'_>> {
        let reader = PartReader { from: self, part };
        match self {
            Self::File(_) => BufReader::new(reader),
            Self::Object(_) => BufReader::with_capacity(HEADER_BYTES, reader),
        }
    }
}

/// The unread rest of a part of a file or an object, in bytes.
#[derive(Debug)]
pub struct PartReader<'a> {
    from: &'a Readable,
    /// Places of the bytes that are left to read.
    part: Range<u64>,
}

impl Read for PartReader<'_> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let left = self.part.end.saturating_sub(self.part.start);
        let len = usize::try_from(left).unwrap_or(usize::MAX).min(to.len());
        self.from.read_exact_at(&mut to[..len], self.part.start)?;
        self.part.start += len as u64;
        Ok(len)
    }
}
