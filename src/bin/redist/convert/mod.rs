//! `redist convert` and `redist verify-files`: files of one layout and files of another.

mod options;
mod progress;
mod ranks;
mod report;

use crate::failure::CommandFailure;
use crate::input::{PlannedItem, Visitor};
use options::FileOptions;
pub use options::{ConvertOptions, VerifyFilesOptions};
use progress::Progress;
use redist_files::{
    ArrayRequest, Chunking, FilesError, Manifest, Peers, Placing, Run, RunOptions, SideRequest,
    Unwatched, Watch, agreed,
};
use report::Reporter;
use std::cell::RefCell;
use std::process::exit;
use std::time::Instant;

pub fn run(options: ConvertOptions) -> Result<(), CommandFailure> {
    let task = match (options.check_only, options.dry_run) {
        (true, _) => Task::Compare,
        (_, true) => Task::Expect,
        _ => Task::Convert { check: options.check },
    };
    let of_run = RunOptions {
        force: options.force,
        check: options.check,
        sync: !options.no_sync,
        ..of_run(&options.files)
    };
    FilesCommand { files: &options.files, of_run, task }.run()
}

pub fn verify(options: VerifyFilesOptions) -> Result<(), CommandFailure> {
    let of_run = of_run(&options.files);
    FilesCommand { files: &options.files, of_run, task: Task::Compare }.run()
}

/// The work of a command on files.
#[derive(Clone, Copy)]
enum Task {
    Convert {
        /// `true` if every element is compared.
        check: bool,
    },
    Compare,
    Expect,
}

/// A command that reads or writes files.
struct FilesCommand<'a> {
    files: &'a FileOptions,
    of_run: RunOptions,
    task: Task,
}

fn of_run(files: &FileOptions) -> RunOptions {
    let threads = files.threads.map(usize::from);
    RunOptions { memory: files.memory, threads, ..RunOptions::default() }
}

/// A run to which a visitor adds its array, and the array's name in reports.
struct FilesVisitor<'f, 'r, 'a> {
    files: &'f FileOptions,
    run: RefCell<&'r mut Run<'a>>,
    name: RefCell<Option<String>>,
}

impl FilesCommand<'_> {
    fn run(&self) -> Result<(), CommandFailure> {
        let peers = ranks::peers(self.files.mpi)?;
        let done = self.run_over(peers.as_ref());
        if let Err(failure) = &done
            && peers.ranks() > 1
        {
            // A launcher ends the job with the first process that fails. So each rank tells of the
            // failure before MPI ends with the peers, for which it waits for all of them.
            let status = failure.tell();
            drop(peers);
            exit(status.into());
        }
        done
    }

    /// Does the work, which ranks share; the first of them tells of it.
    fn run_over(&self, peers: &dyn Peers) -> Result<(), CommandFailure> {
        let is_first = peers.rank() == 0;
        let (began, progress) = (Instant::now(), Progress::new(self.files.progress));
        let watch: &dyn Watch = if is_first { &progress } else { &Unwatched };
        let mut run = Run::over(self.of_run.clone(), watch, peers).map_err(failure)?;
        let added = self.add_to(&mut run);
        if peers.ranks() > 1 {
            agreed(peers, added.as_ref().map(|_| ()).map_err(files_error)).map_err(failure)?;
        }
        let reporter = Reporter { json: self.files.json, is_first, ranks: peers.ranks(), began };
        self.end(run, added?, &reporter)
    }

    /// Adds the arrays; one array has a report of its own, with its name.
    fn add_to(&self, run: &mut Run<'_>) -> Result<Option<Option<String>>, CommandFailure> {
        if let Some(manifest) = self.files.manifest()? {
            let manifest = Manifest::read(&manifest).map_err(failure)?;
            return manifest.add_to(run).map(|()| None).map_err(failure);
        }
        let visitor =
            FilesVisitor { files: self.files, run: RefCell::new(run), name: RefCell::default() };
        self.files.input.visit(&visitor)?;
        Ok(Some(visitor.name.into_inner()))
    }

    /// Does the work, and reports it.
    fn end(
        &self,
        run: Run<'_>,
        one: Option<Option<String>>,
        reporter: &Reporter,
    ) -> Result<(), CommandFailure> {
        let (outcomes, checked) = match self.task {
            Task::Expect => return reporter.expected(&run.expect().map_err(failure)?),
            Task::Compare => (run.compare().map_err(failure)?, true),
            Task::Convert { check } => (run.convert().map_err(failure)?, check),
        };
        match (one, outcomes.as_slice()) {
            (Some(name), [outcome]) => reporter.one((name, outcome), checked),
            (_, all) => reporter.many(all, checked),
        }
    }
}

impl Visitor for &FilesVisitor<'_, '_, '_> {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure> {
        if D == 0 {
            let message =
                "error: an array without dimensions is one element, which no file is made of";
            return Err(CommandFailure::InputOptions(message.into()));
        }
        self.run.borrow_mut().add(&self.files.request(item)?).map_err(failure)?;
        *self.name.borrow_mut() = item.name.clone();
        Ok(())
    }
}

impl FileOptions {
    fn request<const D: usize>(
        &self,
        item: &PlannedItem<D>,
    ) -> Result<ArrayRequest<D>, CommandFailure> {
        let side = |files: &Option<String>, format: &Option<String>, (option, placing)| {
            let files = files.clone().ok_or_else(|| {
                CommandFailure::InputOptions(format!(
                    "error: {option} is missing: the names of files"
                ))
            })?;
            Ok::<_, CommandFailure>(SideRequest {
                files,
                format: format.clone().or_else(|| self.format.clone()),
                placing,
                chunking: Chunking::default(),
                parts: Vec::new(),
            })
        };
        let (chunks, shards) = (self.chunks.clone(), self.shards.clone());
        let chunking = Chunking { chunks, shards, codec: self.codec.clone() };
        let to = Placing { big: self.out_byte_order, ..Placing::default() };
        let destination = side(&self.destinations, &self.out_format, ("--out", to))?;
        let from = Placing { skip: self.skip, stride: self.stride, big: self.in_byte_order };
        Ok(ArrayRequest {
            name: self.array.clone().or_else(|| item.name.clone()).unwrap_or_default(),
            element: Some(item.element.clone()),
            element_bytes: item.element_bytes,
            plan: item.plan,
            copies: Vec::new(),
            sides: [
                side(&self.sources, &self.in_format, ("--in", from))?,
                SideRequest { chunking, ..destination },
            ],
        })
    }
}

/// Returns the words that a rank tells the others.
fn files_error(failure: &CommandFailure) -> FilesError {
    let plain = |words: &str| words.strip_prefix("error: ").unwrap_or(words).to_owned();
    match failure {
        CommandFailure::InputOptions(words) => FilesError::Asked(plain(words)),
        CommandFailure::Work(words) => FilesError::Failed(plain(words)),
    }
}

fn failure(error: FilesError) -> CommandFailure {
    match error {
        FilesError::Asked(words) => CommandFailure::InputOptions(format!("error: {words}")),
        FilesError::Failed(words) => CommandFailure::Work(format!("error: {words}")),
    }
}
