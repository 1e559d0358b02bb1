//! A run that writes: ranks copy their shares, complete files and check them; the first gives names.

use super::array::{AnyMove, BothFiles, Workers};
use super::checksum::Checksum;
use super::error::FilesError;
use super::files::{Existing, FileTable, Parts};
use super::format::FileLayout;
use super::joined::UnfinishedFiles;
use super::journal::{Finished, Journal};
use super::limits::files_left;
use super::outputs::{Created, Outputs};
use super::peers::{Team, agree, first, settled};
use super::planned::PlannedFiles;
use super::regular::{self, FileId};
use super::share::{Share, deal};
use super::sums;
use super::watch::Watch;
use rustix::fs::syncfs;
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Instant;

/// Bytes of arrays that a rank copies before all ranks say how they are, where arrays are small.
const BATCH_BYTES: u64 = 32 << 20;

/// Most arrays that are copied before all ranks say how they are.
const BATCH_ARRAYS: usize = 1 << 10;

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

/// Arrays with their sources open, and the files that they go to.
pub struct PlannedRun {
    pub arrays: Vec<Box<dyn AnyMove>>,
    pub planned: PlannedFiles,
    pub input: FileTable,
}

/// Names of a run that writes.
#[derive(Clone, Copy)]
pub struct RunNames<'a> {
    /// Files that are read.
    pub inputs: &'a HashSet<FileId>,
    /// `true` to replace files that are there.
    pub force: bool,
    /// The name of the run in its folders.
    pub key: Option<&'a str>,
}

/// Unfinished folders and notes, which the first rank alone has.
struct Lead<'a> {
    outputs: Outputs<'a>,
    notes: Option<Journal>,
    finished: Finished,
}

/// The first rank's words on a run that begins.
#[derive(Deserialize, Serialize)]
struct Begun {
    unfinished: UnfinishedFiles,
    /// Numbers and checksums of arrays that a killed run has written.
    finished: Vec<(usize, String)>,
}

/// A run that writes.
pub struct Conversion<'a> {
    pub arrays: Vec<Box<dyn AnyMove>>,
    planned: PlannedFiles,
    input: FileTable,
    /// The unfinished files.
    table: FileTable,
    unfinished: UnfinishedFiles,
    /// By number of the array: the checksum of what a killed run has written.
    finished: HashMap<usize, Checksum>,
    lead: Option<Lead<'a>>,
    team: Team<'a>,
    /// Locks of a rank that is not the first.
    _locks: Vec<File>,
}

impl<'a> Lead<'a> {
    /// Makes the unfinished files, or takes over what a killed run has left.
    fn begin(
        PlannedRun { arrays, planned, input }: &PlannedRun,
        names: RunNames<'a>,
        threads: usize,
    ) -> Result<(Self, FileTable), String> {
        let paths = planned.paths().into_iter().zip(planned.last_files()).collect();
        let left = (files_left(threads), names.key);
        let mut outputs = Outputs::new(paths, (names.inputs, names.force), left)?;
        let (mut notes, mut finished) = outputs.begin()?;
        let layouts: Vec<&FileLayout> = planned.files.iter().map(|file| &file.layout).collect();
        let keep = files_left(threads);
        let Created { table, left } = outputs.create(&layouts, (&mut finished, keep))?;
        outputs.begin_objects(&table, (&mut finished, &mut notes))?;
        let mut lead = Self { outputs, notes, finished };
        lead.keep_finished((arrays.as_slice(), planned, input), &left)?;
        Ok((lead, table))
    }

    /// Forgets arrays whose sources have changed, or whose files are new; notes the rest.
    fn keep_finished(
        &mut self,
        (arrays, planned, input): (&[Box<dyn AnyMove>], &PlannedFiles, &FileTable),
        left: &[bool],
    ) -> Result<(), String> {
        let before = self.finished.clone();
        self.finished.arrays.retain(|number, (_, state)| {
            let (Some(array), Some(parts)) = (arrays.get(*number), planned.parts.get(*number))
            else {
                return false;
            };
            parts.files().iter().all(|file| left[*file]) && *state == array.state(input)
        });
        let is_left = left.iter().all(|left| *left);
        if self.finished.publishing && !(self.finished.arrays.len() == arrays.len() && is_left) {
            return Err(
                "a killed run has given files their names, and sources have changed since; \
                        remove these files, and run this again"
                    .into(),
            );
        }
        match before == self.finished && is_left {
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

    fn told(&self) -> Begun {
        let sums = self.finished.arrays.iter();
        Begun {
            unfinished: self.outputs.told(self.finished.publishing),
            finished: sums.map(|(number, (sum, _))| (*number, sum.in_words())).collect(),
        }
    }
}

impl<'a> Conversion<'a> {
    /// Begins on the first rank, which tells the others where the unfinished files are.
    pub fn begin(
        run: PlannedRun,
        names: RunNames<'a>,
        (threads, team): (usize, Team<'a>),
    ) -> Result<Self, FilesError> {
        let mut own = None;
        let begun = first(team.peers, || {
            let (lead, table) = Lead::begin(&run, names, threads).map_err(FilesError::Failed)?;
            let begun = lead.told();
            own = Some((table, Some(lead), Vec::new()));
            Ok(begun)
        })?;
        let Begun { unfinished, finished } = begun;
        let opened = match own {
            Some(own) => Ok(own),
            None => {
                let paths = run.planned.files.iter().map(|file| file.path.as_path());
                let joined = unfinished.open(paths, files_left(threads));
                joined.map(|joined| (joined.table, None, joined.locks))
            }
        };
        let opened = settled(team.peers, opened.map_err(FilesError::Failed));
        let (table, lead, _locks) = opened?;
        let sum = |(number, sum): (usize, String)| Some((number, Checksum::parse(&sum)?));
        let finished = finished.into_iter().filter_map(sum).collect();
        let PlannedRun { arrays, planned, input } = run;
        Ok(Self { arrays, planned, input, table, unfinished, finished, lead, team, _locks })
    }

    fn note(
        &mut self,
        write: impl FnOnce(&mut Journal, &Finished) -> io::Result<()>,
    ) -> Result<(), String> {
        self.lead.as_mut().map_or(Ok(()), |lead| lead.note(write))
    }

    /// Copies all arrays: each rank its shares.
    pub fn copy(&mut self, workers: &Workers<'_>) -> Result<Vec<ArrayOutcome>, FilesError> {
        let mut outcomes = Vec::with_capacity(self.arrays.len());
        workers.watch.begin("converting", self.arrays.iter().map(|array| array.bytes()).sum());
        while outcomes.len() < self.arrays.len() {
            let batch = self.batch(outcomes.len(), workers.memory * workers.threads);
            outcomes.extend(self.copy_batch(batch, workers)?);
        }
        workers.watch.end();
        Ok(outcomes)
    }

    /// Returns arrays that are copied before all ranks say how they are: one, or several small ones.
    /// A rank copies no more of small ones than it has memory.
    fn batch(&self, start: usize, memory: usize) -> Range<usize> {
        let ranks = self.team.peers.ranks() as u64;
        let own = BATCH_BYTES.min(memory as u64);
        let most = if ranks == 1 { 0 } else { own.saturating_mul(ranks) };
        let (mut end, mut bytes) = (start, 0u64);
        for number in start..self.arrays.len().min(start + BATCH_ARRAYS) {
            let in_chunks = self.planned.parts[number].new.is_some();
            if in_chunks && number > start {
                break;
            }
            end = number + 1;
            if !self.finished.contains_key(&number) {
                bytes = bytes.saturating_add(self.arrays[number].bytes());
            }
            if in_chunks || bytes >= most {
                break;
            }
        }
        start..end
    }

    fn copy_batch(
        &mut self,
        batch: Range<usize>,
        workers: &Workers<'_>,
    ) -> Result<Vec<ArrayOutcome>, FilesError> {
        let (began, peers) = (Instant::now(), self.team.peers);
        let is_new = |number: &usize| !self.finished.contains_key(number);
        let new: Vec<usize> = batch.clone().filter(is_new).collect();
        for number in batch.clone().filter(|number| !is_new(number)) {
            workers.watch.add(self.arrays[number].bytes() / peers.ranks() as u64);
        }
        let own = match new[..] {
            [number] if self.planned.parts[number].new.is_some() => {
                self.copy_chunks(number, workers).map(|sum| vec![sum])
            }
            _ => self.copy_shares(&new, workers),
        };
        let in_words = |sums: Vec<Checksum>| sums.into_iter().map(Checksum::in_words).collect();
        let own: Result<Vec<String>, FilesError> = own.map(in_words);
        let sums = agree(peers, own, |all| self.note_arrays(&new, &all))?;
        let sums: HashMap<usize, String> = new.into_iter().zip(sums).collect();
        let outcome_of = |number: usize| {
            let kept = self.finished.get(&number).map(|sum| sum.in_words());
            let sum = (sums.get(&number).cloned().or_else(|| kept.clone()), kept.is_some());
            outcome(self.arrays[number].as_ref(), sum, began)
        };
        Ok(batch.map(outcome_of).collect())
    }

    /// Adds up the checksums that ranks bring, and notes that the arrays are written.
    fn note_arrays(
        &mut self,
        arrays: &[usize],
        all: &[Vec<String>],
    ) -> Result<Vec<String>, FilesError> {
        let mut sums = vec![Checksum::default(); arrays.len()];
        for own in all {
            for (sum, own) in sums.iter_mut().zip(own) {
                *sum = sum.and(Checksum::parse(own).unwrap_or_default());
            }
        }
        for (number, sum) in arrays.iter().zip(&sums) {
            let state = self.arrays[*number].state(&self.input);
            self.note(|notes, _| notes.array(*number, *sum, state)).map_err(FilesError::Failed)?;
        }
        Ok(sums.into_iter().map(Checksum::in_words).collect())
    }

    /// Copies this rank's shares of arrays, one behind the other in the order of all their bytes.
    fn copy_shares(
        &self,
        arrays: &[usize],
        workers: &Workers<'_>,
    ) -> Result<Vec<Checksum>, FilesError> {
        let bytes: Vec<u64> = arrays.iter().map(|number| self.arrays[*number].bytes()).collect();
        let shares = deal(&bytes, self.place());
        let copied = arrays.iter().zip(&shares);
        copied.map(|(number, share)| self.copy_share(*number, share, workers)).collect()
    }

    fn copy_share(
        &self,
        number: usize,
        share: &Share,
        workers: &Workers<'_>,
    ) -> Result<Checksum, FilesError> {
        if share.is_empty() {
            return Ok(Checksum::default());
        }
        let array = &self.arrays[number];
        let copied = array.copy(self.files(number), workers, share).and_then(|sum| {
            if share.is_first() {
                sums::compare(&self.input, array.input(), workers)?;
            }
            Ok(sum)
        });
        let sum = copied.map_err(|error| of(array, &self.arrays, error))?;
        if self.team.is_far {
            let files = self.planned.parts[number].files();
            self.table.sync(files).map_err(FilesError::Failed)?;
        }
        Ok(sum)
    }

    /// Copies this rank's share of an array in chunks. Chunks of which ranks have parts wait until all
    /// parts are written, and one rank puts them into their place.
    fn copy_chunks(
        &mut self,
        number: usize,
        workers: &Workers<'_>,
    ) -> Result<Checksum, FilesError> {
        let (peers, place) = (self.team.peers, self.place());
        let named = |work: &Self, error| of(&work.arrays[number], &work.arrays, error);
        first(peers, || self.make_folders(number).map_err(|error| named(self, error)))?;
        let shares = deal(&[self.arrays[number].bytes()], place);
        let own = self.join_folders(number).map_err(|error| named(self, error));
        let own = own.and_then(|()| self.copy_share(number, &shares[0], workers));
        let Some(new) = self.planned.parts[number].new.clone() else { return own };
        let sum = own.as_ref().copied().unwrap_or_default();
        new.learn(&agree(peers, own.map(|_| new.states()), |all| Ok(latest(&all)))?);
        if self.team.is_far {
            self.table.reopen().map_err(FilesError::Failed)?;
        }
        let array = &self.arrays[number];
        array.complete(self.files(number), workers, place).map_err(|error| named(self, error))?;
        Ok(sum)
    }

    /// Makes an empty folder for an array in chunks, and empties the scratch file.
    fn make_folders(&mut self, number: usize) -> Result<(), String> {
        let parts = &self.planned.parts[number];
        let (Some(new), Some(lead)) = (&parts.new, &mut self.lead) else { return Ok(()) };
        for file in parts.files() {
            let named = |error: io::Error| error.to_string();
            let len = self.planned.files[file].layout.len;
            self.table.act(file, |scratch| {
                scratch.set_len(0).and_then(|()| scratch.set_len(len)).map_err(named)
            })?;
            new.begin(lead.outputs.folder(file)?)?;
        }
        Ok(())
    }

    /// Opens the folder of an array in chunks that the first rank has made.
    fn join_folders(&self, number: usize) -> Result<(), String> {
        let parts = &self.planned.parts[number];
        let (Some(new), None) = (&parts.new, &self.lead) else { return Ok(()) };
        for file in parts.files() {
            let path = self.unfinished.path(file, &self.planned.files[file].path);
            let folder = regular::open_folder(&path);
            let folder = folder.map_err(|error| format!("{}: {error}", path.display()))?;
            new.begin(folder.into())?;
        }
        Ok(())
    }

    fn files(&self, number: usize) -> BothFiles<'_> {
        let parts = [self.arrays[number].input(), &self.planned.parts[number]];
        BothFiles { tables: [&self.input, &self.table], parts }
    }

    /// Returns this rank's number, and the number of ranks.
    fn place(&self) -> (usize, usize) {
        (self.team.peers.rank(), self.team.peers.ranks())
    }

    /// Completes all files that have not their names yet.
    pub fn complete(&mut self, sync: bool) -> Result<(), FilesError> {
        let own = self.complete_own(sync).map_err(FilesError::Failed);
        let peers = self.team.peers;
        agree(peers, own, |_| self.complete_folders(sync).map_err(FilesError::Failed))
    }

    /// Completes this rank's part of the files. A machine waits for the bytes of its own ranks alone.
    fn complete_own(&mut self, sync: bool) -> Result<(), String> {
        let ((rank, ranks), is_far) = (self.place(), self.team.is_far);
        if is_far && self.finished.len() < self.arrays.len() {
            self.table.reopen()?;
        }
        let (folders, files) = self.unpublished();
        let is_own = |number: &usize| number % ranks == rank;
        for &number in files.iter().filter(|number| is_own(number)) {
            let file = &self.planned.files[number];
            self.table.act(number, |open| file.format.finish(open, &file.layout))?;
        }
        if !sync {
            return Ok(());
        }
        let is_synced =
            |number: &usize| (is_far || is_own(number)) && !self.planned.files[*number].is_object();
        self.table.sync(files.into_iter().filter(is_synced))?;
        let is_synced =
            |number: &usize| is_far && rank > 0 && !self.planned.files[*number].is_object();
        for number in folders.into_iter().filter(is_synced) {
            let path = self.unfinished.path(number, &self.planned.files[number].path);
            let synced = regular::open_folder(&path).and_then(|folder| Ok(syncfs(&folder)?));
            synced.map_err(|error| format!("{}: {error}", path.display()))?;
        }
        Ok(())
    }

    /// Lists folders, and files, that have not their names yet.
    fn unpublished(&self) -> (Vec<usize>, Vec<usize>) {
        let new = |number: &usize| !self.unfinished.files[*number].is_published;
        let is_folder = |number: &usize| self.planned.files[*number].format.folder().is_some();
        (0..self.table.len()).filter(new).partition(is_folder)
    }

    fn complete_folders(&mut self, sync: bool) -> Result<(), String> {
        for number in self.unpublished().0 {
            let Some(lead) = &mut self.lead else { return Ok(()) };
            let sync = sync && !self.planned.files[number].is_object();
            let id = lead.outputs.complete_folder(number, sync)?;
            lead.note(|notes, _| notes.file(number, id))?;
        }
        Ok(())
    }

    /// Compares every element of both sides.
    pub fn check(&self, workers: &Workers<'_>) -> Result<(), FilesError> {
        let renamed = |path: PathBuf| match self.planned.number(&path) {
            Some(number) => self.unfinished.path(number, &path),
            None => path,
        };
        compare(&self.arrays, &self.input, (&renamed, self.team), workers).map(drop)
    }

    /// Sends all objects, with at most `memory` bytes at a time, and gives all files their names.
    pub fn publish(
        &mut self,
        sync: bool,
        (memory, watch): (usize, &dyn Watch),
    ) -> Result<(), FilesError> {
        first(self.team.peers, || {
            let Some(mut lead) = self.lead.take() else { return Ok(()) };
            let sent = lead.outputs.send(&self.table, memory, watch);
            sent.map_err(FilesError::Failed)?;
            lead.note(|notes, _| notes.publishing()).map_err(FilesError::Failed)?;
            lead.outputs.finish(sync).map_err(FilesError::Failed)
        })
    }
}

/// Joins how far chunks are on all ranks.
fn latest(all: &[String]) -> String {
    let mut states = all.first().cloned().unwrap_or_default().into_bytes();
    for own in all {
        states.iter_mut().zip(own.bytes()).for_each(|(state, own)| *state = own.max(*state));
    }
    String::from_utf8(states).unwrap_or_default()
}

/// Names the array of an error, where there are several.
#[expect(clippy::borrowed_box, reason = "a list of boxes has it")]
pub fn of(array: &Box<dyn AnyMove>, all: &[Box<dyn AnyMove>], error: String) -> FilesError {
    FilesError::Failed(match all {
        [_] => error,
        _ => format!("array `{}`: {error}", array.name()),
    })
}

fn outcome(
    array: &dyn AnyMove,
    (checksum, kept): (Option<String>, bool),
    began: Instant,
) -> ArrayOutcome {
    ArrayOutcome {
        name: array.name().into(),
        bytes: array.bytes(),
        element_bytes: array.element_bytes(),
        files: array.files(),
        checksum,
        kept,
        seconds: began.elapsed().as_secs_f64(),
    }
}

/// Compares every element of both sides: each rank its shares.
pub fn compare(
    arrays: &[Box<dyn AnyMove>],
    input: &FileTable,
    (renamed, team): (&dyn Fn(PathBuf) -> PathBuf, Team<'_>),
    workers: &Workers<'_>,
) -> Result<Vec<ArrayOutcome>, FilesError> {
    settled(team.peers, compare_own(arrays, input, (renamed, team), workers))
}

fn compare_own(
    arrays: &[Box<dyn AnyMove>],
    input: &FileTable,
    (renamed, team): (&dyn Fn(PathBuf) -> PathBuf, Team<'_>),
    workers: &Workers<'_>,
) -> Result<Vec<ArrayOutcome>, FilesError> {
    let mut existing = Existing::new(files_left(workers.threads));
    let found = arrays.iter().map(|array| {
        array.output(&mut existing, renamed).map_err(|error| of(array, arrays, error))
    });
    let found = found.collect::<Result<Vec<Parts>, _>>()?;
    let table = existing.table();
    let bytes: Vec<u64> = arrays.iter().map(|array| array.bytes()).collect();
    let shares = deal(&bytes, (team.peers.rank(), team.peers.ranks()));
    workers.watch.begin("checking", bytes.iter().sum());
    let mut outcomes = Vec::with_capacity(arrays.len());
    for ((array, parts), share) in arrays.iter().zip(&found).zip(&shares) {
        let began = Instant::now();
        if !share.is_empty() {
            let files = BothFiles { tables: [input, &table], parts: [array.input(), parts] };
            let compared = array.compare(files, workers, share).and_then(|()| {
                let both = files.tables.into_iter().zip(files.parts);
                let mut both = both.filter(|_| share.is_first());
                both.try_for_each(|(table, parts)| sums::compare(table, parts, workers))
            });
            compared.map_err(|error| of(array, arrays, error))?;
        }
        outcomes.push(outcome(array.as_ref(), (None, false), began));
    }
    workers.watch.end();
    Ok(outcomes)
}

#[cfg(test)]
mod tests {
    use super::latest;

    #[test]
    fn a_chunk_is_as_far_as_on_the_rank_that_has_it() {
        assert_eq!(latest(&["010".into(), "002".into(), "000".into()]), "012");
    }
}
