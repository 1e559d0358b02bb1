//! A folder of unfinished files by its descriptor: even if its name changes hands, files are made
//! and removed only in this folder.

use super::regular::FileId;
use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RawMode, Stat, fstat, mkdirat, openat, statat, unlinkat,
};
use rustix::io::Errno;
use rustix::process::geteuid;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, TryLockError};
use std::io::{self, ErrorKind, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

const PREFIX: &str = ".redist-part-";

/// Marks a folder whose lock tells whether its run is alive: file systems have locks, or not.
pub const LOCK: &str = ".redist-lock";

/// Beginning of the names of folders that become arrays in chunks.
pub const FOLDER: &str = ".redist-folder-";

/// Tells which run has made a folder.
const KEY: &str = ".redist-run";

/// A file as `fstatat` describes it.
pub struct Found(Stat);

impl Found {
    /// Looks at a name in a folder; does not follow a link. `None` if there is no such name.
    pub fn at(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<Option<Self>> {
        match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(found) => Ok(Some(Self(found))),
            Err(error) if error == Errno::NOENT => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    pub fn id(&self) -> FileId {
        FileId::of_numbers(self.0.st_dev as _, self.0.st_ino as _)
    }

    pub fn stat(&self) -> &Stat {
        &self.0
    }

    pub fn is_file(&self) -> bool {
        FileType::from_raw_mode(self.0.st_mode as RawMode) == FileType::RegularFile
    }
}

/// A folder of unfinished files, and the names that this run has made in it.
pub struct Unfinished {
    name: OsString,
    id: FileId,
    made: Vec<OsString>,
}

impl Unfinished {
    /// Makes a folder that other users cannot look into. Locks it, where the file system has locks,
    /// until the returned descriptor is closed.
    pub fn new(folder: &Path, parent: BorrowedFd<'_>) -> io::Result<(Self, File)> {
        let own = std::os::unix::fs::PermissionsExt::from_mode(0o700);
        let made = tempfile::Builder::new().prefix(PREFIX).permissions(own).tempdir_in(folder)?;
        let name = made.keep().file_name().unwrap_or_default().to_owned();
        let opened = File::from(open_folder(parent, &name)?);
        let found = fstat(&opened)?;
        if found.st_uid != geteuid().as_raw() {
            return Err(io::Error::other("was replaced meanwhile"));
        }
        let mut unfinished = Self { name, id: Found(found).id(), made: Vec::new() };
        match opened.try_lock() {
            Ok(()) => drop(unfinished.create(opened.as_fd(), OsStr::new(LOCK))?),
            // A file system without locks: a folder without this file is never taken for left.
            Err(TryLockError::Error(_)) => {}
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::ResourceBusy.into()),
        }
        Ok((unfinished, opened))
    }

    /// Takes over what a killed run of this key has left in a folder, and locks it.
    pub fn adopt(parent: &File, key: &str) -> io::Result<Option<(Self, File)>> {
        for entry in Dir::read_from(parent)? {
            let entry = entry?;
            let name = OsStr::from_bytes(entry.file_name().to_bytes());
            if !name.as_bytes().starts_with(PREFIX.as_bytes()) {
                continue;
            }
            // It may be no folder, of another user or run, or in use.
            if let Ok(Some(adopted)) = Self::adopt_one(parent.as_fd(), name, key) {
                return Ok(Some(adopted));
            }
        }
        Ok(None)
    }

    fn adopt_one(
        parent: BorrowedFd<'_>,
        name: &OsStr,
        key: &str,
    ) -> io::Result<Option<(Self, File)>> {
        let left = File::from(open_folder(parent, name)?);
        let found = fstat(&left)?;
        let mark = Found::at(left.as_fd(), OsStr::new(LOCK))?;
        if found.st_uid != geteuid().as_raw() || !mark.is_some_and(|mark| mark.is_file()) {
            return Ok(None);
        }
        left.try_lock()?;
        lock_of_ranks(left.as_fd())?;
        let Some((mut file, metadata)) = open_file(left.as_fd(), OsStr::new(KEY), OFlags::RDONLY)?
        else {
            return Ok(None);
        };
        if metadata.len() != key.len() as u64 {
            return Ok(None);
        }
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        if text != key {
            return Ok(None);
        }
        let made = files(&left)?;
        Ok(Some((Self { name: name.to_owned(), id: Found(found).id(), made }, left)))
    }

    /// Writes the key of this run.
    pub fn write_key(&mut self, own: BorrowedFd<'_>, key: &str) -> io::Result<()> {
        self.create(own, OsStr::new(KEY))?.0.write_all(key.as_bytes())
    }

    /// Removes a file that a killed run has left.
    pub fn remove_file(&self, own: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
        remove_file(own, name)
    }

    pub fn name(&self) -> &OsStr {
        &self.name
    }

    /// Opens the folder again. Fails if another folder has its name.
    pub fn reopened(&self, parent: BorrowedFd<'_>) -> io::Result<OwnedFd> {
        let replaced = || io::Error::other("was replaced meanwhile");
        let opened = open_folder(parent, &self.name).map_err(|error| match error {
            Errno::NOTDIR | Errno::LOOP | Errno::NOENT => replaced(),
            other => other.into(),
        })?;
        match Found(fstat(&opened)?).id() == self.id {
            true => Ok(opened),
            false => Err(replaced()),
        }
    }

    /// Makes a file in the folder that is open at `own`.
    pub fn create(&mut self, own: BorrowedFd<'_>, name: &OsStr) -> io::Result<(File, Metadata)> {
        let flags = OFlags::CREATE | OFlags::EXCL | OFlags::RDWR | OFlags::NOFOLLOW;
        let mode = Mode::from_raw_mode(0o666);
        let file = File::from(openat(own, name, flags | OFlags::CLOEXEC, mode)?);
        self.made.push(name.to_owned());
        let metadata = file.metadata()?;
        Ok((file, metadata))
    }

    /// Makes an empty folder in the folder that is open at `own`.
    pub fn make_folder(&mut self, own: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
        remove_file(own, name)?;
        mkdirat(own, name, Mode::from_raw_mode(0o777))?;
        self.made.push(name.to_owned());
        Ok(open_folder(own, name)?)
    }

    /// Removes the files that this run has made, and the folder, if it still has its name.
    pub fn remove(&mut self, own: BorrowedFd<'_>, parent: BorrowedFd<'_>) -> io::Result<()> {
        for name in self.made.drain(..).rev() {
            remove_file(own, &name)?;
        }
        match Found::at(parent, &self.name)? {
            Some(found) if found.id() == self.id => Ok(remove_folder(parent, &self.name)?),
            _ => Err(io::Error::other("was replaced meanwhile, and is left as it is")),
        }
    }
}

pub fn open_folder(parent: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(parent, name, flags, Mode::empty())
}

/// Opens the folder in which an open folder is.
pub fn open_parent(own: BorrowedFd<'_>) -> io::Result<(OwnedFd, FileId)> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let parent = openat(own, "..", flags, Mode::empty())?;
    let id = Found(fstat(&parent)?).id();
    Ok((parent, id))
}

/// Removes a file, or the folder of an array with all that is in it.
fn remove_file(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    match unlinkat(folder, name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(Errno::ISDIR | Errno::PERM) if name.as_bytes().starts_with(FOLDER.as_bytes()) => {
            remove_all(folder, name)
        }
        Err(error) => Err(error.into()),
    }
}

/// Removes a folder with all that is in it; follows no link.
fn remove_all(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<()> {
    let own = File::from(open_folder(folder, name)?);
    for name in files(&own)? {
        match unlinkat(&own, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(Errno::ISDIR | Errno::PERM) => remove_all(own.as_fd(), &name)?,
            Err(error) => return Err(error.into()),
        }
    }
    Ok(remove_folder(folder, name)?)
}

/// Opens a folder in a folder; `None` if there is none of this name.
pub fn reopened_folder(own: BorrowedFd<'_>, name: &OsStr) -> io::Result<Option<File>> {
    match open_folder(own, name) {
        Ok(folder) => Ok(Some(folder.into())),
        Err(Errno::NOENT | Errno::NOTDIR) => Ok(None),
        Err(error) => Err(error.into()),
    }
}

fn remove_folder(parent: BorrowedFd<'_>, name: &OsStr) -> rustix::io::Result<()> {
    unlinkat(parent, name, AtFlags::REMOVEDIR)
}

/// Opens a regular file in a folder; `None` if there is none of this name.
pub fn open_file(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    access: OFlags,
) -> io::Result<Option<(File, Metadata)>> {
    match Found::at(folder, name)? {
        Some(found) if found.is_file() => {}
        _ => return Ok(None),
    }
    let flags = access | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = File::from(openat(folder, name, flags, Mode::empty())?);
    let metadata = file.metadata()?;
    Ok(metadata.is_file().then_some((file, metadata)))
}

fn files(folder: &File) -> io::Result<Vec<OsString>> {
    let mut files = Vec::new();
    for entry in Dir::read_from(folder)? {
        let file = OsStr::from_bytes(entry?.file_name().to_bytes()).to_owned();
        if file != "." && file != ".." {
            files.push(file);
        }
    }
    Ok(files)
}

/// Removes what killed runs of this user have left in a folder.
pub fn remove_left(folder: &File, is_read: impl Fn(FileId) -> bool) -> io::Result<()> {
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name.as_bytes().starts_with(PREFIX.as_bytes()) {
            // It may be no folder, or another user's.
            let _ = remove_unlocked(folder.as_fd(), name, &is_read);
        }
    }
    Ok(())
}

/// Locks the mark of a folder for a moment: other ranks hold it, and may outlive the first one.
fn lock_of_ranks(own: BorrowedFd<'_>) -> io::Result<()> {
    match open_file(own, OsStr::new(LOCK), OFlags::RDONLY)? {
        Some((mark, _)) => Ok(mark.try_lock()?),
        None => Ok(()),
    }
}

/// Removes a folder of unfinished files unless its run is alive, or this run reads from it.
fn remove_unlocked(
    parent: BorrowedFd<'_>,
    name: &OsStr,
    is_read: &impl Fn(FileId) -> bool,
) -> io::Result<()> {
    let left = File::from(open_folder(parent, name)?);
    if fstat(&left)?.st_uid != geteuid().as_raw() {
        return Ok(());
    }
    match Found::at(left.as_fd(), OsStr::new(LOCK))? {
        // Its run was killed before it made any file, or there are no locks.
        None => return Ok(remove_folder(parent, name)?),
        Some(mark) if !mark.is_file() => return Ok(()),
        Some(_) => left.try_lock()?,
    }
    lock_of_ranks(left.as_fd())?;
    let mut files = files(&left)?;
    files.retain(|file| file != LOCK);
    for file in &files {
        if Found::at(left.as_fd(), file)?.is_some_and(|found| is_read(found.id())) {
            return Ok(());
        }
    }
    for file in files.iter().map(OsString::as_os_str).chain([OsStr::new(LOCK)]) {
        remove_file(left.as_fd(), file)?;
    }
    Ok(remove_folder(parent, name)?)
}
