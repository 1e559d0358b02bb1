//! `redist convert` and `redist verify-files`: files of one layout and files of another.

mod options;
mod progress;
mod report;

use crate::failure::CommandFailure;
use crate::input::{PlannedItem, Visitor};
use options::FileOptions;
pub use options::{ConvertOptions, VerifyFilesOptions};
use progress::Progress;
use redist_files::{
    ArrayRequest, Chunking, FilesError, Manifest, Placing, Run, RunOptions, SideRequest,
};
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

impl FilesCommand<'_> {
    fn run(&self) -> Result<(), CommandFailure> {
        let Some(manifest) = self.files.manifest()? else { return self.files.input.visit(self) };
        let (began, progress) = (Instant::now(), Progress::new(self.files.progress));
        let mut run = Run::new(self.of_run.clone(), &progress);
        let manifest = Manifest::read(&manifest).map_err(failure)?;
        manifest.add_to(&mut run).map_err(failure)?;
        self.end(run, None, began)
    }

    /// Does the work, and reports it; one array has a report of its own.
    fn end(
        &self,
        run: Run,
        one: Option<Option<String>>,
        began: Instant,
    ) -> Result<(), CommandFailure> {
        let json = self.files.json;
        let (outcomes, checked) = match self.task {
            Task::Expect => return report::expected(json, &run.expect().map_err(failure)?),
            Task::Compare => (run.compare().map_err(failure)?, true),
            Task::Convert { check } => (run.convert().map_err(failure)?, check),
        };
        match (one, outcomes.as_slice()) {
            (Some(name), [outcome]) => report::one(json, (name, outcome), checked, began),
            (_, all) => report::many(json, all, checked, began),
        }
    }
}

impl Visitor for &FilesCommand<'_> {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure> {
        if D == 0 {
            let message =
                "error: an array without dimensions is one element, which no file is made of";
            return Err(CommandFailure::InputOptions(message.into()));
        }
        let (began, progress) = (Instant::now(), Progress::new(self.files.progress));
        let mut run = Run::new(self.of_run.clone(), &progress);
        run.add(&self.files.request(item)?).map_err(failure)?;
        self.end(run, Some(item.name.clone()), began)
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

fn failure(error: FilesError) -> CommandFailure {
    match error {
        FilesError::Asked(words) => CommandFailure::InputOptions(format!("error: {words}")),
        FilesError::Failed(words) => CommandFailure::Work(format!("error: {words}")),
    }
}
