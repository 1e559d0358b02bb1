//! Finds compiled code for the runs of a row, and lists the code that an item brings.

use super::{CompiledStep, Memory, StepKernel, StepKernels, Vectors, best, step_kernels};
use crate::program::{BlocksAndRanks, LongStep, RunGroup, RunStep};
use core::ops::Range;

/// The runs that one turn of compiled code copies.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) enum CodeStep {
    /// Runs that are written out.
    Stated(&'static RunStep),
    /// Runs of a rolled loop.
    Rolled(&'static LongStep),
}

impl CodeStep {
    pub fn elements(self) -> usize {
        match self {
            Self::Stated(step) => step.elements(),
            Self::Rolled(step) => step.elements(),
        }
    }

    fn peers(self) -> usize {
        match self {
            Self::Stated(step) => step.shares().len(),
            Self::Rolled(step) => step.shares().len(),
        }
    }

    pub fn is_rolled(self) -> bool {
        matches!(self, Self::Rolled(_))
    }

    /// Returns `true` if the step is a round of all messages, which the next step continues.
    pub fn is_round(self) -> bool {
        matches!(self, Self::Stated(step) if step.is_in_turn())
    }

    /// Returns `true` if a group of runs is whole steps: of a round, or of a block of kr→r.
    fn is_group(self, group: &RunGroup) -> bool {
        match self {
            Self::Stated(step) => self.is_round() && usize::from(step.get(0).len) == group.len,
            // Blocks that end with the last message are one group with the next ones.
            Self::Rolled(step) => step.in_turn().is_some_and(|own| {
                let goes_on = own.count.is_multiple_of(self.peers());
                own.len == group.len && (own.count == group.count || goes_on)
            }),
        }
    }

    /// Lists the runs: peer, and elements.
    fn runs(self) -> Vec<(usize, usize)> {
        match self {
            Self::Stated(step) => {
                step.runs().map(|run| (run.peer.into(), run.len.into())).collect()
            }
            Self::Rolled(step) => step.runs().collect(),
        }
    }
}

/// A step between a local array and messages, with the code compiled for it.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct StepCode {
    /// Runs of the step; `None` if there is no code.
    pub step: Option<CodeStep>,
    pub kernels: StepKernels,
    /// Bytes of an element.
    pub width: usize,
    /// `true` to use the code even if it gains nothing.
    pub always: bool,
}

impl StepCode {
    pub const NONE: Self =
        Self { step: None, kernels: [const { None }; 5], width: 0, always: false };

    pub const fn of<S: CompiledStep>(step: &'static Option<RunStep>) -> Self {
        Self {
            step: match step {
                Some(step) => Some(CodeStep::Stated(step)),
                None => None,
            },
            kernels: step_kernels::<S>(),
            width: S::WIDTH,
            always: S::ALWAYS,
        }
    }
}

/// Compiled code that a row may use.
#[derive(Clone, Copy)]
pub(in crate::exec) struct RowCode {
    /// Steps of the rows of all cycles.
    pub steps: &'static [StepCode],
    /// Its way to reach memory.
    pub memory: Memory,
}

impl RowCode {
    pub const NONE: Self = Self { steps: &[], memory: Memory::Cached };
}

/// A step between the local arrays of all ranks, with the code compiled for it.
#[derive(Clone, Copy, Debug)]
pub(in crate::exec) struct ExchangeCode {
    pub blocks: BlocksAndRanks,
    pub kernels: StepKernels,
    /// Bytes of an element.
    pub width: usize,
}

/// Compiled code whose steps are the periods of a part of a row.
#[derive(Clone, Copy)]
pub(super) struct KnownSteps {
    pub kernel: StepKernel,
    pub step: CodeStep,
    /// Elements of the part before the first step.
    pub skip: usize,
    /// Index of the message that gets the first run of each step.
    pub first: usize,
    /// `true` to use the code even if it gains nothing.
    pub always: bool,
}

/// Most runs of a period that are compared with a step, one by one.
const MAX_COMPARED_RUNS: usize = 1024;

/// Finds the kernel whose steps are the periods of these groups of elements of `width` bytes.
pub(super) fn find(
    (code, vectors): (RowCode, Vectors),
    (groups, width): (&[RunGroup], usize),
    peers: usize,
) -> Option<KnownSteps> {
    code.steps.iter().filter(|written| written.width == width).find_map(|written| {
        let (kernel, step) = (best(&written.kernels, vectors, code.memory)?, written.step?);
        if step.peers() != peers {
            return None;
        }
        let (skip, first) = match groups {
            [group] if step.is_group(group) => (0, group.peer),
            _ => rotated(step, groups, peers)?,
        };
        Some(KnownSteps { kernel, step, skip, first, always: written.always })
    })
}

/// Returns the elements before the first whole step, and its first peer.
fn rotated(step: CodeStep, groups: &[RunGroup], peers: usize) -> Option<(usize, usize)> {
    let count: usize = groups.iter().map(|group| group.count).sum();
    if elements(groups) != step.elements() || count > MAX_COMPARED_RUNS {
        return None;
    }
    let of_group = |group: &RunGroup| {
        let RunGroup { peer, len, count } = *group;
        (0..count).map(move |run| ((peer + run) % peers, len))
    };
    let runs: Vec<(usize, usize)> = groups.iter().flat_map(of_group).collect();
    let (of_step, mut skip) = (step.runs(), 0);
    runs.iter().enumerate().find_map(|(number, &(first, len))| {
        let here = skip;
        skip += len;
        // The end of a period may cut a run in two.
        let turned = runs[number..].iter().chain(&runs[..number]).copied();
        are_same(turned, &of_step, first, peers).then_some((here, first))
    })
}

/// Returns `true` if the runs, however cut, equal the runs of a step that begins with peer `first`.
fn are_same(
    runs: impl Iterator<Item = (usize, usize)>,
    step: &[(usize, usize)],
    first: usize,
    peers: usize,
) -> bool {
    let mut step = step.iter().map(|(peer, len)| ((peer + first) % peers, *len));
    let mut left = (0, 0);
    for (peer, mut len) in runs {
        while len > 0 {
            if left.1 == 0 {
                let Some(next) = step.next() else { return false };
                left = next;
            }
            let common = len.min(left.1);
            if left.0 != peer {
                return false;
            }
            len -= common;
            left.1 -= common;
        }
    }
    left.1 == 0 && step.next().is_none()
}

pub(super) fn elements(groups: &[RunGroup]) -> usize {
    groups.iter().map(|group| group.len * group.count).sum()
}

/// Returns the runs of some elements of repeated groups.
pub(super) fn cut(groups: &[RunGroup], peers: usize, part: Range<usize>) -> Vec<RunGroup> {
    let (mut skip, mut left) = (part.start % elements(groups).max(1), part.len());
    let mut found = Vec::new();
    for group in groups.iter().filter(|group| group.len > 0).cycle() {
        let all = group.len * group.count;
        let end = all.min(skip.saturating_add(left));
        left -= end.saturating_sub(skip);
        while skip < end {
            let (run, before) = (skip / group.len, skip % group.len);
            // Whole runs together; the ends may cut one.
            let (count, len) = match before == 0 && end - skip >= group.len {
                true => ((end - skip) / group.len, group.len),
                false => (1, (group.len - before).min(end - skip)),
            };
            found.push(RunGroup { peer: (group.peer + run) % peers, len, count });
            skip += count * len;
        }
        skip -= end;
        if left == 0 {
            break;
        }
    }
    found
}

/// Code that the compiler wrote for one plan's steps, if it beats the library's own.
#[derive(Clone, Copy, Debug, Default)]
pub struct Kernels {
    /// Packing steps of the source's blocks, by cycle.
    pub(in crate::exec) pack: &'static [StepCode],
    /// Unpacking steps of the destination's blocks, by cycle.
    pub(in crate::exec) unpack: &'static [StepCode],
    /// The step between the local arrays of all ranks.
    pub(in crate::exec) exchange: Option<&'static ExchangeCode>,
    /// `true` for an item whose blocks the compiler knew, so that code was looked for.
    pub(in crate::exec) were_looked_for: bool,
}

impl Kernels {
    /// Returns whether code exists for packing, and for unpacking.
    pub fn exist(&self) -> [bool; 2] {
        let is_written = |step: &StepCode| step.kernels.iter().any(Option::is_some);
        [self.pack, self.unpack].map(|cycles| cycles.iter().any(is_written))
    }

    pub(in crate::exec) fn exchanges(&self) -> bool {
        self.exchange.is_some_and(|written| written.kernels.iter().any(Option::is_some))
    }
}
