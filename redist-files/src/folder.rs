//! Files of an array in chunks, in its folder and below, which wait until objects get their bytes.
#![cfg_attr(not(feature = "object-store"), allow(dead_code, reason = "stores alone read them"))]

use super::unfinished::{open_file, open_folder};
use rustix::fs::{AtFlags, Dir, FileType, OFlags, RawMode, statat};
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileExt;

/// Reads bytes of a file, by its number, from a place on.
pub type ReadFile<'a> = dyn Fn(usize, &mut [u8], u64) -> Result<(), String> + 'a;

/// Files that wait until objects get their bytes.
pub struct Waiting<'a> {
    pub read: &'a ReadFile<'a>,
    /// Lists the files of a folder, by its number.
    pub folder: &'a dyn Fn(usize) -> Result<FolderFiles, String>,
}

/// Files of a folder, and of the folders in it.
#[derive(Debug)]
pub struct FolderFiles {
    folder: File,
    /// Their names, with `/` between folders, and their bytes.
    pub files: Vec<(String, u64)>,
}

impl FolderFiles {
    /// Lists them. Fails on a link, which no run has made.
    pub fn of(folder: File) -> io::Result<Self> {
        let mut files = Vec::new();
        list(folder.as_fd(), "", &mut files)?;
        Ok(Self { folder, files })
    }

    /// Takes a file out of the list, and returns its bytes.
    pub fn take(&mut self, name: &str) -> Result<u64, String> {
        let place = self.files.iter().position(|(own, _)| own == name);
        let place = place.ok_or_else(|| format!("{name}: was removed meanwhile"))?;
        Ok(self.files.swap_remove(place).1)
    }

    /// Reads bytes of a file from a place on.
    pub fn read(&self, name: &str, to: &mut [u8], place: u64) -> Result<(), String> {
        let opened = open_file(self.folder.as_fd(), OsStr::new(name), OFlags::RDONLY);
        let gone = || io::Error::other("was removed meanwhile");
        let read = opened
            .and_then(|found| found.ok_or_else(gone))
            .and_then(|(file, _)| file.read_exact_at(to, place));
        read.map_err(|error| error.to_string())
    }
}

fn list(folder: BorrowedFd<'_>, before: &str, files: &mut Vec<(String, u64)>) -> io::Result<()> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let path = format!("{before}{}", name.to_string_lossy());
        let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)?;
        match FileType::from_raw_mode(found.st_mode as RawMode) {
            FileType::RegularFile => files.push((path, found.st_size as u64)),
            FileType::Directory => {
                list(open_folder(folder, name)?.as_fd(), &format!("{path}/"), files)?;
            }
            _ => {
                return Err(io::Error::other(format!("{path}: is no file that this run has made")));
            }
        }
    }
    Ok(())
}
