//! Opens regular files only, and tells files apart.

use rustix::fs::OFlags;
use std::fs::{self, File, FileType, Metadata};
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::Path;

/// The identity of a file: device and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(u64, u64);

impl FileId {
    pub fn of(metadata: &Metadata) -> Self {
        Self(metadata.dev(), metadata.ino())
    }

    /// Returns the numbers of the device and of the file on it.
    pub fn numbers(self) -> (u64, u64) {
        (self.0, self.1)
    }

    /// Makes an id of the numbers of the device and of the file on it.
    pub fn of_numbers(device: u64, file: u64) -> Self {
        Self(device, file)
    }
}

/// The purpose that a file is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The file exists.
    Read,
    /// The file is no link.
    Write,
}

/// Opens a regular file; fails at once on others.
pub fn open(path: &Path, access: Access) -> io::Result<(File, Metadata)> {
    only_regular(&fs::metadata(path)?)?;
    let flags = match access {
        Access::Read => OFlags::NONBLOCK,
        Access::Write => OFlags::NONBLOCK | OFlags::NOFOLLOW,
    };
    let file = File::options()
        .read(true)
        .write(access != Access::Read)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    let metadata = file.metadata()?;
    // The name may stand for another file by now.
    only_regular(&metadata)?;
    Ok((file, metadata))
}

/// Opens a folder; fails on a link to one.
pub fn open_folder(path: &Path) -> io::Result<File> {
    let flags = OFlags::NOFOLLOW | OFlags::DIRECTORY;
    File::options().read(true).custom_flags(flags.bits().cast_signed()).open(path)
}

fn only_regular(metadata: &Metadata) -> io::Result<()> {
    match metadata.is_file() {
        true => Ok(()),
        false => Err(io::Error::other(format!("is {}, no file", sort(metadata.file_type())))),
    }
}

pub fn sort(of: FileType) -> &'static str {
    if of.is_dir() {
        "a folder"
    } else if of.is_symlink() {
        "a link"
    } else if of.is_fifo() {
        "a FIFO"
    } else if of.is_socket() {
        "a socket"
    } else if of.is_block_device() || of.is_char_device() {
        "a device"
    } else {
        "a regular file"
    }
}
