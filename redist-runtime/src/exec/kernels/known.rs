//! Where in a row the steps are that the compiler has written code for.

use super::{StepKernel, StepKernels, Vectors};
use crate::program::{RunGroup, StepRun};

/// A kernel for the periods of a part of a row.
#[derive(Clone, Copy)]
pub(super) struct KnownSteps {
    pub kernel: StepKernel,
    /// Elements of the part before the first step.
    pub skip: usize,
    /// The peer of the first run of each step.
    pub first: usize,
}

/// Longest list of runs that is compared with those of a step.
const MAX_COMPARED_RUNS: usize = 1024;

/// The kernel whose steps are the periods of these groups for `peers` peers.
pub(super) fn find(
    written: &'static [StepKernels],
    vectors: Vectors,
    groups: &[RunGroup],
    peers: usize,
) -> Option<KnownSteps> {
    written.iter().find_map(|cycle| {
        let kernel = best(cycle, vectors)?;
        if kernel.shares().len() != peers {
            return None;
        }
        match groups {
            [group] if kernel.is_in_turn() && usize::from(kernel.runs()[0].len) == group.len => {
                Some(KnownSteps { kernel, skip: 0, first: group.peer })
            }
            _ => rotated(kernel, groups, peers),
        }
    })
}

/// The kernel with the most that the processor can do.
fn best(cycle: &StepKernels, vectors: Vectors) -> Option<StepKernel> {
    cycle[..=vectors as usize].iter().rev().find_map(|kernel| *kernel)
}

/// The steps of a kernel in a repeated period, which may begin amid one of them.
fn rotated(kernel: StepKernel, groups: &[RunGroup], peers: usize) -> Option<KnownSteps> {
    let count: usize = groups.iter().map(|group| group.count).sum();
    let len: usize = groups.iter().map(|group| group.count * group.len).sum();
    if len != kernel.period() || count > MAX_COMPARED_RUNS {
        return None;
    }
    let runs: Vec<(usize, usize)> = all_runs(groups, peers).collect();
    let mut skip = 0;
    runs.iter().enumerate().find_map(|(number, &(first, len))| {
        let here = skip;
        skip += len;
        // The runs of a period may be cut in two at its end.
        let turned = runs[number..].iter().chain(&runs[..number]).copied();
        let same = are_same(turned, kernel.runs(), first, peers);
        same.then_some(KnownSteps { kernel, skip: here, first })
    })
}

/// The runs of groups: peer and length.
pub(super) fn all_runs(
    groups: &[RunGroup],
    peers: usize,
) -> impl Iterator<Item = (usize, usize)> + use<'_> {
    groups.iter().flat_map(move |group| {
        (0..group.count).map(move |step| ((group.peer + step) % peers, group.len))
    })
}

/// Whether runs are those of a step that begins with peer number `first`, however they are cut.
fn are_same(
    runs: impl Iterator<Item = (usize, usize)>,
    step: &[StepRun],
    first: usize,
    peers: usize,
) -> bool {
    let mut step =
        step.iter().map(|run| ((usize::from(run.peer) + first) % peers, usize::from(run.len)));
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

/// The groups of `len` elements from `from` on, in a repeated period.
pub(super) fn cut(groups: &[RunGroup], peers: usize, from: usize, len: usize) -> Vec<RunGroup> {
    let period: usize = groups.iter().map(|group| group.count * group.len).sum();
    let (mut skip, mut left) = (from % period, len);
    let mut found = Vec::new();
    let mut runs = (0..).flat_map(|_| all_runs(groups, peers));
    while left > 0 {
        let Some((peer, len)) = runs.next() else { break };
        let skipped = skip.min(len);
        let taken = (len - skipped).min(left);
        (skip, left) = (skip - skipped, left - taken);
        if taken > 0 {
            found.push(RunGroup { len: taken, count: 1, peer });
        }
    }
    found
}
