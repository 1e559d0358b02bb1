//! Files that are written, which get their names once all are complete.

use super::address::is_address;
use super::files::FileTable;
use super::folder::Waiting;
use super::format::FileLayout;
use super::joined::{UnfinishedFile, UnfinishedFiles, folder_of};
use super::journal::{Finished, Journal};
use super::kept;
use super::publish::Published;
use super::readable::{Readable, State};
use super::regular::{self, Access, FileId};
use super::staging::{self, RESERVED, Staging};
use super::store::Uploads;
use super::unfinished::Found;
use super::watch::Watch;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::env;
use std::ffi::OsString;
use std::fmt::Display;
use std::fs::{self, File, Metadata};
use std::io::{self, ErrorKind};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

/// Words on an array at a store, which has the name of a new one.
const IS_ARRAY: &str =
    "an array is there, which no other replaces; remove it, or write to another name";

/// Unfinished files, which are removed unless [`finish`](Self::finish) is called.
pub struct Outputs<'a> {
    files: Vec<Output>,
    folders: Vec<Staging>,
    inputs: &'a HashSet<FileId>,
    /// `true` if existing files may be replaced.
    force: bool,
    /// Objects at stores, whose bytes wait in files until all are complete.
    uploads: Uploads,
}

/// One file that is written.
struct Output {
    name: PathBuf,
    /// The name that its unfinished file is made for: that of an object is a file's, which nobody gets.
    file: PathBuf,
    /// Index of the folder that holds it while it is unfinished.
    folder: usize,
    id: Option<FileId>,
    /// `true` if a killed run has given it its name.
    published: bool,
    /// The name of the file that completes it, if it is a folder: its unfinished file holds parts of
    /// chunks until then.
    last: Option<&'static str>,
}

/// Files that are written, or were before this run was killed.
pub struct Created {
    pub table: FileTable,
    /// By number: `true` if a killed run has made the file.
    pub left: Vec<bool>,
}

impl<'a> Outputs<'a> {
    /// Checks the names, and makes folders for unfinished files, each of which takes one of
    /// `files_left`. Fails if a file is there without `force`, is read from, or is no regular file.
    pub fn new(
        names: Vec<(PathBuf, Option<&'static str>)>,
        (inputs, force): (&'a HashSet<FileId>, bool),
        (files_left, key): (usize, Option<&str>),
    ) -> Result<Self, String> {
        let uploads = Uploads::default();
        let mut outputs = Self { files: Vec::new(), folders: Vec::new(), inputs, force, uploads };
        let (mut by_path, mut by_id) = (HashMap::new(), HashMap::new());
        let mut folders = Vec::new();
        for (name, last) in names {
            // A folder that is there may be this run's, if it was killed: the notes tell.
            if last.is_none() || is_address(&name) {
                outputs.check_sort(&name, last)?;
            }
            let file = match is_address(&name) {
                true => env::temp_dir().join(format!("{RESERVED}object-{}", outputs.files.len())),
                false => name.clone(),
            };
            let folder = folder_of(&file);
            let number = match by_path.get(&folder) {
                Some(number) => *number,
                None => *by_id.entry(folder_id(&folder)?).or_insert_with(|| {
                    folders.push(folder.clone());
                    folders.len() - 1
                }),
            };
            by_path.insert(folder, number);
            let (id, published) = (None, false);
            outputs.files.push(Output { name, file, folder: number, id, published, last });
        }
        if folders.len() > files_left {
            return Err(format!(
                "the files are for {} folders, and each takes an open file, of which the limit \
                 leaves {files_left}; raise it by `ulimit -n`",
                folders.len()
            ));
        }
        for folder in folders {
            outputs.folders.push(Staging::new(folder, inputs, key)?);
        }
        Ok(outputs)
    }

    fn check(&self, output: &Output) -> Result<(), String> {
        let name = &output.name;
        match self.check_sort(name, output.last)? && !self.force {
            true => Err(format!("{}: is there; --force replaces it", name.display())),
            false => Ok(()),
        }
    }

    /// Returns `true` if a file has the name that may be replaced.
    fn check_sort(&self, name: &Path, last: Option<&str>) -> Result<bool, String> {
        let named = |words: &str| Err(format!("{}: {words}", name.display()));
        if is_address(name) {
            return self.check_object(name, last).or_else(|error| named(&error));
        }
        match fs::symlink_metadata(name) {
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => named(&error.to_string()),
            Ok(found) if last.is_some() => {
                let sort = regular::sort(found.file_type());
                named(&format!(
                    "is {sort}, which no folder replaces; remove it, or write to another name"
                ))
            }
            Ok(found) if !found.is_file() => {
                let sort = regular::sort(found.file_type());
                named(&format!("is {sort}, which no file replaces; write to another name"))
            }
            Ok(found) if self.inputs.contains(&FileId::of(&found)) => {
                named("is read from; write to another name")
            }
            Ok(_) => Ok(true),
        }
    }

    /// Returns `true` if an object has the name that may be replaced. No array is replaced.
    fn check_object(&self, name: &Path, last: Option<&str>) -> Result<bool, String> {
        let path = last.map_or_else(|| name.to_owned(), |last| name.join(last));
        match Readable::open(&path).map_err(|error| error.to_string())? {
            Some(_) if last.is_some() => Err(IS_ARRAY.into()),
            Some((_, state)) if self.inputs.contains(&state.id) => {
                Err("is read from; write to another name".into())
            }
            found => Ok(found.is_some()),
        }
    }

    /// Opens the notes of this run, and reads what a killed one has finished. Finds the files that
    /// it has published, and checks all other names.
    pub fn begin(&mut self) -> Result<(Option<Journal>, Finished), String> {
        let (journal, finished) = match self.folders.first_mut() {
            Some(folder) => {
                let opened = Journal::open(folder).map_err(|error| format!("notes: {error}"))?;
                (Some(opened.0), opened.1)
            }
            None => (None, Finished::default()),
        };
        for number in 0..self.files.len() {
            let known = finished.files.get(&number).copied().filter(|_| finished.publishing);
            let name = &self.files[number].name;
            let found = fs::symlink_metadata(name).ok().map(|found| FileId::of(&found));
            self.files[number].published = known.is_some() && found == known;
            if !self.files[number].published {
                self.check(&self.files[number])?;
            }
        }
        Ok((journal, finished))
    }

    /// Makes the unfinished files in their full lengths, or opens those that a killed run has left;
    /// `keep` of them stay open.
    pub fn create(
        &mut self,
        layouts: &[&FileLayout],
        (finished, keep): (&mut Finished, usize),
    ) -> Result<Created, String> {
        let mut created = Created { table: FileTable::new(Access::Write, keep), left: Vec::new() };
        let mut seen = HashSet::new();
        for (number, (output, layout)) in self.files.iter_mut().zip(layouts).enumerate() {
            let staging = &mut self.folders[output.folder];
            let known = finished.files.get(&number).copied();
            let left = match output.last.is_some() && finished.publishing {
                true => output.left_folder(staging, known),
                false => output.left(staging, (known, layout.len)),
            };
            let left = left.map_err(|error| format!("{}: {error}", output.name.display()))?;
            created.left.push(left.is_some());
            if !seen.insert((output.folder, Staging::name(&output.file).to_owned())) {
                return Err(format!("{}: is the file of two ranks", output.name.display()));
            }
            let (file, metadata) = match left {
                Some(left) => left,
                None => output.create(staging, layout)?,
            };
            let id = FileId::of(&metadata);
            (output.id, _) = (Some(id), finished.files.insert(number, id));
            let path =
                if output.published { output.name.clone() } else { staging.path(&output.file) };
            let state = State { len: layout.len, ..State::of(&metadata) };
            created.table.add(path, (file.into(), state));
        }
        Ok(created)
    }

    /// Begins all objects at their stores, and notes it: the next run aborts what this one leaves if
    /// it is killed. Aborts what a killed run has left.
    pub fn begin_objects(
        &mut self,
        table: &FileTable,
        (finished, notes): (&mut Finished, &mut Option<Journal>),
    ) -> Result<(), String> {
        for (number, output) in self.files.iter().enumerate().filter(|(_, own)| own.is_object()) {
            let named = |error: &dyn Display| format!("{}: {error}", output.name.display());
            let (name, left) = (&output.name, finished.uploads.get(&number).map(String::as_str));
            let begun = match output.last {
                Some(last) => self.uploads.begin_array((name, last), number, left),
                None => self.uploads.begin(name, (number, table.bytes(number)), left),
            };
            let id = begun.map_err(|error| named(&error))?;
            if let Some(notes) = notes {
                notes.upload(number, &id).map_err(|error| named(&error))?;
            }
            finished.uploads.insert(number, id);
        }
        Ok(())
    }

    /// Makes an empty folder for an array in chunks.
    pub fn folder(&mut self, number: usize) -> Result<OwnedFd, String> {
        let Output { name, file, folder, .. } = &self.files[number];
        let made = self.folders[*folder].make_folder(file);
        made.map_err(|error| format!("{}: {error}", name.display()))
    }

    /// Completes the folder of an array in chunks, and removes its scratch file.
    pub fn complete_folder(&mut self, number: usize, sync: bool) -> Result<FileId, String> {
        let Output { name, file, folder, id, .. } = &mut self.files[number];
        let found = self.folders[*folder].complete_folder(file, sync);
        let found = found.map_err(|error| format!("{}: {error}", name.display()))?;
        *id = Some(found);
        Ok(found)
    }

    /// Says where the unfinished files are, so that other ranks open them.
    pub fn told(&self, is_publishing: bool) -> UnfinishedFiles {
        let name = |folder: &Staging| folder.unfinished_name().to_string_lossy().into_owned();
        let file = |output: &Output| UnfinishedFile {
            folder: output.folder,
            number: output.id.map_or(0, |id| id.numbers().1),
            is_published: output.published,
            is_folder: output.last.is_some(),
            waits_in: output.is_object().then(|| output.file.clone()),
            is_complete: output.published || (output.last.is_some() && is_publishing),
        };
        UnfinishedFiles {
            folders: self.folders.iter().map(name).collect(),
            files: self.files.iter().map(file).collect(),
        }
    }

    /// Sends the bytes of all objects, which nobody sees before all files get their names. At most
    /// `memory` bytes are held, or one part of an object.
    pub fn send(
        &mut self,
        table: &FileTable,
        memory: usize,
        watch: &dyn Watch,
    ) -> Result<(), String> {
        let read = |number: usize, to: &mut [u8], place: u64| {
            table.act(number, |file| {
                file.read_exact_at(to, place).map_err(|error| error.to_string())
            })
        };
        let folder = |number: usize| {
            let Output { name, file, folder, .. } = &self.files[number];
            let found = self.folders[*folder].files_of_folder(file);
            found.map_err(|error| format!("{}: {error}", name.display()))
        };
        self.uploads.send(&Waiting { read: &read, folder: &folder }, memory, watch)
    }

    /// Renames all files, or none, while no other run does. Fails if an output exists by now. Folders
    /// of unfinished files are removed while no other run looks at them.
    pub fn finish(mut self, sync: bool) -> Result<(), String> {
        self.enter()?;
        for output in self.files.iter().filter(|output| !output.published) {
            self.check(output)?;
            let staging = &self.folders[output.folder];
            let named = |error: io::Error| format!("{}: {error}", output.name.display());
            let own = staging.own().map_err(named)?;
            let found = Found::at(own.as_fd(), &output.staged()).map_err(named)?;
            if found.map(|found| found.id()) != output.id {
                let path = staging.staged_path(&output.staged());
                return Err(format!("{}: was replaced meanwhile", path.display()));
            }
        }
        self.publish()?;
        for number in self.named_in().into_iter().filter(|_| sync) {
            let synced = self.folders[number].sync();
            synced.map_err(|error| format!("a folder of files: {error}"))?;
        }
        Ok(())
    }

    /// Returns the folders in which files get their names. Those of objects wait elsewhere.
    fn named_in(&self) -> BTreeSet<usize> {
        let files = self.files.iter().filter(|output| !output.is_object());
        files.map(|output| output.folder).collect()
    }

    fn publish(&mut self) -> Result<(), String> {
        let mut published = Published::default();
        let is_named = |output: &&Output| !output.published && !output.is_object();
        for output in self.files.iter().filter(is_named) {
            let staging = &self.folders[output.folder];
            if let Err(error) = published.publish(staging, output.given(), self.force) {
                return Err(format!("{}: {error}{}", output.name.display(), published.undo()));
            }
        }
        self.uploads.complete().map_err(|error| format!("{error}{}", published.undo()))
    }

    fn enter(&mut self) -> Result<(), String> {
        let named = self.named_in();
        let folders = self.folders.iter_mut().enumerate();
        let folders = folders.filter(|(number, _)| named.contains(number));
        let mut order: Vec<&mut Staging> = folders.map(|(_, folder)| folder).collect();
        order.sort_by_key(|folder| folder.id());
        order.into_iter().try_for_each(Staging::enter)
    }
}

impl Output {
    /// Returns the name among the unfinished files of what gets the output's name.
    fn staged(&self) -> OsString {
        match self.last {
            Some(_) => staging::beside(&self.file),
            None => Staging::name(&self.file).to_owned(),
        }
    }

    fn is_object(&self) -> bool {
        is_address(&self.name)
    }

    /// Returns the name, and that among the unfinished files.
    fn given(&self) -> (&Path, OsString) {
        (&self.name, self.staged())
    }

    /// Opens a file that a killed run has left, or published.
    fn left(
        &self,
        staging: &Staging,
        (known, len): (Option<FileId>, u64),
    ) -> io::Result<Option<(File, Metadata)>> {
        let is_own =
            |metadata: &Metadata| known == Some(FileId::of(metadata)) && metadata.len() == len;
        if self.published {
            let found = regular::open(&self.name, Access::Read)?;
            return match is_own(&found.1) {
                true => Ok(Some(found)),
                false => Err(io::Error::other("was replaced meanwhile")),
            };
        }
        if known.is_none() {
            return Ok(None);
        }
        let found = staging.reopened_file(&self.file)?;
        Ok(found.filter(|(_, metadata)| is_own(metadata)))
    }

    /// Opens the folder of an array in chunks that a killed run has completed, or published.
    fn left_folder(
        &self,
        staging: &Staging,
        known: Option<FileId>,
    ) -> io::Result<Option<(File, Metadata)>> {
        let folder = match self.published {
            true => regular::open_folder(&self.name)?,
            false => match staging.reopened_folder(&self.file)? {
                Some(folder) => folder,
                None => return Ok(None),
            },
        };
        let metadata = folder.metadata()?;
        Ok((known == Some(FileId::of(&metadata))).then_some((folder, metadata)))
    }

    fn create(
        &self,
        staging: &mut Staging,
        layout: &FileLayout,
    ) -> Result<(File, Metadata), String> {
        let path = staging.path(&self.file);
        let failed = |error| format!("{}: {error}", path.display());
        staging.remove_left(&self.file).map_err(failed)?;
        let (file, metadata) = staging.create(&self.file).map_err(failed)?;
        let written = layout.texts.iter().try_for_each(|(at, text)| file.write_all_at(text, *at));
        written.and_then(|()| file.set_len(layout.len)).map_err(failed)?;
        if !self.is_object() {
            give_to_owner(staging, &file, &self.name)
                .map_err(|error| format!("{}: {error}", self.name.display()))?;
        }
        Ok((file, metadata))
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
