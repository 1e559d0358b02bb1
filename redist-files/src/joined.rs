//! Unfinished files that rank 0 has made, as other ranks open them.

use super::files::FileTable;
use super::regular::{self, Access, FileId};
use super::staging::{self, Staging};
use super::unfinished::LOCK;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// Rank 0's words on its unfinished files.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct UnfinishedFiles {
    /// Names of folders of unfinished files, in the folders of the outputs.
    pub folders: Vec<String>,
    /// By number of the file.
    pub files: Vec<UnfinishedFile>,
}

/// Rank 0's words on one unfinished file.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct UnfinishedFile {
    /// Index of the folder that holds it.
    pub folder: usize,
    /// The number that the file system has for it.
    pub number: u64,
    /// `true` if a killed run has given it its name.
    pub is_published: bool,
    /// `true` if it becomes a folder.
    pub is_folder: bool,
    /// `true` if a killed run has completed it.
    pub is_complete: bool,
}

/// Open unfinished files of another rank.
pub struct JoinedFiles {
    pub table: FileTable,
    /// Locks that keep other runs from taking the folders.
    pub locks: Vec<File>,
}

impl UnfinishedFiles {
    /// Returns the name by which what gets an output's name is found before that.
    pub fn path(&self, number: usize, name: &Path) -> PathBuf {
        match &self.files[number] {
            file if file.is_published => name.into(),
            file if file.is_folder => self.folder(file, name).join(staging::beside(name)),
            file => self.folder(file, name).join(Staging::name(name)),
        }
    }

    fn folder(&self, file: &UnfinishedFile, name: &Path) -> PathBuf {
        folder_of(name).join(&self.folders[file.folder])
    }

    /// Opens the unfinished files, of which `keep` stay open.
    pub fn open<'n>(
        &self,
        names: impl Iterator<Item = &'n Path>,
        keep: usize,
    ) -> Result<JoinedFiles, String> {
        let mut joined =
            JoinedFiles { table: FileTable::new(Access::Write, keep), locks: Vec::new() };
        let mut is_locked = vec![false; self.folders.len()];
        for (file, name) in self.files.iter().zip(names) {
            let folder = self.folder(file, name);
            if !std::mem::replace(&mut is_locked[file.folder], true) {
                joined.locks.extend(locked(&folder).map_err(|error| unseen(&folder, &error))?);
            }
            let path = folder.join(Staging::name(name));
            if file.is_complete {
                joined.table.add_closed(path, FileId::of_numbers(0, file.number));
                continue;
            }
            let (opened, metadata) =
                regular::open(&path, Access::Write).map_err(|error| unseen(&path, &error))?;
            if FileId::of(&metadata).numbers().1 != file.number {
                return Err(unseen(&path, &"it is another file there"));
            }
            joined.table.add(path, (opened, &metadata));
        }
        Ok(joined)
    }
}

fn unseen(path: &Path, error: &dyn std::fmt::Display) -> String {
    format!(
        "{}: {error}; all ranks need the folder in which rank 0 writes this, under the same name",
        path.display()
    )
}

/// Locks the mark of a folder of unfinished files; `None` if there is none, as without locks.
fn locked(folder: &Path) -> io::Result<Option<File>> {
    match File::open(folder.join(LOCK)) {
        Ok(mark) => {
            mark.try_lock_shared()?;
            Ok(Some(mark))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

/// Returns the folder that a file of this name is in.
pub fn folder_of(name: &Path) -> PathBuf {
    match name.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.into(),
        _ => PathBuf::from("."),
    }
}
