//! The C library: its files, and its words.

use std::fs::File;
use std::os::fd::AsRawFd;

/// Opens a file, which is open already, by the library.
pub fn opened(file: &File) -> Result<hdf5_metno::File, String> {
    let path = format!("/dev/fd/{}", file.as_raw_fd());
    hdf5_metno::File::open(path).map_err(|error| words(&error))
}

/// Returns the library's words in one line.
pub fn words(error: &hdf5_metno::Error) -> String {
    let text = error.to_string();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
