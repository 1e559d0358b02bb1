//! Files that are written, which get their names once all are complete.

use super::element::CopiedElement;
use super::files::{FileSet, bytes};
use super::kept;
use super::npy::NpyHeader;
use super::publish::Published;
use super::regular::{self, Access, FileId};
use super::side::StoredSide;
use super::staging::Staging;
use super::unfinished::Found;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};

/// Unfinished files, which are removed unless [`finish`](Self::finish) is called.
pub struct Outputs<'a> {
    files: Vec<Output>,
    folders: Vec<Staging>,
    inputs: &'a HashSet<FileId>,
    /// `true` if existing files may be replaced.
    force: bool,
}

/// One file that is written.
struct Output {
    name: PathBuf,
    /// Index of the folder that holds it while it is unfinished.
    folder: usize,
    id: Option<FileId>,
}

impl<'a> Outputs<'a> {
    /// Checks the names, and makes folders for unfinished files, each of which takes one of
    /// `files_left`. Fails if a file is there without `force`, is read from, or is no regular file.
    pub fn new(
        names: Vec<PathBuf>,
        (inputs, force): (&'a HashSet<FileId>, bool),
        files_left: usize,
    ) -> Result<Self, String> {
        let mut outputs = Self { files: Vec::new(), folders: Vec::new(), inputs, force };
        let (mut by_path, mut by_id) = (HashMap::new(), HashMap::new());
        let mut folders = Vec::new();
        for name in names {
            outputs.check(&name)?;
            let folder = folder_of(&name);
            let number = match by_path.get(&folder) {
                Some(number) => *number,
                None => *by_id.entry(folder_id(&folder)?).or_insert_with(|| {
                    folders.push(folder.clone());
                    folders.len() - 1
                }),
            };
            by_path.insert(folder, number);
            outputs.files.push(Output { name, folder: number, id: None });
        }
        if folders.len() > files_left {
            return Err(format!(
                "the files are for {} folders, and each takes an open file, of which the limit \
                 leaves {files_left}; raise it by `ulimit -n`",
                folders.len()
            ));
        }
        for folder in folders {
            outputs.folders.push(Staging::new(folder, inputs)?);
        }
        Ok(outputs)
    }

    fn check(&self, name: &Path) -> Result<(), String> {
        let named = |words: &str| Err(format!("{}: {words}", name.display()));
        match fs::symlink_metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(()),
            Err(error) => named(&error.to_string()),
            Ok(found) if !found.is_file() => {
                let sort = regular::sort(found.file_type());
                named(&format!("is {sort}, which no file replaces; write to another name"))
            }
            Ok(found) if self.inputs.contains(&FileId::of(&found)) => {
                named("is read from; write to another name")
            }
            Ok(_) if !self.force => named("is there; --force replaces it"),
            Ok(_) => Ok(()),
        }
    }

    /// Makes the unfinished files in their full lengths; `keep` of them stay open.
    pub fn create<const D: usize>(
        &mut self,
        side: &StoredSide<D>,
        element: &CopiedElement,
        keep: usize,
    ) -> Result<FileSet, String> {
        let mut set = FileSet::new(element.bytes, Access::Write, keep);
        for (number, output) in self.files.iter_mut().enumerate() {
            let extents = side.local_extents(number);
            let header = match side.pattern.is_npy() {
                true => NpyHeader::written(&element.dtype, side.is_fortran() && D > 1, &extents),
                false => Vec::new(),
            };
            let len = bytes(header.len() as u64, &extents, element.bytes)?;
            let staging = &mut self.folders[output.folder];
            let path = staging.path(&output.name);
            let failed = |error| format!("{}: {error}", path.display());
            let (mut file, metadata) = match staging.create(&output.name) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    return Err(format!("{}: is the file of two ranks", output.name.display()));
                }
                opened => opened.map_err(failed)?,
            };
            file.write_all(&header).and_then(|()| file.set_len(len)).map_err(failed)?;
            give_to_owner(staging, &file, &output.name)
                .map_err(|error| format!("{}: {error}", output.name.display()))?;
            output.id = Some(FileId::of(&metadata));
            set.add(path, Some((file, metadata)), header.len() as u64);
        }
        Ok(set)
    }

    pub fn unfinished(&self, number: usize) -> PathBuf {
        let output = &self.files[number];
        self.folders[output.folder].path(&output.name)
    }

    /// Renames all files, or none, while no other run does. Fails if an output exists by now. Folders
    /// of unfinished files are removed while no other run looks at them.
    pub fn finish(mut self, sync: bool) -> Result<(), String> {
        self.enter()?;
        for output in &self.files {
            self.check(&output.name)?;
            let staging = &self.folders[output.folder];
            let named = |error: io::Error| format!("{}: {error}", output.name.display());
            let own = staging.own().map_err(named)?;
            let found = Found::at(own.as_fd(), Staging::name(&output.name)).map_err(named)?;
            if found.map(|found| found.id()) != output.id {
                let path = staging.path(&output.name);
                return Err(format!("{}: was replaced meanwhile", path.display()));
            }
        }
        self.publish()?;
        for folder in self.folders.iter().filter(|_| sync) {
            folder.sync().map_err(|error| format!("a folder of files: {error}"))?;
        }
        Ok(())
    }

    fn publish(&self) -> Result<(), String> {
        let mut published = Published::default();
        for output in &self.files {
            let staging = &self.folders[output.folder];
            if let Err(error) = published.publish(staging, &output.name, self.force) {
                return Err(format!("{}: {error}{}", output.name.display(), published.undo()));
            }
        }
        Ok(())
    }

    fn enter(&mut self) -> Result<(), String> {
        let mut order: Vec<&mut Staging> = self.folders.iter_mut().collect();
        order.sort_by_key(|folder| folder.id());
        order.into_iter().try_for_each(Staging::enter)
    }
}

/// Gives a file that replaces another the owner of that one, who may be refused: better now than
/// when all is written.
fn give_to_owner(staging: &Staging, new: &File, name: &Path) -> io::Result<()> {
    match Found::at(staging.folder()?.as_fd(), Staging::name(name))? {
        Some(old) => kept::give_to_owner(new, old.stat()),
        None => Ok(()),
    }
}

fn folder_of(name: &Path) -> PathBuf {
    match name.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.into(),
        _ => PathBuf::from("."),
    }
}

fn folder_id(folder: &Path) -> Result<FileId, String> {
    let named = |error: &dyn Display| format!("{}: {error}", folder.display());
    let found = fs::metadata(folder).map_err(|error| match error.kind() {
        ErrorKind::NotFound => named(&"there is no such folder; make it, and run this again"),
        _ => named(&error),
    })?;
    match found.is_dir() {
        true => Ok(FileId::of(&found)),
        false => Err(named(&"is no folder")),
    }
}
