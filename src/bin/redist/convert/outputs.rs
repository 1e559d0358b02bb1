//! Files that get their names when all of them are complete.

use super::element::CopiedElement;
use super::files::{FileSet, bytes};
use super::npy::NpyHeader;
use super::side::StoredSide;
use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What the names of unfinished files end in.
const UNFINISHED: &str = ".redist-part";

/// Unfinished files, which are removed unless they are finished.
pub struct Outputs {
    names: Vec<PathBuf>,
    unfinished: Vec<PathBuf>,
    /// How many of them are there.
    made: usize,
    /// The first one, which is locked as long as this runs.
    lock: Option<File>,
}

impl Outputs {
    /// Looks whether files of these names may be written.
    ///
    /// # Errors
    /// A file that is there, unless `force` is said; one that is read from, in any case.
    pub fn new(names: Vec<PathBuf>, inputs: &[PathBuf], force: bool) -> Result<Self, String> {
        let identity = |path: &Path| fs::metadata(path).ok().map(|file| (file.dev(), file.ino()));
        let inputs: HashSet<_> = inputs.iter().filter_map(|path| identity(path)).collect();
        for name in &names {
            match identity(name) {
                Some(file) if inputs.contains(&file) => {
                    return Err(format!("{}: is read from; write to another name", name.display()));
                }
                Some(_) if !force => {
                    return Err(format!("{}: is there; --force replaces it", name.display()));
                }
                _ => {}
            }
        }
        let unfinished = names.iter().map(|name| {
            let file = name.file_name().unwrap_or_default().to_string_lossy();
            name.with_file_name(format!(".{file}{UNFINISHED}"))
        });
        Ok(Self { unfinished: unfinished.collect(), names, made: 0, lock: None })
    }

    /// Makes the unfinished files, with headers and their full lengths; what an earlier run has
    /// left is overwritten.
    ///
    /// # Errors
    /// Any of the file system; another run that writes the same files.
    pub fn create<const D: usize>(
        &mut self,
        side: &StoredSide<D>,
        element: &CopiedElement,
    ) -> Result<FileSet, String> {
        let mut starts = Vec::with_capacity(self.names.len());
        for (number, path) in self.unfinished.iter().enumerate() {
            let extents = side.local_extents(number);
            let header = match side.pattern.is_npy() {
                true => NpyHeader::written(&element.dtype, side.is_fortran() && D > 1, &extents),
                false => Vec::new(),
            };
            let len = bytes(header.len() as u64, &extents, element.bytes)?;
            let failed = |error| format!("{}: {error}", path.display());
            let opened = File::options().create(true).write(true).truncate(false).open(path);
            let mut file = opened.map_err(failed)?;
            if number == 0 {
                match file.try_lock() {
                    Err(TryLockError::WouldBlock) => {
                        return Err(format!("{}: another run writes it", self.names[0].display()));
                    }
                    // A file system without locks.
                    Err(TryLockError::Error(_)) | Ok(()) => {}
                }
            }
            self.made = number + 1;
            file.set_len(0).map_err(failed)?;
            file.write_all(&header).and_then(|()| file.set_len(len)).map_err(failed)?;
            starts.push(header.len() as u64);
            if number == 0 {
                self.lock = Some(file);
            }
        }
        FileSet::open(self.unfinished.clone(), starts, element.bytes, true)
    }

    /// The names that the files have until they are finished.
    pub fn unfinished(&self) -> Vec<PathBuf> {
        self.unfinished.clone()
    }

    /// Gives all files their names.
    ///
    /// # Errors
    /// Any of the file system.
    pub fn finish(mut self, sync: bool) -> Result<(), String> {
        for (from, to) in self.unfinished.iter().zip(&self.names) {
            fs::rename(from, to).map_err(|error| format!("{}: {error}", to.display()))?;
        }
        self.made = 0;
        let folders: HashSet<&Path> = self.names.iter().filter_map(|name| name.parent()).collect();
        for folder in folders.into_iter().filter(|_| sync) {
            let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
            let synced = File::open(folder).and_then(|folder| folder.sync_all());
            synced.map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        Ok(())
    }
}

impl Drop for Outputs {
    fn drop(&mut self) {
        for path in &self.unfinished[..self.made] {
            match fs::remove_file(path) {
                Err(error) if error.kind() != ErrorKind::NotFound => {
                    eprintln!("{}: not removed: {error}", path.display());
                }
                _ => {}
            }
        }
    }
}
