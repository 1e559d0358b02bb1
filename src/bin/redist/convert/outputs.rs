use super::element::CopiedElement;
use super::files::{FileSet, bytes};
use super::npy::NpyHeader;
use super::regular::{self, Access, FileId};
use super::side::StoredSide;
use super::staging::Staging;
use std::collections::{HashMap, HashSet};
use std::fmt::Display;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};
use tempfile::TempPath;

/// Unfinished files, which are removed unless [`finish`](Self::finish) is called.
pub struct Outputs<'a> {
    files: Vec<Output>,
    folders: Vec<Staging>,
    inputs: &'a HashSet<FileId>,
    force: bool,
}

struct Output {
    name: PathBuf,
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
            let path = self.folders[output.folder].path(&output.name);
            let failed = |error| format!("{}: {error}", path.display());
            let (mut file, metadata) = match regular::open(&path, Access::Create) {
                Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                    return Err(format!("{}: is the file of two ranks", output.name.display()));
                }
                opened => opened.map_err(failed)?,
            };
            file.write_all(&header).and_then(|()| file.set_len(len)).map_err(failed)?;
            output.id = Some(FileId::of(&metadata));
            set.add(path, Some((file, metadata)), header.len() as u64);
        }
        Ok(set)
    }

    pub fn unfinished(&self, number: usize) -> PathBuf {
        let output = &self.files[number];
        self.folders[output.folder].path(&output.name)
    }

    /// Renames all files, while no other run does. Fails if an output exists by now.
    pub fn finish(mut self, sync: bool) -> Result<(), String> {
        let folders = self.enter()?;
        for (number, output) in self.files.iter().enumerate() {
            self.check(&output.name)?;
            let path = self.unfinished(number);
            let found = fs::symlink_metadata(&path).map(|found| FileId::of(&found)).ok();
            if found.is_none() || found != output.id {
                return Err(format!("{}: was replaced meanwhile", path.display()));
            }
        }
        for (number, output) in self.files.iter().enumerate() {
            self.publish(&self.unfinished(number), &output.name)
                .map_err(|error| format!("{}: {error}", output.name.display()))?;
        }
        for folder in folders.iter().filter(|_| sync) {
            folder.sync_all().map_err(|error| format!("a folder of files: {error}"))?;
        }
        // Folders of unfinished files are removed while no other run looks at them.
        drop(self);
        drop(folders);
        Ok(())
    }

    fn publish(&self, unfinished: &Path, name: &Path) -> io::Result<()> {
        if self.force {
            return fs::rename(unfinished, name);
        }
        // Files that other programs have made since the check are not replaced.
        Ok(TempPath::try_from_path(unfinished)?.persist_noclobber(name)?)
    }

    fn enter(&mut self) -> Result<Vec<File>, String> {
        let mut order: Vec<&mut Staging> = self.folders.iter_mut().collect();
        order.sort_by_key(|folder| folder.id());
        order.into_iter().map(Staging::enter).collect()
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
