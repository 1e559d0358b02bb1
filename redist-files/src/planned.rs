//! Files that a run writes, and the places of its arrays in them.

use super::address::is_address;
use super::array::AnyMove;
use super::chunks::NewArray;
use super::error::FilesError;
use super::files::{FileTable, Parts};
use super::format::{FileLayout, Format, NewPart, RawFormat};
use super::index;
use super::journal::RunWords;
use super::readable::admit;
use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A file that is to be written.
pub struct PlannedFile {
    pub path: PathBuf,
    pub format: Arc<dyn Format>,
    parts: Vec<NewPart>,
    pub layout: FileLayout,
}

/// All files that are to be written.
pub struct PlannedFiles {
    pub files: Vec<PlannedFile>,
    /// By array: its parts in these files.
    pub parts: Vec<Parts>,
    /// By name: the file's number, and the array that was last put into it.
    numbers: HashMap<PathBuf, (usize, usize)>,
}

impl PlannedFiles {
    /// Lists the files of all arrays, and places the arrays in them.
    pub fn of(
        arrays: &[Box<dyn AnyMove>],
        indices: Vec<(PathBuf, Vec<u8>)>,
    ) -> Result<Self, FilesError> {
        let mut planned = Self { files: Vec::new(), parts: Vec::new(), numbers: HashMap::new() };
        let mut places = Vec::with_capacity(arrays.len());
        for (number, array) in arrays.iter().enumerate() {
            let mut own = Vec::new();
            for (path, part) in array.new_parts()? {
                admit_new(&path)?;
                let (file, last) = *planned.numbers.entry(path.clone()).or_insert_with(|| {
                    let format = array.new_format().clone();
                    let layout = FileLayout::default();
                    planned.files.push(PlannedFile {
                        path: path.clone(),
                        format,
                        parts: Vec::new(),
                        layout,
                    });
                    (planned.files.len() - 1, usize::MAX)
                });
                planned.files[file].admit(array.new_format(), (number, last))?;
                planned.numbers.insert(path, (file, number));
                own.push((file, planned.files[file].parts.len()));
                planned.files[file].parts.push(part);
            }
            places.push(own);
        }
        for file in &mut planned.files {
            file.layout = file
                .format
                .lay_out(&file.parts)
                .map_err(|error| FilesError::Failed(format!("{}: {error}", file.path.display())))?;
            file.parts = Vec::new();
        }
        for (array, own) in arrays.iter().zip(places) {
            let place =
                |(file, part): (usize, usize)| Some((file, planned.files[file].layout.spans[part]));
            let places = own.into_iter().map(place).collect();
            let (swapped, new) = (array.is_swapped(), array.new_chunks().cloned());
            planned.parts.push(Parts { places, swapped, new, ..Parts::default() });
        }
        for (path, text) in indices {
            let layout =
                FileLayout { len: text.len() as u64, texts: vec![(0, text)], spans: Vec::new() };
            let format: Arc<dyn Format> = Arc::new(RawFormat::dense());
            planned.files.push(PlannedFile { path, format, parts: Vec::new(), layout });
        }
        Ok(planned)
    }

    /// Returns the number of a file of this name.
    pub fn number(&self, path: &Path) -> Option<usize> {
        self.numbers.get(path).map(|(file, _)| *file)
    }

    /// Has several ranks write arrays in chunks.
    pub fn divide(&mut self) {
        let chunks = self.parts.iter_mut().filter_map(|parts| parts.new.as_mut());
        chunks.for_each(NewArray::divide);
    }

    pub fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }

    /// By file: the name of the file that completes it, if it is a folder.
    pub fn last_files(&self) -> Vec<Option<&'static str>> {
        self.files.iter().map(|file| file.format.folder().map(|of| of.last_file())).collect()
    }

    /// Returns words that change when anything but the elements changes.
    pub fn words(
        &self,
        arrays: &[Box<dyn AnyMove>],
        input: &FileTable,
    ) -> Result<RunWords, fmt::Error> {
        let mut words = array_words(arrays)?;
        for path in input.paths() {
            writeln!(words, "{path:?}")?;
        }
        for PlannedFile { path, format, layout, .. } in &self.files {
            writeln!(words, "{path:?} {} {layout:?}", format.name())?;
        }
        Ok(words)
    }
}

impl PlannedFile {
    /// Returns `true` if an object gets the bytes.
    pub fn is_object(&self) -> bool {
        is_address(&self.path)
    }

    /// Counts the bytes that wait in the folder for temporary files, at most: those of an array in chunks
    /// may be in the scratch file and in its folder.
    pub fn waiting_bytes(&self) -> u64 {
        match (self.is_object(), self.format.folder().is_some()) {
            (false, _) => 0,
            (true, false) => self.layout.len,
            (true, true) => self.layout.len.saturating_mul(2),
        }
    }

    /// Refuses a second array, or a second part of one, where the format holds one.
    fn admit(
        &self,
        format: &Arc<dyn Format>,
        (array, last): (usize, usize),
    ) -> Result<(), FilesError> {
        let named =
            |words: &str| Err(FilesError::Failed(format!("{}: {words}", self.path.display())));
        if format.name() != self.format.name() {
            return named("is written in two formats");
        }
        if last == array {
            return named("is the file of two ranks");
        }
        if !self.format.is_shared() && last != usize::MAX {
            return named("is the file of two arrays; write `{name}` in the name of files");
        }
        Ok(())
    }
}

/// Fails if nobody writes an object of this name.
fn admit_new(path: &Path) -> Result<(), FilesError> {
    let named = |error| FilesError::Asked(format!("--out {}: {error}", path.display()));
    admit(path, true).map_err(named)
}

/// Returns words that change when an array, its layouts or its places change.
pub fn array_words(arrays: &[Box<dyn AnyMove>]) -> Result<RunWords, fmt::Error> {
    let mut words = RunWords::new();
    arrays.iter().try_for_each(|array| array.words(&mut words))?;
    Ok(words)
}

/// Deals arrays out to the files of their indices, and writes the indices.
pub fn shards(
    arrays: &mut [Box<dyn AnyMove>],
    shard_bytes: u64,
) -> Result<Vec<(PathBuf, Vec<u8>)>, FilesError> {
    let mut by_index: BTreeMap<PathBuf, Vec<usize>> = BTreeMap::new();
    for (number, array) in arrays.iter().enumerate() {
        if let Some(index) = array.index() {
            by_index.entry(index.to_owned()).or_default().push(number);
        }
    }
    let mut written = Vec::with_capacity(by_index.len());
    for (index, numbers) in by_index {
        let named = |number: &usize| (arrays[*number].name(), arrays[*number].bytes());
        let listed: Vec<(&str, u64)> = numbers.iter().map(named).collect();
        let (files, text) =
            index::dealt(&index, &listed, shard_bytes).map_err(FilesError::Failed)?;
        numbers.iter().zip(files).for_each(|(number, file)| arrays[*number].put_into(file));
        written.push((index, text));
    }
    Ok(written)
}
