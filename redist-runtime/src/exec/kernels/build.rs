#[cfg(target_arch = "x86_64")]
use super::choose::MIN_SQUARES_MESSAGES;
use super::known::{KnownSteps, cut};
use super::pattern::Pattern;
use super::raw::memory::{Access, Cached, Prefetched};
use super::raw::{
    PatternTable, Steps, TableKernel, Uniform, UniformAll, Work, networks, table, uniform,
};
use super::row_section::RowSection;
use super::{CopyDirection, Kernel, KernelChoice, Memory, Vectors, WrittenStep};
use crate::program::RunGroup;

#[derive(Clone, Copy)]
pub(super) struct Setting {
    pub element: usize,
    pub peers: usize,
    pub written: &'static [WrittenStep],
    pub vectors: Vectors,
    pub array: usize,
}

macro_rules! reaching {
    ($memory:expr, $function:ident::<$direction:ident>($($argument:expr),*)) => {
        match $memory {
            Memory::Cached => $function::<$direction, Cached>($($argument),*),
            Memory::Prefetched => $function::<$direction, Prefetched>($($argument),*),
        }
    };
}

pub(super) fn uniform_section<D: CopyDirection>(
    group: &RunGroup,
    repeats: usize,
    choice: KernelChoice,
    setting: Setting,
) -> RowSection<D> {
    let Setting { element, peers, .. } = setting;
    let len = group.len * element;
    let runs = Uniform::new(len, peers, group.count, repeats);
    let kernel = reaching!(choice.memory, uniform_kernel::<D>(len, choice.kernel, setting));
    RowSection::new(Work::Uniform(runs, kernel), group.peer)
}

fn uniform_kernel<D: CopyDirection, A: Access>(
    len: usize,
    kernel: Kernel,
    setting: Setting,
) -> UniformAll {
    let network = match kernel {
        Kernel::Network { .. } => networks::find::<D, A>(setting.vectors, len, setting.peers),
        _ => None,
    };
    network.unwrap_or_else(|| uniform::kernel::<D, A>(len, setting.vectors))
}

pub(super) fn permuted_rounds<D: CopyDirection>(
    group: &RunGroup,
    repeats: usize,
    choice: KernelChoice,
    setting: Setting,
) -> Option<Vec<RowSection<D>>> {
    let round = RunGroup { count: setting.peers, ..*group };
    let left = RunGroup { count: group.count % setting.peers, ..*group };
    let mut sections = tables(&[round], repeats * (group.count / round.count), choice, setting)?;
    if left.count > 0 {
        sections.append(&mut tables(&[left], 1, choice, setting)?);
    }
    Some(sections)
}

pub(super) fn written_rounds<D: CopyDirection>(
    group: &RunGroup,
    repeats: usize,
    known: KnownSteps,
    choice: KernelChoice,
    setting: Setting,
) -> Option<Vec<RowSection<D>>> {
    let runs = known.step.runs().len() * known.kernel.times();
    // If repeated, each block continues the rounds of the last one.
    let count = group.count * repeats;
    let work = Work::Steps(Steps::new(known, count / runs));
    let mut sections = vec![RowSection::new(work, group.peer)];
    let left = RunGroup { count: count % runs, ..*group };
    if left.count > 0 {
        sections.append(&mut tables(&[left], 1, without_written(choice), setting)?);
    }
    Some(sections)
}

pub(super) fn written_periods<D: CopyDirection>(
    groups: &[RunGroup],
    repeats: usize,
    known: KnownSteps,
    choice: KernelChoice,
    setting: Setting,
) -> Option<Vec<RowSection<D>>> {
    let KnownSteps { kernel, step, skip, first, .. } = known;
    let (all, step) = (step.elements() * repeats - skip, step.elements() * kernel.times());
    let edge = |from, len| match cut(groups, setting.peers, from, len) {
        groups if groups.is_empty() => Some(Vec::new()),
        groups => tables(&groups, 1, without_written(choice), setting),
    };
    let mut sections = edge(0, skip)?;
    sections.push(RowSection::new(Work::Steps(Steps::new(known, all / step)), first));
    sections.append(&mut edge(skip + all / step * step, all % step)?);
    Some(sections)
}

fn without_written(choice: KernelChoice) -> KernelChoice {
    KernelChoice { kernel: Kernel::Table, ..choice }
}

pub(super) fn periods<D: CopyDirection>(
    groups: &[RunGroup],
    repeats: usize,
    choice: KernelChoice,
    setting: Setting,
) -> Option<Vec<RowSection<D>>> {
    let (work, left) = reaching!(choice.memory, squares::<D>(groups, repeats, setting))?;
    let (first, groups, repeats) = match &left {
        LeftRuns::Round(group) => {
            (group.peer, std::slice::from_ref(group), usize::from(group.count > 0))
        }
        LeftRuns::Periods(repeats) => (0, groups, *repeats),
    };
    let mut sections = vec![RowSection::new(work, first)];
    if repeats > 0 {
        sections.append(&mut tables(groups, repeats, without_written(choice), setting)?);
    }
    Some(sections)
}

pub(super) enum LeftRuns {
    Round(RunGroup),
    Periods(usize),
}

pub(super) fn squares<D: CopyDirection, A: Access>(
    groups: &[RunGroup],
    repeats: usize,
    setting: Setting,
) -> Option<(Work, LeftRuns)> {
    #[cfg(target_arch = "x86_64")]
    {
        use super::raw::squares::{MAX_COLUMNS, SquaredPeriods};
        let Setting { element, peers, vectors, .. } = setting;
        let made = |period: &[RunGroup], count| {
            let runs: usize = period.iter().map(|group| group.count).sum();
            // A long period is not listed.
            let pattern = (runs <= MAX_COLUMNS).then(|| Pattern::new(period, element, peers, 1));
            let (periods, whole) = SquaredPeriods::new::<D, A>(pattern??, count, vectors)?;
            Some((Work::Squares(periods), whole))
        };
        if peers < MIN_SQUARES_MESSAGES {
            return None;
        }
        if let [group] = groups
            && (repeats == 1 || group.count.is_multiple_of(peers))
            && let round = [RunGroup { count: peers, peer: 0, ..*group }]
            && let Some((work, whole)) = made(&round, group.count / peers * repeats)
        {
            let count = group.count * repeats - whole * peers;
            return Some((work, LeftRuns::Round(RunGroup { count, ..*group })));
        }
        made(groups, repeats).map(|(work, whole)| (work, LeftRuns::Periods(repeats - whole)))
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let _ = (groups, repeats, setting);
        None
    }
}

/// Smallest pattern with negligible loop overhead.
const MIN_PATTERN_BYTES: usize = 1024;

/// Largest size of a pattern lengthened to a multiple of a vector.
const MAX_ALIGNED_PATTERN_BYTES: usize = 8192;

/// Largest pattern whose permutations pay for one use per row.
const MAX_SINGLE_USE_RUNS: usize = 512;

pub(super) fn tables<D: CopyDirection>(
    groups: &[RunGroup],
    repeats: usize,
    choice: KernelChoice,
    setting: Setting,
) -> Option<Vec<RowSection<D>>> {
    let Setting { element, peers, .. } = setting;
    let bytes = groups.iter().map(|group| group.len * group.count).sum::<usize>() * element;
    let times = match choice.kernel {
        Kernel::Permute => whole_vectors::<D>(groups, setting, repeats),
        _ => {
            let enough = MIN_PATTERN_BYTES.div_ceil(bytes.max(1));
            let whole = (enough..=MAX_ALIGNED_PATTERN_BYTES / bytes.max(1))
                .find(|times| (times * bytes).is_multiple_of(64));
            whole.unwrap_or(enough)
        }
    };
    let times = times.clamp(1, repeats.max(1));
    let mut sections = Vec::new();
    for (times, repeats) in [(times, repeats / times), (repeats % times, 1)] {
        if times * repeats > 0 {
            let pattern = Pattern::new(groups, element, peers, times)?;
            // A large pattern used once takes longer to compute than it saves.
            let rare = repeats == 1 && pattern.runs().len() > MAX_SINGLE_USE_RUNS;
            let permuted = choice.kernel == Kernel::Permute && !rare;
            let work = match permuted {
                true => permuted_work::<D>(pattern, repeats, choice),
                false => table_work::<D>(pattern, repeats, choice),
            };
            sections.push(RowSection::new(work, 0));
        }
    }
    Some(sections)
}

/// Largest size of a pattern lengthened to fill written vectors.
const MAX_PERMUTE_PATTERN_BYTES: usize = 2048;

fn whole_vectors<D: CopyDirection>(groups: &[RunGroup], setting: Setting, repeats: usize) -> usize {
    let Setting { element, peers, .. } = setting;
    let vector = 64;
    let Some(pattern) = Pattern::new(groups, element, peers, 1) else { return 1 };
    let span = pattern.span().max(1);
    let written = if D::PACKS { pattern.shares() } else { &[span][..] };
    // Bytes of the written vectors, in percent of the bytes in them.
    let waste = |times: &usize| {
        let vectors: usize = written.iter().map(|bytes| (bytes * times).div_ceil(vector)).sum();
        (vectors * vector * 100).div_ceil(span * times)
    };
    let most = (MAX_PERMUTE_PATTERN_BYTES / span).clamp(1, repeats.max(1));
    (1..=most)
        .find(|times| waste(times) <= 115)
        .or_else(|| (1..=most).min_by_key(waste))
        .unwrap_or(1)
}

fn permuted_work<D: CopyDirection>(pattern: Pattern, repeats: usize, choice: KernelChoice) -> Work {
    #[cfg(target_arch = "x86_64")]
    if let Some(permutation) =
        super::raw::permute::Permutation::new::<D>(pattern.clone(), repeats, choice.memory)
    {
        return Work::Permute(permutation);
    }
    table_work::<D>(pattern, repeats, choice)
}

fn table_work<D: CopyDirection>(pattern: Pattern, repeats: usize, choice: KernelChoice) -> Work {
    let kernel = reaching!(choice.memory, table_kernel::<D>(&pattern, choice.kernel));
    Work::Table(PatternTable::new(pattern, repeats), kernel)
}

fn table_kernel<D: CopyDirection, A: Access>(pattern: &Pattern, kernel: Kernel) -> TableKernel {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Masked => super::raw::masked::kernel::<D, A>(),
        Kernel::Permute => table::kernel::<D, Cached>(None),
        _ => table::kernel::<D, A>(pattern.uniform()),
    }
}
