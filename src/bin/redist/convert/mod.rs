//! `redist convert`: files of one layout to files of another layout.

mod beside;
mod boxes;
mod check;
mod checksum;
mod compact;
mod copy;
mod element;
mod files;
mod format;
mod kept;
mod npy;
mod options;
mod outputs;
mod pool;
mod publish;
mod region;
mod regular;
mod report;
mod side;
mod staging;
mod unfinished;

use crate::failure::CommandFailure;
use crate::input::{PlannedItem, Visitor};
use boxes::{Boxes, tile};
use check::Comparison;
use checksum::Checksum;
use copy::Copier;
use element::CopiedElement;
use files::FileSet;
pub use options::ConvertOptions;
use outputs::Outputs;
use pool::{Progress, for_all};
use redist::layout::StorageOrder;
use redist::{Plan, Side};
use report::ConvertReport;
use rustix::process::{Resource, getrlimit};
use side::{FilePattern, StoredSide, in_one_piece};
use std::fs;
use std::time::Instant;

pub fn run(options: ConvertOptions) -> Result<(), CommandFailure> {
    options.input.visit(&options)
}

/// A conversion, with the source's files open.
struct Conversion<'a, const D: usize> {
    options: &'a ConvertOptions,
    plan: Plan<D>,
    sides: [StoredSide<D>; 2],
    element: CopiedElement,
    input: FileSet,
    /// Number of threads.
    threads: usize,
}

impl Visitor for &ConvertOptions {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure> {
        let started = Instant::now();
        let conversion = Conversion::open(self, item)?;
        let failed = |error: String| CommandFailure::Work(format!("error: {error}"));
        let checksum = if self.check_only {
            let side = &conversion.sides[1];
            let kept = (&conversion.element, files_left(conversion.threads));
            let output = files::existing(side, |number| side.path(number), kept);
            conversion.compare(&output.map_err(failed)?).map_err(failed)?;
            beside::warn(side);
            None
        } else {
            Some(conversion.convert().map_err(failed)?)
        };
        report::print(self, &conversion.report(item, checksum, started))
    }
}

impl<'a, const D: usize> Conversion<'a, D> {
    fn open(options: &'a ConvertOptions, item: &PlannedItem<D>) -> Result<Self, CommandFailure> {
        let asked = |error: String| CommandFailure::InputOptions(format!("error: {error}"));
        let failed = |error: String| CommandFailure::Work(format!("error: {error}"));
        let pattern = |option: &str, text: &str| {
            FilePattern::parse(text).map_err(|error| asked(format!("{option} {error}")))
        };
        let patterns =
            [pattern("--in", &options.sources)?, pattern("--out", &options.destinations)?];
        let header = |side: &StoredSide<D>| match first_with_elements(side) {
            Some(number) if side.pattern.is_npy() => {
                files::header(&side.path(number)).map_err(failed)
            }
            _ => Ok(None),
        };
        let plan = whole_arrays(&item.plan, &patterns, header)?;
        let [from, to] = patterns;
        let sides = [
            StoredSide::new(&plan, Side::Source, from),
            StoredSide::new(&plan, Side::Destination, to),
        ];
        no_gaps(&plan).map_err(asked)?;
        sides.iter().try_for_each(few_enough).map_err(asked)?;
        let dtype = header(&sides[0])?.map(|header| header.dtype);
        let element = match &dtype {
            None => CopiedElement::new(&item.element, item.element_bytes, None).map_err(asked)?,
            some => CopiedElement::new(&item.element, item.element_bytes, some.as_deref())
                .map_err(|error| failed(format!("{}: {error}", options.sources)))?,
        };
        let threads = threads(options);
        let kept = (&element, files_left(threads) / 2);
        let input =
            files::existing(&sides[0], |number| sides[0].path(number), kept).map_err(failed)?;
        beside::warn(&sides[0]);
        Ok(Self { options, plan, sides, element, input, threads })
    }

    fn convert(&self) -> Result<Checksum, String> {
        let (options, side, inputs) = (self.options, &self.sides[1], self.input.ids());
        let names = (0..side.cells()).map(|number| side.path(number)).collect();
        let mut outputs = Outputs::new(names, (&inputs, options.force), files_left(self.threads))?;
        let files = outputs.create(side, &self.element, files_left(self.threads))?;
        let checksum = self.copy(&files)?;
        if !options.no_sync {
            files.sync()?;
        }
        drop(files);
        if options.check {
            let kept = (&self.element, files_left(self.threads));
            let unfinished = files::existing(side, |number| outputs.unfinished(number), kept)?;
            self.compare(&unfinished)?;
        }
        outputs.finish(!options.no_sync)?;
        beside::warn(side);
        Ok(checksum)
    }

    fn copy(&self, output: &FileSet) -> Result<Checksum, String> {
        let (threads, memory) = (self.threads, self.options.memory / self.threads);
        let copier = Copier {
            plan: self.plan,
            sides: [&self.sides[0], &self.sides[1]],
            files: [&self.input, output],
            boxes: Boxes::new(&self.plan, self.tile(memory, 0)?)?,
            element_bytes: self.element.bytes,
        };
        let progress = Progress::new("converting", self.bytes(), self.options.progress);
        let states = for_all(copier.boxes.count(), threads, &progress, |state, number| {
            copier.copy(state, number)
        })?;
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

    fn compare(&self, output: &FileSet) -> Result<(), String> {
        let (threads, memory) = (self.threads, self.options.memory / self.threads);
        let sides = [&self.sides[0], &self.sides[1]];
        // Of each element, both sides are in memory at a time; of each index along a dimension, and
        // there are no more than elements, the owners on both sides.
        let shape = (self.tile(memory / 2, 2 * size_of::<usize>())?, self.element.bytes);
        let comparison = Comparison::new(&self.plan, sides, [&self.input, output], shape);
        let progress = Progress::new("checking", self.bytes(), self.options.progress);
        let count = if self.plan.extents().contains(&0) { 0 } else { comparison.count() };
        for_all(count, threads, &progress, |held, number| comparison.compare(held, number))
            .map(drop)
    }

    /// Returns the shape of boxes; a thread has `more` bytes for each element.
    fn tile(&self, memory: usize, more: usize) -> Result<[usize; D], String> {
        tile(&self.plan, self.element.bytes.saturating_add(more), memory).map_err(|needed| {
            format!("--memory is too little: a thread needs {needed} bytes, and has {memory}")
        })
    }

    fn bytes(&self) -> u64 {
        (self.plan.elements() as u64).saturating_mul(self.element.bytes as u64)
    }

    fn report(
        &self,
        item: &PlannedItem<D>,
        checksum: Option<Checksum>,
        started: Instant,
    ) -> ConvertReport {
        ConvertReport {
            name: item.name.clone(),
            bytes: self.bytes(),
            element_bytes: self.element.bytes,
            files: [self.sides[0].cells(), self.sides[1].cells()],
            checksum: checksum.map(Checksum::in_words),
            checked: self.options.check || self.options.check_only,
            seconds: started.elapsed().as_secs_f64(),
            peak_resident_bytes: report::peak_resident_bytes(),
        }
    }
}

/// Fewer threads run if their shares of memory would be smaller.
const MIN_SHARE: usize = 256 << 10;

/// Files that are open for a moment, beside the files that stay open.
const MOMENTARY: usize = 8;

/// Open files of this program where the system does not list them.
const UNLISTED: usize = 16;

/// Threads, each with its share of the memory, and a file that it may open.
fn threads(options: &ConvertOptions) -> usize {
    let asked = options.threads.map(usize::from);
    let threads = asked.or_else(|| Some(std::thread::available_parallelism().ok()?.get()));
    let most = (options.memory / MIN_SHARE).min(open_files_left().saturating_sub(MOMENTARY) / 4);
    threads.unwrap_or(1).clamp(1, most.max(1))
}

fn files_left(threads: usize) -> usize {
    open_files_left().saturating_sub(threads + MOMENTARY)
}

fn open_files_left() -> usize {
    let limit = getrlimit(Resource::Nofile).current;
    let limit = limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let open = fs::read_dir("/dev/fd").map_or(UNLISTED, Iterator::count);
    limit.saturating_sub(open)
}

fn first_with_elements<const D: usize>(side: &StoredSide<D>) -> Option<usize> {
    (0..side.cells()).find(|number| !side.local_extents(*number).contains(&0))
}

/// Plans with sides whose files hold the whole array. A source file gives its order.
fn whole_arrays<const D: usize>(
    plan: &Plan<D>,
    patterns: &[FilePattern; 2],
    header: impl Fn(&StoredSide<D>) -> Result<Option<npy::NpyHeader>, CommandFailure>,
) -> Result<Plan<D>, CommandFailure> {
    let [from, to] = [Side::Source, Side::Destination].map(|side| plan.descriptor(side));
    let planned = |from_storage: StorageOrder| {
        let source = match patterns[0].is_global() {
            true => in_one_piece(from, from_storage),
            false => *from.layout(),
        };
        let destination = match patterns[1].is_global() {
            true => in_one_piece(to, to.layout().storage),
            false => *to.layout(),
        };
        Plan::new(plan.extents(), source, destination)
            .map(Plan::indexed)
            .map_err(|error| CommandFailure::InputOptions(format!("error: {error}")))
    };
    let first = planned(from.layout().storage)?;
    if !patterns[0].is_global() {
        return Ok(first);
    }
    match header(&StoredSide::new(&first, Side::Source, patterns[0].clone()))? {
        Some(header) if header.fortran => planned(StorageOrder::Fortran),
        Some(_) => planned(StorageOrder::C),
        None => Ok(first),
    }
}

/// Most files of a side.
const MAX_FILES: usize = 1 << 20;

fn few_enough<const D: usize>(side: &StoredSide<D>) -> Result<(), String> {
    match side.cells() {
        0..=MAX_FILES => Ok(()),
        many => Err(format!(
            "the {} layout has {many} ranks, each with a file; at most {MAX_FILES} are converted",
            side.side
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
