#[cfg(target_arch = "x86_64")]
use super::choose::MIN_SQUARES_MESSAGES;
use super::known::{KnownSteps, cut, elements};
use super::pattern::Pattern;
use super::raw::{PatternTable, TableKernel, Uniform, UniformAll, Work, networks, table, uniform};
use super::row_section::RowSection;
use super::{CopyDirection, Kernel, KernelChoice, Memory, Vectors, WrittenStep};
use crate::program::RunGroup;
use core::ops::Range;

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
            Memory::Cached => $function::<$direction, false>($($argument),*),
            Memory::Prefetched => $function::<$direction, true>($($argument),*),
        }
    };
}

pub(super) fn uniform_section<D: CopyDirection>(
    group: &RunGroup,
    repeats: usize,
    choice: KernelChoice,
    setting: Setting,
) -> RowSection<D> {
    let len = group.len * setting.element;
    let runs = Uniform::new(len, setting.peers, group.count, repeats);
    let kernel = reaching!(choice.memory, uniform_kernel::<D>(len, choice.kernel, setting));
    RowSection::new(Work::Uniform(runs, kernel), group.peer)
}

fn uniform_kernel<D: CopyDirection, const FETCHES: bool>(
    len: usize,
    kernel: Kernel,
    setting: Setting,
) -> UniformAll {
    let network = match kernel {
        Kernel::Network { .. } => networks::find::<D, FETCHES>(setting.vectors, len, setting.peers),
        _ => None,
    };
    network.unwrap_or_else(|| uniform::kernel::<D, FETCHES>(len, setting.vectors))
}

pub(super) fn permuted_rounds<D: CopyDirection>(
    part: (&[RunGroup], usize),
    choice: KernelChoice,
    setting: Setting,
) -> Option<Vec<RowSection<D>>> {
    let (group, rounds) = (part.0[0], part.0[0].count / setting.peers);
    let round = RunGroup { count: setting.peers, ..group };
    let sections = tables(&[round], rounds * part.1, choice, setting)?;
    let elements = rounds * part.1 * round.count * round.len;
    between_tables(part, choice, setting, (0..elements, sections))
}

pub(super) fn written<D: CopyDirection>(
    part: (&[RunGroup], usize),
    known: KnownSteps,
    choice: KernelChoice,
    setting: Setting,
) -> Option<Vec<RowSection<D>>> {
    let KnownSteps { kernel, step, skip, first, .. } = known;
    let step = step.elements() * kernel.times();
    let count = (elements(part.0) * part.1 - skip) / step;
    let section = RowSection::new(Work::Steps(kernel, count), first);
    let around = KernelChoice { kernel: Kernel::Table, ..choice };
    between_tables(part, around, setting, (skip..skip + count * step, vec![section]))
}

pub(super) fn squared<D: CopyDirection>(
    part: (&[RunGroup], usize),
    choice: KernelChoice,
    setting: Setting,
) -> Option<Vec<RowSection<D>>> {
    let (work, first, elements) = reaching!(choice.memory, squares::<D>(part.0, part.1, setting))?;
    let around = KernelChoice { kernel: Kernel::Table, ..choice };
    between_tables(part, around, setting, (0..elements, vec![RowSection::new(work, first)]))
}

/// Puts the sections of these elements of a part between tables for the others.
fn between_tables<D: CopyDirection>(
    (groups, repeats): (&[RunGroup], usize),
    choice: KernelChoice,
    setting: Setting,
    (inside, mut sections): (Range<usize>, Vec<RowSection<D>>),
) -> Option<Vec<RowSection<D>>> {
    let outside = |part: Range<usize>| match cut(groups, setting.peers, part) {
        groups if groups.is_empty() => Some(Vec::new()),
        groups => tables(&groups, 1, choice, setting),
    };
    let mut all = outside(0..inside.start)?;
    all.append(&mut sections);
    all.append(&mut outside(inside.end..elements(groups) * repeats)?);
    Some(all)
}

/// Returns the most whole squares of a part, their first message, and their elements.
pub(super) fn squares<D: CopyDirection, const FETCHES: bool>(
    groups: &[RunGroup],
    repeats: usize,
    setting: Setting,
) -> Option<(Work, usize, usize)> {
    #[cfg(target_arch = "x86_64")]
    {
        use super::raw::squares::{MAX_COLUMNS, SquaredPeriods};
        let Setting { element, peers, vectors, .. } = setting;
        let made = |period: &[RunGroup], first, count| {
            let runs: usize = period.iter().map(|group| group.count).sum();
            // A long period is not listed.
            let pattern = (runs <= MAX_COLUMNS).then(|| Pattern::new(period, element, peers, 1));
            let (periods, whole) = SquaredPeriods::new::<D, FETCHES>(pattern??, count, vectors)?;
            Some((Work::Squares(periods), first, whole * elements(period)))
        };
        if peers < MIN_SQUARES_MESSAGES {
            return None;
        }
        if let [group] = groups
            && (repeats == 1 || group.count.is_multiple_of(peers))
            && let round = [RunGroup { count: peers, peer: 0, ..*group }]
            && let Some(made) = made(&round, group.peer, group.count / peers * repeats)
        {
            return Some(made);
        }
        made(groups, 0, repeats)
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
    let bytes = elements(groups) * element;
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

fn table_kernel<D: CopyDirection, const FETCHES: bool>(
    pattern: &Pattern,
    kernel: Kernel,
) -> TableKernel {
    match kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Masked => super::raw::masked::kernel::<D, FETCHES>(),
        Kernel::Permute => table::kernel::<D, false>(None),
        _ => table::kernel::<D, FETCHES>(pattern.uniform()),
    }
}
