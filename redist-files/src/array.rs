//! One array of a run: its plan, its files, and the moves between them.

use super::beside::{self, Listed};
use super::boxes::{Boxes, needed, tile};
use super::check::Comparison;
use super::checksum::Checksum;
use super::chunks::{Chunking, NewArray, chunk_bytes};
use super::compact::compact;
use super::copy::{Copier, CopyState, read_cells};
use super::element::CopiedElement;
use super::error::FilesError;
use super::files::{Existing, FileSet, FileTable, Parts};
use super::format::{self, Format, NewPart, PartChunks, PartHeader, Placing};
use super::found::parts;
use super::journal::{self, RunWords};
use super::pattern::FilePattern;
use super::pool::{Buffers, for_all};
use super::readable::{Readable, admit, missing};
use super::share::Share;
use super::side::{SideFiles, StoredSide};
use super::watch::Watch;
use super::whole::whole_arrays;
use redist_plan::arithmetic::gcd;
use redist_plan::layout::{Descriptor, Layout};
use redist_plan::plan::{Plan, Side};
use redist_runtime::exec::RankCopies;
use std::collections::HashSet;
use std::fmt::{self, Write};
use std::mem::take;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// An array that a caller asks for.
#[derive(Clone, Debug)]
pub struct ArrayRequest<const D: usize> {
    /// The array's name, in files that hold several and in patterns.
    pub name: String,
    /// The element type in the user's words; `None` if the files say it.
    pub element: Option<String>,
    /// Bytes of an element, if known.
    pub element_bytes: Option<usize>,
    /// The move.
    pub plan: Plan<D>,
    /// Layouts of further copies of the source, whose files are not read.
    pub copies: Vec<Layout<D>>,
    /// Files of the source and of the destination.
    pub sides: [SideRequest; 2],
}

/// Files of one side that a caller asks for.
#[derive(Clone, Debug)]
pub struct SideRequest {
    /// The pattern of their names.
    pub files: String,
    /// The word of the format; `None` if the ending tells.
    pub format: Option<String>,
    /// Places of elements that the files do not say.
    pub placing: Placing,
    /// Chunks of new arrays.
    pub chunking: Chunking,
    /// By rank: a file without a header, and bytes before the first element; empty where the pattern
    /// says the names. A rank that holds nothing has an empty name.
    pub parts: Vec<(PathBuf, u64)>,
}

/// Threads and memory of a run.
#[derive(Clone, Copy)]
pub struct Workers<'a> {
    /// Number of threads.
    pub threads: usize,
    /// Bytes of a thread.
    pub memory: usize,
    pub watch: &'a dyn Watch,
    /// Buffers that are left to the next array.
    pub buffers: &'a Buffers,
}

/// Files of both sides, with the parts of an array in each.
#[derive(Clone, Copy)]
pub struct BothFiles<'a> {
    pub tables: [&'a FileTable; 2],
    pub parts: [&'a Parts; 2],
}

/// An array of any number of dimensions, with its source's files found.
pub trait AnyMove: Send + Sync {
    fn name(&self) -> &str;

    /// Bytes of all elements.
    fn bytes(&self) -> u64;

    /// Bytes of an element.
    fn element_bytes(&self) -> usize;

    /// Numbers of source files and of destination files.
    fn files(&self) -> [usize; 2];

    fn input(&self) -> &Parts;

    /// Returns a number that changes when a file of the source changes.
    fn state(&self, input: &FileTable) -> u64;

    /// Chunks of the destination, if it has some.
    fn new_chunks(&self) -> Option<&NewArray>;

    /// Lists what the destination's files will hold, by number of the rank.
    fn new_parts(&self) -> Result<Vec<(PathBuf, NewPart)>, FilesError>;

    /// The format of the destination's files.
    fn new_format(&self) -> &Arc<dyn Format>;

    /// Returns `true` if elements are swapped in the destination's files.
    fn is_swapped(&self) -> bool;

    /// Copies a share of the elements, and returns the checksum of what is written.
    fn copy(
        &self,
        files: BothFiles<'_>,
        workers: &Workers<'_>,
        share: &Share,
    ) -> Result<Checksum, String>;

    /// Completes a rank's part of the chunks, once all ranks have copied their shares.
    fn complete(
        &self,
        files: BothFiles<'_>,
        workers: &Workers<'_>,
        place: (usize, usize),
    ) -> Result<(), String>;

    /// Compares a share of the elements.
    fn compare(
        &self,
        files: BothFiles<'_>,
        workers: &Workers<'_>,
        share: &Share,
    ) -> Result<(), String>;

    /// Finds the destination's parts in files that are there, by a map of their names.
    fn output(
        &self,
        existing: &mut Existing,
        renamed: &dyn Fn(PathBuf) -> PathBuf,
    ) -> Result<Parts, String>;

    /// Returns the index that says which destination file has the array.
    fn index(&self) -> Option<&Path>;

    /// Sets the destination's file by the index.
    fn put_into(&mut self, file: PathBuf);

    /// Writes words that change when the array, its layouts or its places change.
    fn words(&self, words: &mut RunWords) -> fmt::Result;

    /// Words on the plan: layouts, and how much stays on its rank.
    fn explained(&self) -> String;

    /// Words on files of a side that are of no rank, and of no other array of the run.
    fn warning(&self, of: (Side, &HashSet<PathBuf>), listed: &mut Listed) -> Option<String>;

    /// Returns the bytes of elements that all threads hold at a time; with `check`, fails also if the
    /// comparison needs more.
    fn buffers(&self, workers: &Workers<'_>, check: bool) -> Result<usize, String>;
}

/// An array, with its source's files found.
pub struct ArrayMove<const D: usize> {
    name: String,
    plan: Plan<D>,
    sides: [StoredSide<D>; 2],
    element: CopiedElement,
    input: Parts,
    /// Files of further copies of the source.
    copies: HashSet<PathBuf>,
    /// `true` if elements are swapped in the destination's files.
    swapped: bool,
    /// The element that chunks of the source consist of that are not there; empty without chunks.
    fill: Vec<u8>,
    /// Chunks of the destination.
    new: Option<NewArray>,
}

impl SideRequest {
    /// The side of an array that goes to memory: no file of it is opened.
    pub(crate) fn memory() -> Self {
        let (placing, chunking) = (Placing::default(), Chunking::default());
        let (files, format) = ("memory".into(), Some("raw".into()));
        Self { files, format, placing, chunking, parts: Vec::new() }
    }

    /// Reads the names of files of an array.
    pub fn files(
        &self,
        array: &str,
        (option, existing, element_bytes): (&str, &mut Existing, Option<usize>),
    ) -> Result<SideFiles, FilesError> {
        let asked = |error: String| FilesError::Asked(format!("{option} {error}"));
        if !self.parts.is_empty() {
            return Ok(SideFiles::listed(array, &self.parts, self.placing));
        }
        let pattern = FilePattern::parse(&self.files).map_err(asked)?;
        let example = pattern.example();
        let name = example.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let word = self.format.as_deref().or_else(|| format::within(&example));
        let format = format::choose(&name, word, (self.placing, element_bytes), &self.chunking)
            .map_err(|error| asked(format!("{}: {error}", self.files)))?;
        let mut pattern = pattern.named(array).map_err(asked)?;
        admit(&example, false).map_err(|error| asked(format!("{}: {error}", self.files)))?;
        if format.folder().is_some() && !pattern.is_global() {
            return Err(asked(format!(
                "{}: a folder of the format {} holds an array whole; leave out ranks",
                self.files,
                format.name()
            )));
        }
        let index = format::is_index(&name).then(|| pattern.example());
        if index.is_some() && !pattern.is_global() {
            return Err(asked(format!("{}: an index has no ranks", self.files)));
        }
        if let (Some(index), true) = (&index, option == "--in") {
            pattern =
                FilePattern::literal(existing.shard(index, array).map_err(FilesError::Failed)?);
        }
        Ok(SideFiles { pattern, format, array: array.into(), index, listed: None })
    }
}

impl<const D: usize> ArrayMove<D> {
    pub fn open(request: &ArrayRequest<D>, existing: &mut Existing) -> Result<Self, FilesError> {
        let ArrayRequest { name, element, element_bytes, plan, copies, sides } = request;
        let files = [
            sides[0].files(name, ("--in", existing, *element_bytes))?,
            sides[1].files(name, ("--out", existing, *element_bytes))?,
        ];
        let mut header = |side: &StoredSide<D>| match side.first_with_elements() {
            Some(number) => {
                let of = (side.format(number), side.files.array.as_str());
                existing.header(&side.path(number), of).map_err(FilesError::Failed)
            }
            None => Ok(None),
        };
        let (plan, fill) = whole_arrays(plan, &files, (&mut header, *element_bytes))?;
        let [from, to] = files;
        let stored = [
            StoredSide::new(&plan, Side::Source, from),
            StoredSide::new(&plan, Side::Destination, to),
        ];
        no_gaps(&plan).map_err(FilesError::Asked)?;
        stored.iter().try_for_each(few_enough).map_err(FilesError::Asked)?;
        stored[0].has_all_parts().map_err(FilesError::Asked)?;
        let header = header(&stored[0])?;
        let element =
            element_of((element.as_deref(), *element_bytes), header.as_ref()).map_err(|error| {
                match (&header, absent(&stored[0])) {
                    (Some(_), _) => FilesError::Failed(format!("{}: {error}", sides[0].files)),
                    (None, Some(path)) if element.is_none() => FilesError::Failed(missing(&path)),
                    (None, _) => FilesError::Asked(error),
                }
            })?;
        let (_, swapped) = stored[1]
            .files
            .format
            .code(&element)
            .map_err(|error| FilesError::Asked(format!("{}: {error}", sides[1].files)))?;
        let path = |number| stored[0].path(number);
        let mut input = parts(&stored[0], existing, &path, &element).map_err(FilesError::Failed)?;
        input.swapped |= sides[0].placing.is_swapped();
        let copies = copies.iter().flat_map(|layout| copy_paths(&stored, layout)).collect();
        let name = name.clone();
        let mut made =
            Self { name, plan, sides: stored, element, input, copies, swapped, fill, new: None };
        made.new = made.create().map_err(FilesError::Failed)?;
        Ok(made)
    }

    /// Returns the array's extents, the code of its elements, their bytes, and `true` for Fortran order.
    pub(crate) fn described(&self) -> (Vec<usize>, &str, usize, bool) {
        let fortran = self.sides[0].is_fortran();
        (self.plan.extents().to_vec(), &self.element.code, self.element.bytes, fortran)
    }

    /// Returns the extents of chunks of the source, if it has some.
    pub(crate) fn source_chunk(&self) -> Option<Vec<usize>> {
        match (&self.input.stored, &self.input.boxes[..]) {
            (Some(chunks), _) => Some(chunks.chunk().to_vec()),
            (None, [Some(boxes)]) if boxes.part_bytes() > 0 => Some(boxes.unit().to_vec()),
            _ => None,
        }
    }

    /// Reads a box, whose indices are in the source's axes, in C order.
    pub(crate) fn read_box(
        &self,
        table: &FileTable,
        ranges: &[Range<usize>; D],
        to: &mut [u8],
    ) -> Result<(), String> {
        let (width, unit) = (self.element.bytes, self.element.unit());
        let (plan, [source, _]) = compact(&self.plan, [&self.sides[0], &self.sides[1]], ranges)?;
        let files = FileSet { table, parts: &self.input, element_bytes: width, unit };
        let of = (&self.sides[0], &source);
        // The only part is the box, in the same order.
        if source.cells() == 1 && self.sides[0].stored_order().is_sorted() {
            return read_cells(&files, of, to, |_, _, _| {}).map(drop);
        }
        let elements: usize = (0..source.cells()).map(|cell| source.local_len(cell)).sum();
        let mut all = vec![0; elements * width];
        let places = read_cells(&files, of, &mut all, |_, _, _| {})?;
        let arrays = places.iter().map(|&(start, len)| &all[start..start + len]);
        RankCopies::new(&plan, 0, width).copy(&arrays.collect::<Vec<_>>(), to);
        Ok(())
    }

    /// Prepares the destination's chunks, where its format has some.
    fn create(&self) -> Result<Option<NewArray>, String> {
        let side = &self.sides[1];
        let Some(folder) = side.files.format.folder() else { return Ok(None) };
        let named = |error| format!("{}: {error}", side.files.pattern.example().display());
        let chunks = folder.create(&self.new_part(0)).map_err(named)?;
        Ok(Some(NewArray::new(chunks, side.cells(), self.element.bytes)))
    }

    fn new_part(&self, number: usize) -> NewPart {
        let side = &self.sides[1];
        let chunks = side.chunk();
        let shape = match &chunks {
            Some(_) => side.descriptor.extents(),
            None => side.local_extents(number),
        };
        NewPart {
            name: side.files.array.clone(),
            element: self.element.clone(),
            shape: shape.to_vec(),
            fortran: side.is_fortran(),
            chunks: chunks.map(|shape| PartChunks { shape, fill: self.fill.clone() }),
        }
    }

    fn sets<'f>(&self, files: BothFiles<'f>) -> [FileSet<'f>; 2] {
        let (element_bytes, unit) = (self.element.bytes, self.element.unit());
        [0, 1].map(|side| FileSet {
            table: files.tables[side],
            parts: files.parts[side],
            element_bytes,
            unit,
        })
    }

    /// Returns the shape of boxes; a thread has `more` bytes for each element.
    fn tile(&self, memory: usize, (more, unit): (usize, [usize; D])) -> Result<[usize; D], String> {
        let bytes = self.element.bytes.saturating_add(more);
        tile(&self.plan, (bytes, unit), memory).map_err(|needed| {
            format!("--memory is too little: a thread needs {needed} bytes, and has {memory}")
        })
    }

    /// Returns the bytes that a thread needs for the chunks that it reads or writes, beside its box.
    pub(crate) fn codec_bytes(&self, found: Option<&Parts>) -> usize {
        let both = [Some(&self.input), found].into_iter().flatten();
        let stored =
            both.clone().filter_map(|parts| parts.stored.as_ref()).map(|chunks| chunks.chunk());
        let shapes = stored.chain(self.new.as_ref().map(|new| new.chunks.chunk()));
        let bytes = shapes.map(|shape| chunk_bytes(shape, self.element.bytes));
        let boxes = both.flat_map(|parts| parts.boxes.iter().flatten());
        let bytes = bytes.chain(boxes.map(|boxes| boxes.part_bytes()));
        bytes.max().unwrap_or(0).saturating_mul(CHUNK_COPIES)
    }

    /// Returns the bytes that a thread has for each element beside its box: libraries of formats
    /// bring a copy.
    fn more_bytes(&self, found: Option<&Parts>) -> usize {
        let mut both = [Some(&self.input), found].into_iter().flatten();
        if both.any(|parts| !parts.boxes.is_empty()) { self.element.bytes } else { 0 }
    }

    /// Lists extents of which boxes have multiples, in the source's axes, the best first. The best is
    /// that of chunks of both sides, then of the source, then of the destination.
    fn units(&self) -> Vec<[usize; D]> {
        let of = |side: &StoredSide<D>| {
            let chunk = side.chunk().or_else(|| match (side.side, &self.input.boxes[..]) {
                (Side::Source, [Some(boxes)]) if side.cells() == 1 => Some(boxes.unit().to_vec()),
                _ => None,
            })?;
            Some(core::array::from_fn(|d| chunk[self.plan.axis_on(side.side, d)]))
        };
        let extents = self.plan.extents();
        let whole = |both: fn(usize, usize) -> usize, of: [[usize; D]; 2]| {
            core::array::from_fn(|d| both(of[0][d], of[1][d]).min(extents[d].max(1)))
        };
        let none = [1; D];
        match [of(&self.sides[0]), of(&self.sides[1])] {
            [Some(from), Some(to)] => vec![whole(common, [from, to]), from],
            [Some(from), None] => vec![from],
            [None, Some(to)] => vec![to, none],
            [None, None] => vec![none],
        }
    }

    /// Chooses how many threads there are, and the shape of their boxes: fewer threads where chunks
    /// are too large for the memory.
    fn shares(
        &self,
        workers: &Workers<'_>,
        (more, chunks): (usize, usize),
    ) -> Result<(usize, [usize; D]), String> {
        let all = workers.memory.saturating_mul(workers.threads);
        let units = self.units();
        for threads in (1..=workers.threads).rev() {
            let Some(memory) = (all / threads).checked_sub(chunks) else { continue };
            let fits = |unit: &[usize; D]| self.tile(memory, (more, *unit)).ok();
            if let Some(tile) = units.iter().find_map(fits) {
                return Ok((threads, tile));
            }
            if chunks == 0 {
                break;
            }
        }
        if chunks == 0 {
            return self.tile(workers.memory, (more, units[0])).map(|tile| (workers.threads, tile));
        }
        let last = units.last().copied().unwrap_or([1; D]);
        let bytes = self.element.bytes.saturating_add(more);
        let needed = needed(&self.plan, &last).saturating_mul(bytes).saturating_add(chunks);
        Err(format!(
            "--memory is too little: chunks of this size need {needed} bytes, and there are {all}"
        ))
    }

    /// Chooses threads and boxes of a comparison.
    fn compared(
        &self,
        workers: &Workers<'_>,
        found: Option<&Parts>,
    ) -> Result<(usize, [usize; D]), String> {
        // Of each element, both sides are in memory at a time; of each index along a dimension, and
        // there are no more than elements, the owners on both sides.
        let halves = Workers { memory: workers.memory / 2, ..*workers };
        let more = 2 * size_of::<usize>() + self.more_bytes(found);
        self.shares(&halves, (more, self.codec_bytes(found)))
    }
}

/// Copies of a chunk that a thread may hold: as it is in the file, which may be double, between two
/// codecs, and its elements.
const CHUNK_COPIES: usize = 4;

/// Returns the least common multiple, or the largest number in place of one that is larger.
fn common(a: usize, b: usize) -> usize {
    (a / gcd(a, b).max(1)).saturating_mul(b)
}

impl<const D: usize> AnyMove for ArrayMove<D> {
    fn name(&self) -> &str {
        &self.name
    }

    fn bytes(&self) -> u64 {
        (self.plan.elements() as u64).saturating_mul(self.element.bytes as u64)
    }

    fn element_bytes(&self) -> usize {
        self.element.bytes
    }

    fn files(&self) -> [usize; 2] {
        [&self.sides[0], &self.sides[1]].map(|side| match side.files.format.folder() {
            Some(_) => 1,
            None => side.cells(),
        })
    }

    fn new_chunks(&self) -> Option<&NewArray> {
        self.new.as_ref()
    }

    fn input(&self) -> &Parts {
        &self.input
    }

    fn state(&self, input: &FileTable) -> u64 {
        let files = input.state(&self.input.files());
        match &self.input.stored {
            Some(chunks) => journal::hash(files, &chunks.state().to_le_bytes()),
            None => files,
        }
    }

    fn new_parts(&self) -> Result<Vec<(PathBuf, NewPart)>, FilesError> {
        let side = &self.sides[1];
        let parts = if self.new.is_some() { 1 } else { side.cells() };
        Ok((0..parts).map(|number| (side.path(number), self.new_part(number))).collect())
    }

    fn new_format(&self) -> &Arc<dyn Format> {
        &self.sides[1].files.format
    }

    fn is_swapped(&self) -> bool {
        self.swapped
    }

    fn copy(
        &self,
        files: BothFiles<'_>,
        workers: &Workers<'_>,
        share: &Share,
    ) -> Result<Checksum, String> {
        let (more, chunks) = (self.more_bytes(None), self.codec_bytes(None));
        let (threads, tile) = self.shares(workers, (more, chunks))?;
        let memory = workers.memory.saturating_mul(workers.threads) / threads;
        let width = self.element.bytes;
        let most = memory.saturating_sub(chunks) / (width + more) * width;
        workers.buffers.keep(threads, most);
        let copier = Copier {
            plan: self.plan,
            sides: [&self.sides[0], &self.sides[1]],
            files: self.sets(files),
            boxes: Boxes::new(&self.plan, tile)?,
            element_bytes: width,
            buffers: workers.buffers,
            most,
        };
        let own = share.numbers(copier.boxes.count());
        let work = |state: &mut CopyState<D>, number| copier.copy(state, own.start + number);
        let mut states = for_all(own.len(), threads, workers.watch, work)?;
        states.iter_mut().for_each(|state| workers.buffers.give(take(&mut state.held)));
        let sum = |side: usize| {
            let sums = states.iter().map(|state| state.sums[side]);
            sums.fold(Checksum::default(), Checksum::and)
        };
        if sum(0) != sum(1) {
            return Err(format!(
                "the checksum of what was read, {}, is not that of what was written, {}",
                sum(0).in_words(),
                sum(1).in_words()
            ));
        }
        Ok(sum(1))
    }

    fn complete(
        &self,
        files: BothFiles<'_>,
        workers: &Workers<'_>,
        (rank, ranks): (usize, usize),
    ) -> Result<(), String> {
        let Some(new) = &self.new else { return Ok(()) };
        let (threads, _) = self.shares(workers, (self.more_bytes(None), self.codec_bytes(None)))?;
        let [_, to] = self.sets(files);
        let complete = |(): &mut (), chunk| match new.rank_of(chunk, ranks) == rank {
            true => to.complete(chunk).map(|()| 0),
            false => Ok(0),
        };
        for_all(new.count(), threads, workers.watch, complete)?;
        new.chunks.end(rank == 0)
    }

    fn compare(
        &self,
        files: BothFiles<'_>,
        workers: &Workers<'_>,
        share: &Share,
    ) -> Result<(), String> {
        let sides = [&self.sides[0], &self.sides[1]];
        let (threads, tile) = self.compared(workers, Some(files.parts[1]))?;
        workers.buffers.keep(0, 0);
        let shape = (tile, self.element.bytes);
        let comparison = Comparison::new(&self.plan, sides, self.sets(files), shape);
        let count = if self.plan.extents().contains(&0) { 0 } else { comparison.count() };
        let own = share.numbers(count);
        let work = |held: &mut _, number| comparison.compare(held, own.start + number);
        for_all(own.len(), threads, workers.watch, work).map(drop)
    }

    fn output(
        &self,
        existing: &mut Existing,
        renamed: &dyn Fn(PathBuf) -> PathBuf,
    ) -> Result<Parts, String> {
        let side = &self.sides[1];
        let mut found = parts(side, existing, &|number| renamed(side.path(number)), &self.element)?;
        found.swapped = self.swapped;
        Ok(found)
    }

    fn index(&self) -> Option<&Path> {
        self.sides[1].files.index.as_deref()
    }

    fn put_into(&mut self, file: PathBuf) {
        self.sides[1].files.pattern = FilePattern::literal(file);
    }

    fn words(&self, words: &mut RunWords) -> fmt::Result {
        let sides = [&self.sides[0].descriptor, &self.sides[1].descriptor];
        writeln!(words, "{} {sides:?} {:?} {:?}", self.name, self.element, self.input)
    }

    fn explained(&self) -> String {
        let [from, to] = [&self.sides[0].descriptor, &self.sides[1].descriptor];
        format!(
            "{:?} elements of {}, {} to {}",
            self.plan.extents(),
            self.element.name(),
            from.layout(),
            to.layout()
        )
    }

    fn warning(&self, of: (Side, &HashSet<PathBuf>), listed: &mut Listed) -> Option<String> {
        let (side, of_run) = of;
        let is_own = |path: &PathBuf| {
            of_run.contains(path) || (side == Side::Source && self.copies.contains(path))
        };
        beside::warning(&self.sides[side as usize], &is_own, listed)
    }

    fn buffers(&self, workers: &Workers<'_>, check: bool) -> Result<usize, String> {
        if check {
            self.compared(workers, None)?;
        }
        let (threads, tile) =
            self.shares(workers, (self.more_bytes(None), self.codec_bytes(None)))?;
        let bytes = needed(&self.plan, &tile).saturating_mul(self.element.bytes);
        let all = workers.memory.saturating_mul(workers.threads);
        Ok(bytes.saturating_add(self.codec_bytes(None)).saturating_mul(threads).min(all))
    }
}

fn element_of(
    (name, bytes): (Option<&str>, Option<usize>),
    header: Option<&PartHeader>,
) -> Result<CopiedElement, String> {
    match (name, header) {
        (Some(name), header) => {
            let exact = header.is_some_and(|header| header.exact);
            let code = header.map(|header| header.code.as_str());
            let element = CopiedElement::new(name, bytes, code)?;
            match code.filter(|_| exact) {
                Some(code) => CopiedElement::new(name, Some(element.bytes), None)
                    .and_then(|own| own.check(code, exact))
                    .map(|()| element),
                None => Ok(element),
            }
        }
        (None, Some(header)) => CopiedElement::read(&header.code),
        (None, None) => Err("the files do not say the type of elements; give `element`".into()),
    }
}

/// Lists the files of a copy of the source.
fn copy_paths<const D: usize>(sides: &[StoredSide<D>; 2], layout: &Layout<D>) -> Vec<PathBuf> {
    let descriptor = &sides[0].descriptor;
    let mut copy = sides[0].clone();
    match Descriptor::new(descriptor.extents(), *layout) {
        Ok(other) => copy.descriptor = other,
        Err(_) => return Vec::new(),
    }
    (0..copy.cells()).map(|number| copy.path(number)).collect()
}

/// Returns the first file with elements that should say their type, if it is not there.
fn absent<const D: usize>(side: &StoredSide<D>) -> Option<PathBuf> {
    let path = side.path(side.first_with_elements()?);
    matches!(Readable::open(&path), Ok(None)).then_some(path)
}

/// Most files of a side.
const MAX_FILES: usize = 1 << 20;

fn few_enough<const D: usize>(side: &StoredSide<D>) -> Result<(), String> {
    match side.cells() {
        0..=MAX_FILES => Ok(()),
        many => Err(format!(
            "the {} layout has {many} {}; at most {MAX_FILES} are converted",
            side.side,
            match side.files.format.folder() {
                Some(_) => "chunks",
                None => "ranks, each with a file",
            }
        )),
    }
}

fn no_gaps<const D: usize>(plan: &Plan<D>) -> Result<(), String> {
    let stored = plan.descriptor(Side::Destination).extents();
    for dimension in 0..D {
        let axis = plan.axis_on(Side::Destination, dimension);
        let moved = plan.extents()[dimension];
        if stored[axis] != moved {
            return Err(format!(
                "destination layout: dimension {axis}: of {} elements only {moved} would get a \
                 value; leave out `of`, so that the files hold the section alone",
                stored[axis]
            ));
        }
    }
    Ok(())
}
