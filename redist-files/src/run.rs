//! One run over arrays: complete, or nothing.

use super::array::{AnyMove, ArrayMove, ArrayRequest, BothFiles, SideRequest, Workers};
use super::checksum::Checksum;
use super::error::FilesError;
use super::files::{Existing, FileTable, Parts};
use super::format::{self, FileLayout, Format, NewPart, RawFormat};
use super::found::missing;
use super::index;
use super::journal::{Finished, Journal, RunWords};
use super::limits::{files_left, threads};
use super::outputs::{Created, Outputs};
use super::pattern::FilePattern;
use super::pool::Buffers;
use super::watch::Watch;
use redist_plan::plan::Side;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::{self, Write};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Choices of a run.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// Most bytes of memory for elements, all threads together.
    pub memory: usize,
    /// Number of threads; as many as there are processors, unless told.
    pub threads: Option<usize>,
    /// `true` to replace files that are there.
    pub force: bool,
    /// `true` to compare every element before the files get their names.
    pub check: bool,
    /// `true` to wait until all is on the disk.
    pub sync: bool,
}

impl RunOptions {
    /// Least bytes of memory that a run may have.
    pub const MIN_MEMORY: usize = 64 << 10;
}

impl Default for RunOptions {
    fn default() -> Self {
        Self { memory: 256 << 20, threads: None, force: false, check: false, sync: true }
    }
}

/// The outcome of one array.
#[derive(Clone, Debug)]
pub struct ArrayOutcome {
    /// The array's name.
    pub name: String,
    /// Bytes of all elements.
    pub bytes: u64,
    /// Bytes of an element.
    pub element_bytes: usize,
    /// Numbers of source files and of destination files.
    pub files: [usize; 2],
    /// The checksum of what was written; `None` if nothing was.
    pub checksum: Option<String>,
    /// `true` if a killed run had written it, and its source has not changed since.
    pub kept: bool,
    /// Seconds of the copy or comparison.
    pub seconds: f64,
}

/// A run that writes.
struct Conversion {
    arrays: Vec<Box<dyn AnyMove>>,
    planned: PlannedFiles,
    input: FileTable,
    created: Created,
    finished: Finished,
    notes: Option<Journal>,
}

impl Conversion {
    /// Forgets arrays whose sources have changed, or whose files are new; notes the rest.
    fn keep_finished(&mut self) -> Result<(), String> {
        let before = self.finished.clone();
        let Self { arrays, planned, input, created, finished, .. } = self;
        finished.arrays.retain(|number, (_, state)| {
            let (Some(array), Some(parts)) = (arrays.get(*number), planned.parts.get(*number))
            else {
                return false;
            };
            let is_left = parts.files().iter().all(|file| created.left[*file]);
            is_left && *state == array.state(input)
        });
        let all = finished.arrays.len() == arrays.len() && created.left.iter().all(|left| *left);
        if finished.publishing && !all {
            return Err(
                "a killed run has given files their names, and sources have changed since; \
                        remove these files, and run this again"
                    .into(),
            );
        }
        match before == *finished && created.left.iter().all(|left| *left) {
            true => Ok(()),
            false => self.note(|notes, finished| notes.rewrite(finished)),
        }
    }

    fn note(
        &mut self,
        write: impl FnOnce(&mut Journal, &Finished) -> io::Result<()>,
    ) -> Result<(), String> {
        let Some(notes) = &mut self.notes else { return Ok(()) };
        write(notes, &self.finished).map_err(|error| format!("notes: {error}"))
    }

    fn copy(
        &mut self,
        outputs: &mut Outputs<'_>,
        workers: &Workers<'_>,
    ) -> Result<Vec<ArrayOutcome>, FilesError> {
        let mut outcomes = Vec::with_capacity(self.arrays.len());
        workers.watch.begin("converting", self.arrays.iter().map(|array| array.bytes()).sum());
        for number in 0..self.arrays.len() {
            let (array, began) = (&self.arrays[number], Instant::now());
            if let Some((sum, _)) = self.finished.arrays.get(&number) {
                workers.watch.add(array.bytes());
                outcomes.push(outcome(array.as_ref(), (Some(*sum), true), began));
                continue;
            }
            self.begin(number, outputs).map_err(|error| of(array, &self.arrays, error))?;
            let tables = [&self.input, &self.created.table];
            let files = BothFiles { tables, parts: [array.input(), &self.planned.parts[number]] };
            let sum = array.copy(files, workers).map_err(|error| of(array, &self.arrays, error))?;
            outcomes.push(outcome(array.as_ref(), (Some(sum), false), began));
            let state = self.arrays[number].state(&self.input);
            self.note(|notes, _| notes.array(number, sum, state)).map_err(FilesError::Failed)?;
        }
        workers.watch.end();
        Ok(outcomes)
    }

    /// Begins an array in chunks: an empty folder, and an empty scratch file.
    fn begin(&self, number: usize, outputs: &mut Outputs<'_>) -> Result<(), String> {
        let (parts, table) = (&self.planned.parts[number], &self.created.table);
        let Some(new) = &parts.new else { return Ok(()) };
        for file in parts.files() {
            let named = |error: io::Error| error.to_string();
            let len = self.planned.files[file].layout.len;
            table.act(file, |scratch| {
                scratch.set_len(0).and_then(|()| scratch.set_len(len)).map_err(named)
            })?;
            new.begin(outputs.folder(file)?)?;
        }
        Ok(())
    }

    /// Completes all files that have not their names yet.
    fn complete(&mut self, outputs: &mut Outputs<'_>, sync: bool) -> Result<(), String> {
        let table = &self.created.table;
        let new = |number: &usize| !outputs.is_published(*number);
        let is_folder = |number: &usize| self.planned.files[*number].format.folder().is_some();
        let (folders, files): (Vec<usize>, Vec<usize>) =
            (0..table.len()).filter(new).partition(is_folder);
        for &number in &files {
            let file = &self.planned.files[number];
            table.act(number, |open| file.format.finish(open, &file.layout))?;
        }
        if sync {
            table.sync(files)?;
        }
        for number in folders {
            let id = outputs.complete_folder(number, sync)?;
            self.note(|notes, _| notes.file(number, id))?;
        }
        Ok(())
    }

    fn check(&self, outputs: &Outputs<'_>, workers: &Workers<'_>) -> Result<(), FilesError> {
        let renamed = |path: PathBuf| {
            let number = self.planned.number(&path);
            if outputs.is_published(number) { path } else { outputs.unfinished(number) }
        };
        compare(&self.arrays, &self.input, &renamed, workers).map(drop)
    }
}

/// The files that a run would write.
#[derive(Clone, Debug, Default)]
pub struct Expected {
    /// By array: its name, its bytes, and words on its plan.
    pub arrays: Vec<(String, u64, String)>,
    /// Files that would be written, with their bytes.
    pub files: Vec<(PathBuf, u64)>,
    /// Number of files that are read.
    pub read: usize,
    /// Most bytes of elements in memory at a time.
    pub memory: usize,
}

/// Arrays that move in one run, with the files of their sources open.
pub struct Run<'a> {
    options: RunOptions,
    watch: &'a dyn Watch,
    existing: Existing,
    arrays: Vec<Box<dyn AnyMove>>,
    /// Number of threads.
    threads: usize,
    /// Most bytes of the arrays in a file that an index lists.
    shard_bytes: u64,
}

/// A file that is to be written.
struct PlannedFile {
    path: PathBuf,
    format: Arc<dyn Format>,
    parts: Vec<NewPart>,
    layout: FileLayout,
}

/// All files that are to be written.
struct PlannedFiles {
    files: Vec<PlannedFile>,
    /// By array: its parts in these files.
    parts: Vec<Parts>,
    /// By name: the file's number, and the array that was last put into it.
    numbers: HashMap<PathBuf, (usize, usize)>,
}

impl<'a> Run<'a> {
    /// Begins a run without arrays.
    pub fn new(options: RunOptions, watch: &'a dyn Watch) -> Self {
        let threads = threads(options.threads, options.memory);
        let existing = Existing::new(files_left(threads) / 2);
        let shard_bytes = index::SHARD_BYTES;
        Self { options, watch, existing, arrays: Vec::new(), threads, shard_bytes }
    }

    /// Adds an array, whose source is opened and checked.
    ///
    /// # Errors
    /// A name, a format, a layout or a file does not fit.
    pub fn add<const D: usize>(&mut self, request: &ArrayRequest<D>) -> Result<(), FilesError> {
        let array = ArrayMove::open(request, &mut self.existing)?;
        self.arrays.push(Box::new(array));
        Ok(())
    }

    /// Sets the most bytes of the arrays in a file that an index lists.
    pub fn shard_bytes(&mut self, bytes: u64) {
        self.shard_bytes = bytes;
    }

    /// Reads the extents of an array that one file holds whole.
    pub(crate) fn extents(
        &mut self,
        name: &str,
        side: &SideRequest,
    ) -> Result<Vec<usize>, FilesError> {
        let files = side.files(name, ("--in", &mut self.existing, None))?;
        if !files.pattern.is_global() {
            return Err(FilesError::Asked("has no `extents`, and no file holds it whole".into()));
        }
        let path = files.pattern.example();
        if self.existing.open(&path, files.format.as_ref()).map_err(FilesError::Failed)?.is_none() {
            return Err(FilesError::Failed(missing(&path)));
        }
        let of = (files.format.as_ref(), files.array.as_str());
        let header = self.existing.header(&path, of).map_err(FilesError::Failed)?;
        header
            .map(|header| header.shape)
            .ok_or_else(|| FilesError::Asked("has no `extents`, and no file says them".into()))
    }

    /// Lists the arrays of files that hold several, each whole.
    pub(crate) fn names(&mut self, side: &SideRequest) -> Result<Vec<String>, FilesError> {
        let path = FilePattern::parse(&side.files).map_err(FilesError::Asked)?;
        let example = path.example();
        if format::is_index(&example.to_string_lossy()) {
            let map = self.existing.index(&example).map_err(FilesError::Failed)?;
            return Ok(map.keys().cloned().collect());
        }
        let files = side.files("", ("--in", &mut self.existing, None))?;
        if !files.format.is_shared() || !path.is_global() {
            let words = "a name with `*` needs one file of several arrays, or an index";
            return Err(FilesError::Asked(words.into()));
        }
        let catalog = self.existing.open(&example, files.format.as_ref());
        let catalog = catalog.map_err(FilesError::Failed)?;
        let catalog = catalog.ok_or_else(|| FilesError::Failed(missing(&example)))?;
        Ok(catalog.names().map(str::to_owned).collect())
    }

    /// Returns the files of the sources.
    pub(crate) fn existing(&mut self) -> &mut Existing {
        &mut self.existing
    }

    /// Ends a run that writes nothing, and returns the files of the sources.
    pub(crate) fn into_input(self) -> FileTable {
        self.existing.table()
    }

    /// Writes all arrays, and gives the files their names.
    ///
    /// # Errors
    /// A file or the system does not allow it; no file has its name then.
    pub fn convert(self) -> Result<Vec<ArrayOutcome>, FilesError> {
        let failed = FilesError::Failed;
        let Self { options, watch, existing, mut arrays, threads, shard_bytes } = self;
        let indices = shards(&mut arrays, shard_bytes)?;
        let planned = PlannedFiles::of(&arrays, indices)?;
        let memory = options.memory / threads;
        let buffers = &Buffers::default();
        let (input, workers) = (existing.table(), Workers { threads, memory, watch, buffers });
        for array in &arrays {
            array.buffers(&workers, options.check).map_err(|error| of(array, &arrays, error))?;
        }
        warn_of_sources(&arrays, &input, watch);
        let (inputs, names) = (input.ids(), planned.paths());
        let key = planned.words(&arrays, &input).ok().and_then(RunWords::key);
        let left = (files_left(threads), key.as_deref());
        let names = names.into_iter().zip(planned.are_folders()).collect();
        let mut outputs = Outputs::new(names, (&inputs, options.force), left).map_err(failed)?;
        let (notes, mut finished) = outputs.begin().map_err(failed)?;
        let layouts: Vec<&FileLayout> = planned.files.iter().map(|file| &file.layout).collect();
        let keep = files_left(threads);
        let created = outputs.create(&layouts, (&mut finished, keep)).map_err(failed)?;
        let mut work = Conversion { arrays, planned, input, created, finished, notes };
        work.keep_finished().map_err(failed)?;
        let outcomes = work.copy(&mut outputs, &workers)?;
        work.complete(&mut outputs, options.sync).map_err(failed)?;
        if options.check {
            work.check(&outputs, &workers)?;
        }
        work.note(|notes, _| notes.publishing()).map_err(failed)?;
        outputs.finish(options.sync).map_err(failed)?;
        warn_of_others(&work.arrays, watch)?;
        Ok(outcomes)
    }

    /// Says what [`convert`](Self::convert) would write, and writes nothing.
    ///
    /// # Errors
    /// A format cannot hold an array, or the memory is too little.
    pub fn expect(mut self) -> Result<Expected, FilesError> {
        let indices = shards(&mut self.arrays, self.shard_bytes)?;
        let planned = PlannedFiles::of(&self.arrays, indices)?;
        let memory = self.options.memory / self.threads;
        let (watch, buffers) = (self.watch, &Buffers::default());
        let workers = Workers { threads: self.threads, memory, watch, buffers };
        let mut expected = Expected::default();
        for array in &self.arrays {
            let buffers = array.buffers(&workers, false).map_err(FilesError::Failed)?;
            expected.memory = expected.memory.max(buffers);
            let words = array.explained();
            expected.arrays.push((array.name().into(), array.bytes(), words));
        }
        expected.files =
            planned.files.iter().map(|file| (file.path.clone(), file.layout.len)).collect();
        expected.read = self.existing.table().len();
        Ok(expected)
    }

    /// Compares all arrays with files that are there.
    ///
    /// # Errors
    /// An element differs, or a file does not fit.
    pub fn compare(self) -> Result<Vec<ArrayOutcome>, FilesError> {
        let Self { options, watch, mut existing, mut arrays, threads, .. } = self;
        for array in &mut arrays {
            if let Some(index) = array.index().map(Path::to_owned) {
                let file = existing.shard(&index, array.name()).map_err(FilesError::Failed)?;
                array.put_into(file);
            }
        }
        let (memory, buffers) = (options.memory / threads, &Buffers::default());
        let (input, workers) = (existing.table(), Workers { threads, memory, watch, buffers });
        warn_of_sources(&arrays, &input, watch);
        let outcomes = compare(&arrays, &input, &|path| path, &workers)?;
        warn_of_others(&arrays, watch)?;
        Ok(outcomes)
    }
}

/// Deals arrays out to the files of their indices, and writes the indices.
fn shards(
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

/// Warns of files that fit a name of the sources, and that no array reads.
fn warn_of_sources(arrays: &[Box<dyn AnyMove>], input: &FileTable, watch: &dyn Watch) {
    let of_run = input.paths().map(Path::to_owned).collect();
    let words = arrays.iter().filter_map(|array| array.warning(Side::Source, &of_run));
    words.for_each(|words| watch.warn(&words));
}

/// Warns of files that fit a name of the destinations, and that no array has.
fn warn_of_others(arrays: &[Box<dyn AnyMove>], watch: &dyn Watch) -> Result<(), FilesError> {
    let mut of_run = HashSet::new();
    for array in arrays {
        of_run.extend(array.new_parts()?.into_iter().map(|(path, _)| path));
    }
    let words = arrays.iter().filter_map(|array| array.warning(Side::Destination, &of_run));
    words.for_each(|words| watch.warn(&words));
    Ok(())
}

/// Names the array of an error, where there are several.
#[expect(clippy::borrowed_box, reason = "a list of boxes has it")]
fn of(array: &Box<dyn AnyMove>, all: &[Box<dyn AnyMove>], error: String) -> FilesError {
    FilesError::Failed(match all {
        [_] => error,
        _ => format!("array `{}`: {error}", array.name()),
    })
}

fn outcome(
    array: &dyn AnyMove,
    (checksum, kept): (Option<Checksum>, bool),
    began: Instant,
) -> ArrayOutcome {
    ArrayOutcome {
        name: array.name().into(),
        bytes: array.bytes(),
        element_bytes: array.element_bytes(),
        files: array.files(),
        checksum: checksum.map(Checksum::in_words),
        kept,
        seconds: began.elapsed().as_secs_f64(),
    }
}

fn compare(
    arrays: &[Box<dyn AnyMove>],
    input: &FileTable,
    renamed: &dyn Fn(PathBuf) -> PathBuf,
    workers: &Workers<'_>,
) -> Result<Vec<ArrayOutcome>, FilesError> {
    let mut existing = Existing::new(files_left(workers.threads));
    let found = arrays.iter().map(|array| {
        array.output(&mut existing, renamed).map_err(|error| of(array, arrays, error))
    });
    let found = found.collect::<Result<Vec<Parts>, _>>()?;
    let table = existing.table();
    workers.watch.begin("checking", arrays.iter().map(|array| array.bytes()).sum());
    let mut outcomes = Vec::with_capacity(arrays.len());
    for (array, parts) in arrays.iter().zip(&found) {
        let began = Instant::now();
        let files = BothFiles { tables: [input, &table], parts: [array.input(), parts] };
        array.compare(files, workers).map_err(|error| of(array, arrays, error))?;
        outcomes.push(outcome(array.as_ref(), (None, false), began));
    }
    workers.watch.end();
    Ok(outcomes)
}

impl PlannedFiles {
    /// Lists the files of all arrays, and places the arrays in them.
    fn of(
        arrays: &[Box<dyn AnyMove>],
        indices: Vec<(PathBuf, Vec<u8>)>,
    ) -> Result<Self, FilesError> {
        let mut planned = Self { files: Vec::new(), parts: Vec::new(), numbers: HashMap::new() };
        let mut places = Vec::with_capacity(arrays.len());
        for (number, array) in arrays.iter().enumerate() {
            let mut own = Vec::new();
            for (path, part) in array.new_parts()? {
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
    fn number(&self, path: &Path) -> usize {
        self.numbers.get(path).map_or(usize::MAX, |(file, _)| *file)
    }

    fn paths(&self) -> Vec<PathBuf> {
        self.files.iter().map(|file| file.path.clone()).collect()
    }

    /// By file: whether it is a folder.
    fn are_folders(&self) -> Vec<bool> {
        self.files.iter().map(|file| file.format.folder().is_some()).collect()
    }

    /// Returns words that change when anything but the elements changes.
    fn words(
        &self,
        arrays: &[Box<dyn AnyMove>],
        input: &FileTable,
    ) -> Result<RunWords, fmt::Error> {
        let mut words = RunWords::new();
        arrays.iter().try_for_each(|array| array.words(&mut words))?;
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
