//! Folders of unfinished files, inside the folders of the outputs.
//!
//! A run holds a lock in such a folder; the next run removes folders without a lock. Runs remove
//! and publish while they lock the folder around it.

use super::regular::{self, Access, FileId};
use std::collections::HashSet;
use std::fs::{self, File, Permissions, TryLockError};
use std::io::{self, ErrorKind};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

pub const RESERVED: &str = ".redist-";

const PREFIX: &str = ".redist-part-";

const LOCK: &str = ".redist-lock";

/// The longest wait for another run's renaming.
const PATIENCE: Duration = Duration::from_secs(30);

pub struct Staging {
    folder: PathBuf,
    id: FileId,
    unfinished: PathBuf,
    lock: Option<File>,
}

impl Staging {
    /// Removes the rest of killed runs, and makes a folder for this run. Fails if the folder is
    /// locked for too long.
    pub fn new(folder: PathBuf, inputs: &HashSet<FileId>) -> Result<Self, String> {
        let named = |error| format!("{}: {error}", folder.display());
        let (alone, id) = alone(&folder)?;
        remove_left(&folder, inputs).map_err(named)?;
        let made = tempfile::Builder::new()
            .prefix(PREFIX)
            .permissions(Permissions::from_mode(0o700))
            .tempdir_in(&folder);
        let unfinished = made.map_err(named)?.keep();
        let mut staging = Self { folder, id, unfinished, lock: None };
        staging.lock().map_err(|error| format!("{}: {error}", staging.folder.display()))?;
        drop(alone);
        Ok(staging)
    }

    fn lock(&mut self) -> io::Result<()> {
        let path = self.unfinished.join(LOCK);
        let (lock, _) = regular::open(&path, Access::Create)?;
        match lock.try_lock() {
            Ok(()) => self.lock = Some(lock),
            // A file system without locks: a folder without this file is never taken for left.
            Err(TryLockError::Error(_)) => fs::remove_file(path)?,
            Err(TryLockError::WouldBlock) => return Err(ErrorKind::ResourceBusy.into()),
        }
        Ok(())
    }

    pub fn path(&self, name: &Path) -> PathBuf {
        self.unfinished.join(name.file_name().unwrap_or_default())
    }

    pub fn id(&self) -> FileId {
        self.id
    }

    /// Locks the outputs' folder until the returned file is closed. Fails if it is locked for too
    /// long, or if another folder has its name.
    pub fn enter(&mut self) -> Result<File, String> {
        let (alone, id) = alone(&self.folder)?;
        if id != self.id {
            return Err(format!("{}: is another folder than before", self.folder.display()));
        }
        // Nobody removes what is left in a folder that is locked: one open file less.
        self.lock = None;
        Ok(alone)
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        match remove(&self.unfinished) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                eprintln!("{}: not removed: {error}", self.unfinished.display());
            }
            _ => {}
        }
    }
}

/// Locks a folder for this run alone, if the file system has locks.
fn alone(folder: &Path) -> Result<(File, FileId), String> {
    let named = |error| format!("{}: {error}", folder.display());
    let file = File::open(folder).map_err(named)?;
    let id = FileId::of(&file.metadata().map_err(named)?);
    let until = Instant::now() + PATIENCE;
    while let Err(TryLockError::WouldBlock) = file.try_lock() {
        if Instant::now() > until {
            let seconds = PATIENCE.as_secs();
            return Err(format!(
                "{}: another program has locked this folder for {seconds} s",
                folder.display()
            ));
        }
        sleep(Duration::from_millis(10));
    }
    Ok((file, id))
}

fn remove_left(folder: &Path, inputs: &HashSet<FileId>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_ours = entry.file_name().to_string_lossy().starts_with(PREFIX);
        if is_ours && entry.file_type()?.is_dir() {
            // It may be another user's.
            let _ = remove_unlocked(&entry.path(), inputs);
        }
    }
    Ok(())
}

/// Removes a folder of unfinished files unless its run is alive, or this run reads from it.
fn remove_unlocked(left: &Path, inputs: &HashSet<FileId>) -> io::Result<()> {
    let _lock = match regular::open(&left.join(LOCK), Access::Write) {
        // Its run was killed before it made any file, or there are no locks.
        Err(error) if error.kind() == ErrorKind::NotFound => return fs::remove_dir(left),
        opened => {
            let (lock, _) = opened?;
            lock.try_lock()?;
            lock
        }
    };
    for entry in fs::read_dir(left)? {
        if inputs.contains(&FileId::of(&entry?.metadata()?)) {
            return Ok(());
        }
    }
    remove(left)
}

fn remove(unfinished: &Path) -> io::Result<()> {
    for entry in fs::read_dir(unfinished)? {
        let entry = entry?;
        if entry.file_name() != LOCK {
            fs::remove_file(entry.path())?;
        }
    }
    match fs::remove_file(unfinished.join(LOCK)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => fs::remove_dir(unfinished),
    }
}
