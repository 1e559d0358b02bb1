//! Files of a run, and the parts of one array in them: positions are elements.

use super::address::is_address;
use super::chunks::{self, NewArray, StoredBoxes, StoredChunks};
use super::format::{Format, MemberSum, PartHeader, Span, StoredPart};
use super::index;
use super::journal;
use super::readable::{Readable, State, missing};
use super::region::{Region, Stretch};
use super::regular::{self, Access, FileId};
use super::store::Gathered;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Display;
use std::fs::File;
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// All files that a run reads, or all that it writes.
#[derive(Debug)]
pub struct FileTable {
    files: Vec<StoredFile>,
    access: Access,
    /// Most files that stay open.
    keep: usize,
    /// Folders of arrays among the files.
    folders: HashSet<FileId>,
}

/// One file of a table.
#[derive(Debug)]
struct StoredFile {
    path: PathBuf,
    /// As it was when it was opened.
    state: State,
    open: Option<Readable>,
}

impl Parts {
    /// Returns the numbers of the files that hold the array, each once.
    pub fn files(&self) -> BTreeSet<usize> {
        self.places.iter().flatten().map(|(file, _)| *file).collect()
    }
}

impl FileTable {
    pub fn new(access: Access, keep: usize) -> Self {
        Self { files: Vec::new(), access, keep, folders: HashSet::new() }
    }

    /// Adds an open file or object, and returns its number.
    pub fn add(&mut self, path: PathBuf, (open, state): (Readable, State)) -> usize {
        let open = Some(open).filter(|open| !open.is_file() || self.files.len() < self.keep);
        self.files.push(StoredFile { path, state, open });
        self.files.len() - 1
    }

    /// Adds a file that nobody opens.
    pub fn add_closed(&mut self, path: PathBuf, id: FileId) {
        self.files.push(StoredFile { path, state: State { id, len: 0, modified: 0 }, open: None });
    }

    /// Opens the open files again, but for objects: this machine forgets what it knew of their bytes.
    pub fn reopen(&mut self) -> Result<(), String> {
        let is_file =
            |stored: &&mut StoredFile| stored.open.as_ref().is_some_and(Readable::is_file);
        for stored in self.files.iter_mut().filter(is_file) {
            let opened = stored.reopened(self.access);
            let named = |error| format!("{}: {error}", stored.path.display());
            stored.open = Some(opened.map_err(named)?.into());
        }
        Ok(())
    }

    /// Returns a number that differs where files have other lengths, or were changed at another time.
    /// Machines that share a folder may number its files, but not these, each in its own way.
    pub fn lengths(&self) -> u64 {
        self.files.iter().fold(0, |state, StoredFile { state: State { len, modified, .. }, .. }| {
            journal::hash(state, format!("{len} {modified}").as_bytes())
        })
    }

    pub fn ids(&self) -> HashSet<FileId> {
        self.files.iter().map(|file| file.state.id).chain(self.folders.iter().copied()).collect()
    }

    /// Returns a number that changes when one of these files changes.
    pub fn state(&self, numbers: &BTreeSet<usize>) -> u64 {
        numbers.iter().fold(0, |state, number| {
            let State { id, len, modified } = self.files[*number].state;
            journal::hash(state, format!("{id:?} {len} {modified}").as_bytes())
        })
    }

    /// Returns the names of all files.
    pub fn paths(&self) -> impl Iterator<Item = &Path> {
        self.files.iter().map(|file| file.path.as_path())
    }

    pub fn path(&self, number: usize) -> &Path {
        &self.files[number].path
    }

    /// Returns `true` if it is an object at a store, and no file.
    pub fn is_object(&self, number: usize) -> bool {
        is_address(self.path(number))
    }

    fn with<T>(
        &self,
        number: usize,
        act: impl FnOnce(&Readable) -> io::Result<T>,
    ) -> Result<T, String> {
        let stored = &self.files[number];
        let result = match &stored.open {
            Some(file) => act(file),
            None => stored.reopened(self.access).and_then(|file| act(&file.into())),
        };
        result.map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => {
                format!("{}: has become shorter meanwhile", stored.path.display())
            }
            _ => format!("{}: {error}", stored.path.display()),
        })
    }

    /// Waits until these files are on the disk.
    pub fn sync(&self, numbers: impl IntoIterator<Item = usize>) -> Result<(), String> {
        let sync = |file: &Readable| file.file()?.sync_all();
        numbers.into_iter().try_for_each(|number| self.with(number, sync))
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Returns `true` if there are objects among the files.
    pub fn has_objects(&self) -> bool {
        let is_object = |file: &StoredFile| file.open.as_ref().is_some_and(|open| !open.is_file());
        self.files.iter().any(is_object)
    }

    /// Returns the bytes that a file had when it was opened.
    pub fn bytes(&self, number: usize) -> u64 {
        self.files[number].state.len
    }

    /// Calls a function with an open file.
    pub fn act(
        &self,
        number: usize,
        act: impl FnOnce(&File) -> Result<(), String>,
    ) -> Result<(), String> {
        let mut outcome = Ok(());
        self.with(number, |file| {
            outcome = act(file.file()?);
            Ok(())
        })?;
        outcome.map_err(|error| format!("{}: {error}", self.files[number].path.display()))
    }
}

impl StoredFile {
    fn reopened(&self, access: Access) -> io::Result<File> {
        let (file, metadata) = regular::open(&self.path, access)?;
        match self.state.id == FileId::of(&metadata) {
            true => Ok(file),
            false => Err(io::Error::other("was replaced meanwhile")),
        }
    }
}

/// Files that are there, each opened and read once for all arrays.
#[derive(Debug)]
pub struct Existing {
    table: FileTable,
    /// By path, and format with the places that it knows: the file's number, and its arrays.
    catalogs: HashMap<(PathBuf, String), Option<Catalog>>,
    /// By path: the file's number.
    numbers: HashMap<PathBuf, usize>,
    /// By name of an index: which file has which array.
    indices: HashMap<PathBuf, BTreeMap<String, PathBuf>>,
}

/// Arrays of one file.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// The file's number in its table.
    pub file: usize,
    parts: Arc<HashMap<String, StoredPart>>,
    /// `true` if the file holds several arrays by name.
    shared: bool,
}

impl Catalog {
    fn new(file: usize, parts: Vec<StoredPart>, format: &dyn Format) -> Self {
        let parts = parts.into_iter().map(|part| (part.name.clone(), part)).collect();
        Self { file, parts: Arc::new(parts), shared: format.is_shared() }
    }

    /// Returns the part of an array; fails if the file has none of this name.
    pub fn part(&self, array: &str) -> Result<&StoredPart, String> {
        let found = match self.shared {
            true => self.parts.get(array),
            false => self.parts.values().next(),
        };
        found.ok_or_else(|| {
            let mut names: Vec<&str> = self.parts.keys().map(String::as_str).collect();
            names.sort_unstable();
            let (few, more) = names.split_at(names.len().min(3));
            let more = if more.is_empty() { "" } else { ", …" };
            format!(
                "has no array `{array}`; it has {} arrays: {}{more}",
                names.len(),
                few.join(", ")
            )
        })
    }

    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.keys().map(String::as_str)
    }
}

impl Existing {
    pub fn new(keep: usize) -> Self {
        Self {
            table: FileTable::new(Access::Read, keep),
            catalogs: HashMap::new(),
            numbers: HashMap::new(),
            indices: HashMap::new(),
        }
    }

    /// Opens a file, and reads what it says. `None` if there is no such file.
    pub fn open(&mut self, path: &Path, format: &dyn Format) -> Result<Option<Catalog>, String> {
        let key = (path.to_owned(), format!("{format:?}"));
        if let Some(known) = self.catalogs.get(&key) {
            return Ok(known.clone());
        }
        let catalog = match (format.folder(), self.numbers.get(path)) {
            (Some(_), _) => self.open_folder(path, format)?,
            (None, Some(&number)) => Some(self.open_again(number, format)?),
            (None, None) => self.open_file(path, format)?,
        };
        self.catalogs.insert(key, catalog.clone());
        Ok(catalog)
    }

    fn open_folder(&mut self, path: &Path, format: &dyn Format) -> Result<Option<Catalog>, String> {
        let Some(folder) = format.folder() else { return Ok(None) };
        let Some((words, part)) = folder.open(path)? else { return Ok(None) };
        let named = |error: io::Error| format!("{}: {error}", words.display());
        let opened = Readable::open(&words).map_err(named)?.ok_or_else(|| missing(&words))?;
        if opened.0.is_file() {
            self.table.folders.insert(FileId::of(&path.metadata().map_err(named)?));
        }
        let file = self.table.add(words, opened);
        let parts = Arc::new(HashMap::from([(String::new(), part)]));
        Ok(Some(Catalog { file, parts, shared: false }))
    }

    fn open_file(&mut self, path: &Path, format: &dyn Format) -> Result<Option<Catalog>, String> {
        let named = |error: &dyn Display| format!("{}: {error}", path.display());
        let Some((file, state)) = Readable::open(path).map_err(|error| named(&error))? else {
            return Ok(None);
        };
        if !file.is_file() && !format.reads_objects() {
            return Err(named(&format!(
                "objects of the format {} are not read; copy it to a file first",
                format.name()
            )));
        }
        let parts = format.open(&file, state.len).map_err(|error| named(&error))?;
        let file = self.table.add(path.to_owned(), (file, state));
        self.numbers.insert(path.to_owned(), file);
        Ok(Some(Catalog::new(file, parts, format)))
    }

    /// Reads a file that is open in another format, or with other places of elements.
    fn open_again(&mut self, number: usize, format: &dyn Format) -> Result<Catalog, String> {
        let StoredFile { path, state, .. } = &self.table.files[number];
        let parts = self.table.with(number, |file| Ok(format.open(file, state.len)))?;
        let parts = parts.map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Catalog::new(number, parts, format))
    }

    /// Returns the files of all arrays of an index.
    pub fn index(&mut self, index: &Path) -> Result<&BTreeMap<String, PathBuf>, String> {
        if !self.indices.contains_key(index) {
            self.indices.insert(index.to_owned(), index::weight_map(index)?);
        }
        Ok(&self.indices[index])
    }

    /// Returns the file that has an array by an index.
    pub fn shard(&mut self, index: &Path, array: &str) -> Result<PathBuf, String> {
        let map = self.index(index)?;
        map.get(array).cloned().ok_or_else(|| {
            format!("{}: has no array `{array}`; it has {} arrays", index.display(), map.len())
        })
    }

    /// Ends the opening, and returns the files.
    pub fn table(self) -> FileTable {
        self.table
    }

    /// Returns the header of an array in a file; `None` if there is no file, or no header.
    pub fn header(
        &mut self,
        path: &Path,
        (format, array): (&dyn Format, &str),
    ) -> Result<Option<PartHeader>, String> {
        let Some(catalog) = self.open(path, format)? else { return Ok(None) };
        let part = catalog.part(array).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(part.header.clone())
    }
}

/// The parts of one array, by number of the rank.
#[derive(Clone, Debug, Default)]
pub struct Parts {
    /// The file's number, and the place in it; `None` if a rank holds nothing and has no file.
    pub places: Vec<Option<(usize, Span)>>,
    /// `true` if the bytes of elements are swapped.
    pub swapped: bool,
    /// Chunks of an array in a folder, by number of the rank; the only place is its metadata.
    pub stored: Option<Arc<dyn StoredChunks>>,
    /// Chunks of an array that is written; the only place is the scratch file.
    pub new: Option<NewArray>,
    /// By number of the rank: the library that reads its part; empty if there is none.
    pub boxes: Vec<Option<Arc<dyn StoredBoxes>>>,
    /// By number of the rank: the checksum that its file keeps of its part; empty if there is none.
    pub sums: Vec<Option<MemberSum>>,
}

/// An array in the files of a table.
#[derive(Clone, Copy, Debug)]
pub struct FileSet<'a> {
    pub table: &'a FileTable,
    pub parts: &'a Parts,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// Bytes whose order is swapped together.
    pub unit: usize,
}

/// Elements that lie closer together than this are read with what lies between them, in bytes.
const NEAR_BYTES: u64 = 4096;

/// Bytes that are read at a time then.
const WINDOW_BYTES: u64 = 64 << 10;

/// Reads bytes of the elements from one on.
fn read_span(file: &File, span: &Span, (first, to): (u64, &mut [u8])) -> io::Result<()> {
    let period = span.every.saturating_add(span.gap);
    if period > NEAR_BYTES {
        return span
            .for_each(first, to.len(), |place, range| file.read_exact_at(&mut to[range], place));
    }
    let at_a_time = (WINDOW_BYTES / period * span.every) as usize;
    let mut window = vec![0; WINDOW_BYTES as usize];
    for (number, to) in to.chunks_mut(at_a_time).enumerate() {
        let first = first + (number * at_a_time) as u64;
        let (start, _) = span.place(first);
        let end = span.place(first + to.len() as u64 - 1).0 + 1;
        let window = &mut window[..(end - start) as usize];
        file.read_exact_at(window, start)?;
        span.for_each(first, to.len(), |place, range| {
            let from = (place - start) as usize;
            let len = range.len();
            to[range].copy_from_slice(&window[from..from + len]);
            Ok::<_, io::Error>(())
        })?;
    }
    Ok(())
}

impl FileSet<'_> {
    fn place(&self, number: usize) -> Result<(usize, Span), String> {
        let number = if self.parts.new.is_some() { 0 } else { number };
        self.parts.places[number].ok_or_else(|| "a rank without a file holds elements".into())
    }

    /// Reads a box of a rank's array into a buffer.
    pub fn read<const D: usize>(
        &self,
        number: usize,
        region: &Region<D>,
        to: &mut [u8],
    ) -> Result<(), String> {
        if region.len() == 0 {
            return Ok(());
        }
        if let Some(stored) = &self.parts.stored {
            chunks::read(stored.as_ref(), (number, region), (to, self.element_bytes))?;
            self.swap(to);
            return Ok(());
        }
        let (file, span) = self.place(number)?;
        if let Some(Some(boxes)) = self.parts.boxes.get(number) {
            let width = self.element_bytes;
            self.table.act(file, |file| {
                chunks::read_box(boxes.as_ref(), (file, region), (&mut *to, width))
            })?;
            self.swap(to);
            return Ok(());
        }
        self.table.with(file, |file| match file {
            Readable::File(file) => region.for_each(&mut |stretch: Stretch| {
                let to = &mut to[self.bytes(&stretch)];
                read_span(file, &span, (self.first(&stretch), to))?;
                self.swap(to);
                Ok(())
            }),
            Readable::Object(object) => {
                self.gather(Gathered::new(object, &mut *to), &span, region)?;
                region.for_each(&mut |stretch: Stretch| {
                    self.swap(&mut to[self.bytes(&stretch)]);
                    Ok(())
                })
            }
        })
    }

    /// Reads a box of an object by few requests.
    fn gather<const D: usize>(
        &self,
        mut gathered: Gathered<'_>,
        span: &Span,
        region: &Region<D>,
    ) -> io::Result<()> {
        region.for_each(&mut |stretch: Stretch| {
            let (first, own) = (self.first(&stretch), self.bytes(&stretch));
            span.for_each(first, own.len(), |place, range| {
                gathered.add(place, own.start + range.start..own.start + range.end)
            })
        })?;
        gathered.read()
    }

    /// Writes a box of a rank's array from a buffer.
    pub fn write<const D: usize>(
        &self,
        number: usize,
        region: &Region<D>,
        from: &[u8],
    ) -> Result<(), String> {
        if region.len() == 0 {
            return Ok(());
        }
        let (file, span) = self.place(number)?;
        let mut swapped = Vec::new();
        if let Some(new) = &self.parts.new {
            let mut from = from;
            if self.parts.swapped {
                swapped.extend_from_slice(from);
                self.swap(&mut swapped);
                from = &swapped;
            }
            return self.table.act(file, |scratch| new.write((number, region), from, scratch));
        }
        self.table.with(file, |file| {
            let file = file.file()?;
            region.for_each(&mut |stretch: Stretch| {
                let mut from = &from[self.bytes(&stretch)];
                if self.parts.swapped {
                    swapped.clear();
                    swapped.extend_from_slice(from);
                    self.swap(&mut swapped);
                    from = &swapped;
                }
                let first = self.first(&stretch);
                span.for_each(first, from.len(), |place, range| {
                    file.write_all_at(&from[range], place)
                })
            })
        })
    }

    /// Returns `true` if none of these ranks' elements are there, and all are zeros.
    pub fn is_nothing(&self, mut numbers: impl Iterator<Item = usize>) -> Result<bool, String> {
        let Some(stored) = &self.parts.stored else { return Ok(false) };
        if stored.fill().iter().any(|byte| *byte != 0) {
            return Ok(false);
        }
        numbers.try_fold(true, |all, number| Ok(all && !stored.is_there(number)?))
    }

    /// Returns `true` if elements that nobody writes are zeros.
    pub fn is_zeros(&self) -> bool {
        self.parts.new.as_ref().is_some_and(NewArray::is_zeros)
    }

    /// Moves a chunk from the scratch file to its place.
    pub fn complete(&self, chunk: usize) -> Result<(), String> {
        let Some(new) = &self.parts.new else { return Ok(()) };
        let (file, _) = self.place(chunk)?;
        self.table.act(file, |scratch| new.complete(chunk, scratch))
    }

    fn swap(&self, bytes: &mut [u8]) {
        if self.parts.swapped && self.unit > 1 {
            bytes.chunks_exact_mut(self.unit).for_each(<[u8]>::reverse);
        }
    }

    fn first(&self, stretch: &Stretch) -> u64 {
        stretch.stored as u64 * self.element_bytes as u64
    }

    fn bytes(&self, stretch: &Stretch) -> std::ops::Range<usize> {
        let start = stretch.buffer * self.element_bytes;
        start..start + stretch.len * self.element_bytes
    }
}
