//! One run over arrays: complete, or nothing.

use super::array::{AnyMove, ArrayMove, ArrayRequest, SideRequest, Workers};
use super::beside::Listed;
use super::conversion::{ArrayOutcome, Conversion, PlannedRun, RunNames, compare, of};
use super::error::FilesError;
use super::files::{Existing, FileTable};
use super::format;
use super::index;
use super::journal::{RunWords, VERSION};
use super::limits::{RankPlace, files_left, threads};
use super::pattern::FilePattern;
use super::peers::{Peers, Team, agree, settled};
use super::planned::{PlannedFile, PlannedFiles, array_words, shards};
use super::pool::Buffers;
use super::readable::missing;
use super::watch::{OfAll, Watch};
use redist_plan::plan::Side;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

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
    /// Bytes of files that wait in the folder for temporary files, until objects get them.
    pub scratch: u64,
}

/// Arrays that move in one run, with the files of their sources open.
pub struct Run<'a> {
    options: RunOptions,
    team: Team<'a>,
    watch: &'a dyn Watch,
    existing: Existing,
    arrays: Vec<Box<dyn AnyMove>>,
    /// Number of threads.
    threads: usize,
    /// Most bytes of the arrays in a file that an index lists.
    shard_bytes: u64,
}

impl<'a> Run<'a> {
    /// Begins a run without arrays.
    pub fn new(options: RunOptions, watch: &'a dyn Watch) -> Self {
        let threads = threads(options.threads, options.memory, 1);
        Self::of((options, watch), Team::alone(), threads)
    }

    /// Begins a run without arrays, whose work ranks share. Each adds the same arrays, has the same
    /// options, and sees the same files. Options are those of each rank: all together have `ranks` times
    /// the memory. Processors are divided among the ranks that share them, and every rank has the same
    /// number of threads. Ranks say by [`agreed`](crate::agreed) how adding went, if it may fail on one
    /// rank alone. Collective.
    ///
    /// # Errors
    /// A rank is lost, or has other options.
    pub fn over(
        options: RunOptions,
        watch: &'a dyn Watch,
        peers: &'a dyn Peers,
    ) -> Result<Self, FilesError> {
        let place = RankPlace::own();
        let places = agree(peers, Ok(place.clone()), Ok)?;
        let beside = places.iter().filter(|other| place.is_beside(other)).count();
        let team = Team { peers, is_far: !places.iter().all(|other| place.is_near(other)) };
        let own = (threads(options.threads, options.memory, beside), options.memory);
        let threads = agree(peers, Ok(own), |all| fewest_threads(&all))?;
        Ok(Self::of((options, watch), team, threads))
    }

    fn of((options, watch): (RunOptions, &'a dyn Watch), team: Team<'a>, threads: usize) -> Self {
        let existing = Existing::new(files_left(threads) / 2);
        let shard_bytes = index::SHARD_BYTES;
        Self { options, team, watch, existing, arrays: Vec::new(), threads, shard_bytes }
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

    /// Writes all arrays, and gives the files their names. Collective, where ranks share the work: an
    /// error of one is told by all.
    ///
    /// # Errors
    /// A file or the system does not allow it; no file has its name then.
    pub fn convert(self) -> Result<Vec<ArrayOutcome>, FilesError> {
        // The first rank has removed what it made before another one ends.
        let peers = self.team.peers;
        settled(peers, self.converted())
    }

    fn converted(self) -> Result<Vec<ArrayOutcome>, FilesError> {
        let (options, team, threads) = (self.options.clone(), self.team, self.threads);
        let watch = &OfAll { watch: self.watch, ranks: team.peers.ranks() };
        let (memory, buffers) = (options.memory / threads, &Buffers::default());
        let workers = Workers { threads, memory, watch, buffers };
        let run = self.planned(&workers);
        let digest = run.as_ref().map(|run| run.digest(&options)).map_err(Clone::clone);
        agree(team.peers, digest, |all| alike(&all))?;
        let run = run?;
        if team.is_first() {
            warn_of_sources(&run.arrays, &run.input, watch);
        }
        let (inputs, words) = (run.input.ids(), run.planned.words(&run.arrays, &run.input));
        let key = words.ok().and_then(RunWords::key);
        let names = RunNames { inputs: &inputs, force: options.force, key: key.as_deref() };
        let mut work = Conversion::begin(run, names, (threads, team))?;
        let outcomes = work.copy(&workers)?;
        work.complete(options.sync)?;
        if options.check {
            work.check(&workers)?;
        }
        work.publish(options.sync, (options.memory, watch))?;
        if team.is_first() {
            warn_of_others(&work.arrays, watch)?;
        }
        Ok(outcomes)
    }

    /// Plans the files that are written.
    fn planned(mut self, workers: &Workers<'_>) -> Result<PlannedRun, FilesError> {
        let indices = shards(&mut self.arrays, self.shard_bytes)?;
        let mut planned = PlannedFiles::of(&self.arrays, indices)?;
        if self.team.peers.ranks() > 1 {
            planned.divide();
        }
        for array in &self.arrays {
            let buffers = array.buffers(workers, self.options.check);
            buffers.map_err(|error| of(array, &self.arrays, error))?;
        }
        Ok(PlannedRun { arrays: self.arrays, planned, input: self.existing.table() })
    }

    /// Says what [`convert`](Self::convert) would write, and writes nothing. Collective, where ranks
    /// share the work.
    ///
    /// # Errors
    /// A format cannot hold an array, or the memory is too little.
    pub fn expect(self) -> Result<Expected, FilesError> {
        let peers = self.team.peers;
        settled(peers, self.expected())
    }

    fn expected(mut self) -> Result<Expected, FilesError> {
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
        expected.scratch = planned.files.iter().map(PlannedFile::waiting_bytes).sum();
        expected.read = self.existing.table().len();
        Ok(expected)
    }

    /// Compares all arrays with files that are there. Collective, where ranks share the work.
    ///
    /// # Errors
    /// An element differs, or a file does not fit.
    pub fn compare(self) -> Result<Vec<ArrayOutcome>, FilesError> {
        let peers = self.team.peers;
        settled(peers, self.compared())
    }

    fn compared(self) -> Result<Vec<ArrayOutcome>, FilesError> {
        let (team, threads, options) = (self.team, self.threads, self.options.clone());
        let watch = &OfAll { watch: self.watch, ranks: team.peers.ranks() };
        let (memory, buffers) = (options.memory / threads, &Buffers::default());
        let workers = Workers { threads, memory, watch, buffers };
        let found = self.found();
        let digest = found.as_ref().map(|(arrays, input)| digest(arrays, input, None, &options));
        agree(team.peers, digest.map_err(Clone::clone), |all| alike(&all))?;
        let (arrays, input) = found?;
        if team.is_first() {
            warn_of_sources(&arrays, &input, watch);
        }
        let outcomes = compare(&arrays, &input, (&|path| path, team), &workers)?;
        if team.is_first() {
            warn_of_others(&arrays, watch)?;
        }
        Ok(outcomes)
    }

    /// Finds the files of the destinations that indices list.
    fn found(mut self) -> Result<(Vec<Box<dyn AnyMove>>, FileTable), FilesError> {
        for array in &mut self.arrays {
            if let Some(index) = array.index().map(Path::to_owned) {
                let file = self.existing.shard(&index, array.name()).map_err(FilesError::Failed)?;
                array.put_into(file);
            }
        }
        Ok((self.arrays, self.existing.table()))
    }
}

/// Hashes of all that is the same on all ranks of a run: its plan, and its sources.
type RunDigest = (String, u64);

impl PlannedRun {
    fn digest(&self, options: &RunOptions) -> RunDigest {
        digest(&self.arrays, &self.input, Some(&self.planned), options)
    }
}

fn digest(
    arrays: &[Box<dyn AnyMove>],
    input: &FileTable,
    planned: Option<&PlannedFiles>,
    options: &RunOptions,
) -> RunDigest {
    let words = match planned {
        Some(planned) => planned.words(arrays, input),
        None => array_words(arrays),
    };
    let RunOptions { force, check, sync, .. } = options;
    // Words that fail are the same on no rank.
    let words = words.map_or_else(|error| error.to_string(), RunWords::in_words);
    (format!("{VERSION} {words} {force} {check} {sync}"), input.lengths())
}

/// Fails unless all ranks have planned alike.
fn alike(all: &[RunDigest]) -> Result<(), FilesError> {
    let other = all.iter().position(|own| Some(own) != all.first());
    let Some(rank) = other else { return Ok(()) };
    let what = match all[rank].0 == all[0].0 {
        true => "sees other lengths of sources, or times of their last change, than rank 0",
        false => "has other arrays, files or options than rank 0",
    };
    Err(FilesError::Failed(format!(
        "rank {rank} {what}; start all ranks by one command, where they see the same files"
    )))
}

/// Returns the least of the numbers of threads, which all ranks take: boxes are cut by it.
fn fewest_threads(all: &[(usize, usize)]) -> Result<usize, FilesError> {
    let memory = all.first().map(|(_, memory)| *memory);
    match all.iter().position(|(_, own)| Some(*own) != memory) {
        Some(rank) => Err(FilesError::Asked(format!(
            "rank {rank} has another --memory than rank 0; all ranks need the same"
        ))),
        None => Ok(all.iter().map(|(threads, _)| *threads).min().unwrap_or(1)),
    }
}

/// Warns of files that fit a name of the sources, and that no array reads.
fn warn_of_sources(arrays: &[Box<dyn AnyMove>], input: &FileTable, watch: &dyn Watch) {
    let of_run = input.paths().map(Path::to_owned).collect();
    warn(arrays, (Side::Source, &of_run), watch);
}

/// Warns of files that fit a name of the destinations, and that no array has.
fn warn_of_others(arrays: &[Box<dyn AnyMove>], watch: &dyn Watch) -> Result<(), FilesError> {
    let mut of_run = HashSet::new();
    for array in arrays {
        of_run.extend(array.new_parts()?.into_iter().map(|(path, _)| path));
    }
    warn(arrays, (Side::Destination, &of_run), watch);
    Ok(())
}

fn warn(arrays: &[Box<dyn AnyMove>], of: (Side, &HashSet<PathBuf>), watch: &dyn Watch) {
    let mut listed = Listed::default();
    let words = arrays.iter().filter_map(|array| array.warning(of, &mut listed));
    words.for_each(|words| watch.warn(&words));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rank_that_sees_something_else_is_named() {
        let own = |words: &str, lengths| (words.to_owned(), lengths);
        assert_eq!(alike(&[own("a", 1), own("a", 1), own("a", 1)]), Ok(()));
        let told = |all: &[RunDigest]| alike(all).expect_err("a difference").to_string();
        let sources = told(&[own("a", 1), own("a", 1), own("a", 2)]);
        assert!(sources.starts_with("rank 2 sees other lengths of sources"), "{sources}");
        let plans = told(&[own("a", 1), own("b", 1)]);
        assert!(plans.starts_with("rank 1 has other arrays"), "{plans}");
    }

    #[test]
    fn all_ranks_have_the_fewest_threads() {
        assert_eq!(fewest_threads(&[(4, 7), (2, 7), (3, 7)]), Ok(2));
        assert!(fewest_threads(&[(4, 7), (4, 8)]).is_err());
    }
}
