//! Folders of unfinished files, inside the folders of the outputs.
//!
//! A run locks such a folder; the next run removes folders without a lock. Runs remove and publish
//! while they lock the outputs' folder around it.

use super::folder::FolderFiles;
use super::regular::FileId;
use super::unfinished::{FOLDER, Unfinished, open_file, open_parent, remove_left, reopened_folder};
use rustix::fs::{OFlags, syncfs};
use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::{File, Metadata, TryLockError};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Beginning of all names that the command takes for itself.
pub const RESERVED: &str = ".redist-";

/// The longest wait for another run's renaming.
const PATIENCE: Duration = Duration::from_secs(30);

/// A folder of unfinished files, removed when it is dropped.
pub struct Staging {
    folder: PathBuf,
    id: FileId,
    unfinished: Unfinished,
    held: Held,
}

/// The one descriptor that a run keeps for a folder.
enum Held {
    /// Of the folder of unfinished files, with its lock.
    Unfinished(File),
    /// Of the outputs' folder, with its lock: nobody removes what is left in it.
    Folder(File),
}

impl Staging {
    /// Takes over the folder of a killed run of this key, or makes one for this run. Removes the rest
    /// of killed runs. Fails if the folder is locked for too long.
    pub fn new(
        folder: PathBuf,
        inputs: &HashSet<FileId>,
        key: Option<&str>,
    ) -> Result<Self, String> {
        let named = |error: io::Error| format!("{}: {error}", folder.display());
        let (alone, id) = alone(&folder)?;
        let adopted = key.map_or(Ok(None), |key| Unfinished::adopt(&alone, key)).map_err(named)?;
        if let Some((unfinished, own)) = adopted {
            remove_left(&alone, |id| inputs.contains(&id)).map_err(named)?;
            return Ok(Self { folder, id, unfinished, held: Held::Unfinished(own) });
        }
        remove_left(&alone, |id| inputs.contains(&id)).map_err(named)?;
        let (mut unfinished, opened) = Unfinished::new(&folder, alone.as_fd()).map_err(named)?;
        if let Some(key) = key {
            unfinished.write_key(opened.as_fd(), key).map_err(named)?;
        }
        Ok(Self { folder, id, unfinished, held: Held::Unfinished(opened) })
    }

    /// Makes an unfinished file of this name.
    pub fn create(&mut self, name: &Path) -> io::Result<(File, Metadata)> {
        let own = self.own()?;
        self.unfinished.create(own.as_fd(), name.file_name().unwrap_or_default())
    }

    /// Opens a file that a killed run has left; `None` if there is none.
    pub fn reopened_file(&self, name: &Path) -> io::Result<Option<(File, Metadata)>> {
        open_file(self.own()?.as_fd(), Self::name(name), OFlags::RDWR)
    }

    /// Removes a file that a killed run has left.
    pub fn remove_left(&self, name: &Path) -> io::Result<()> {
        self.unfinished.remove_file(self.own()?.as_fd(), Self::name(name))
    }

    /// Makes an empty folder beside an unfinished file, in place of one that a killed run has left.
    pub fn make_folder(&mut self, name: &Path) -> io::Result<OwnedFd> {
        let own = self.own()?;
        self.unfinished.make_folder(own.as_fd(), &beside(name))
    }

    /// Completes the folder beside an unfinished file, which is removed.
    pub fn complete_folder(&mut self, name: &Path, sync: bool) -> io::Result<FileId> {
        let own = self.own()?;
        let folder = reopened_folder(own.as_fd(), &beside(name))?;
        let folder = folder.ok_or_else(|| io::Error::other("was removed meanwhile"))?;
        if sync {
            syncfs(&folder)?;
        }
        self.unfinished.remove_file(own.as_fd(), Self::name(name))?;
        Ok(FileId::of(&folder.metadata()?))
    }

    /// Lists the files of the folder beside an unfinished file.
    pub fn files_of_folder(&self, name: &Path) -> io::Result<FolderFiles> {
        let folder = reopened_folder(self.own()?.as_fd(), &beside(name))?;
        FolderFiles::of(folder.ok_or_else(|| io::Error::other("was removed meanwhile"))?)
    }

    /// Opens a folder that a killed run has completed; `None` if there is none.
    pub fn reopened_folder(&self, name: &Path) -> io::Result<Option<File>> {
        reopened_folder(self.own()?.as_fd(), &beside(name))
    }

    /// Returns the name of the folder of unfinished files, in that of the outputs.
    pub fn unfinished_name(&self) -> &OsStr {
        self.unfinished.name()
    }

    pub fn path(&self, name: &Path) -> PathBuf {
        self.staged_path(Self::name(name))
    }

    /// Returns the path of what has this name among the unfinished files.
    pub fn staged_path(&self, name: &OsStr) -> PathBuf {
        self.folder.join(self.unfinished.name()).join(name)
    }

    pub fn id(&self) -> FileId {
        self.id
    }

    /// Locks the outputs' folder for the rest of the run. Fails if it is locked for too long, or if
    /// another folder has its name.
    pub fn enter(&mut self) -> Result<(), String> {
        let (alone, id) = alone(&self.folder)?;
        if id != self.id {
            return Err(format!("{}: is another folder than before", self.folder.display()));
        }
        // The files in the own folder are still to be removed if another folder has its name.
        let own = self.unfinished.reopened(alone.as_fd());
        own.map_err(|error| format!("{}: {error}", self.path(Path::new("")).display()))?;
        self.held = Held::Folder(alone);
        Ok(())
    }

    /// Opens the folder of unfinished files.
    pub fn own(&self) -> io::Result<OwnedFd> {
        match &self.held {
            Held::Unfinished(own) => own.as_fd().try_clone_to_owned(),
            Held::Folder(folder) => self.unfinished.reopened(folder.as_fd()),
        }
    }

    /// Opens the outputs' folder, as it was when the run began.
    pub fn folder(&self) -> io::Result<OwnedFd> {
        match &self.held {
            Held::Folder(folder) => folder.as_fd().try_clone_to_owned(),
            Held::Unfinished(own) => match open_parent(own.as_fd())? {
                (folder, id) if id == self.id => Ok(folder),
                _ => Err(io::Error::other("was moved meanwhile")),
            },
        }
    }

    /// Waits until the names in the outputs' folder are on the disk.
    pub fn sync(&self) -> io::Result<()> {
        File::from(self.folder()?).sync_all()
    }

    pub fn name(of: &Path) -> &OsStr {
        of.file_name().unwrap_or_default()
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let own = self.own();
        let removed = own.and_then(|own| self.folder().map(|folder| (own, folder)));
        let removed =
            removed.and_then(|(own, folder)| self.unfinished.remove(own.as_fd(), folder.as_fd()));
        if let Err(error) = removed {
            let path = self.folder.join(self.unfinished.name());
            eprintln!("{}: not removed: {error}", path.display());
        }
    }
}

/// Returns the name of the folder beside an unfinished file.
pub fn beside(name: &Path) -> OsString {
    let mut beside = OsString::from(FOLDER);
    beside.push(Staging::name(name));
    beside
}

/// Locks a folder for this run only, if the file system has locks.
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
