//! Parts of a row, each copied by one kernel, and their sections.

#[cfg(target_arch = "x86_64")]
use super::choose::MIN_SQUARES_MESSAGES;
use super::choose::RunShape;
use super::known::{self, KnownSteps, cut, elements};
use super::pattern::Pattern;
use super::raw::{PatternTable, Uniform, Work, networks, table, uniform};
use super::row_section::RowSection;
use super::{CopyDirection, Kernel, KernelChoice, Memory, RowCode, Vectors};
use crate::program::{LoopDim, RunGroup};
use core::ops::Range;

/// Parameters that all sections of a row share.
#[derive(Clone, Copy)]
pub(super) struct Setting {
    /// Bytes of an element, or of the elements that count as one.
    pub element: usize,
    /// Messages of a row.
    pub peers: usize,
    /// Code compiled for the steps of the item's blocks.
    pub code: RowCode,
    pub vectors: Vectors,
    /// Bytes of the local array.
    pub array: usize,
}

/// The repeated content of a row, and the rest after the last whole period.
pub(super) struct Periods<T> {
    pub period: Vec<T>,
    /// Number of periods.
    pub count: usize,
    pub rest: Vec<T>,
}

/// Most runs of a table.
const MAX_TABLE_RUNS: usize = 8192;

/// Most groups of a period that get sections of their own, if one table is too small.
const MAX_SECTION_GROUPS: usize = 16;

/// Local bytes from which a row's repetitions are several sections.
const SECTION_BYTES: usize = 1 << 20;

/// Runs of a block from which a loop copies the block.
const MIN_UNIFORM_RUNS: usize = 64;

/// Rounds from which a pattern of some of them is repeated.
const MIN_PATTERN_ROUNDS: usize = 8;

/// Steps from which long vectors repay the remainder at a part's ends.
const MIN_LONG_STEPS: usize = 16;

/// Smallest block, in bytes, for which such a pattern beats a pattern of the whole block, despite
/// remainders.
const MIN_SEPARATE_BLOCK_BYTES: usize = 16 << 10;

/// Smallest pattern with negligible loop overhead.
const MIN_PATTERN_BYTES: usize = 1024;

/// Largest size of a pattern lengthened to a multiple of a vector.
const MAX_ALIGNED_PATTERN_BYTES: usize = 8192;

/// Largest size of a pattern lengthened to fill written vectors.
const MAX_PERMUTE_PATTERN_BYTES: usize = 2048;

/// Largest pattern whose permutations pay for one use per row.
#[cfg(target_arch = "x86_64")]
const MAX_SINGLE_USE_RUNS: usize = 512;

/// Neighbouring groups of runs that one kernel copies, several times in succession.
#[derive(Clone, Copy)]
pub(super) struct RowPart<'a> {
    groups: &'a [RunGroup],
    /// Times that the groups are repeated.
    repeats: usize,
    setting: Setting,
}

/// Returns the parts of a dimension; `None` if there would be too many.
pub(super) fn parts<D: CopyDirection>(
    dim: &LoopDim,
    setting: Setting,
) -> Option<Periods<RowPart<'_>>> {
    let split = |groups| -> Option<Vec<RowPart<'_>>> {
        let groups: &[RunGroup] = groups;
        let runs: usize = groups.iter().map(|group| group.count).sum();
        let together = match groups.len() {
            all if all <= 1 || runs <= MAX_TABLE_RUNS => all.max(1),
            ..=MAX_SECTION_GROUPS => 1,
            _ => return None,
        };
        let parts = groups.chunks(together);
        Some(parts.map(|groups| RowPart { groups, repeats: 1, setting }).collect())
    };
    let rest = split(&dim.rest)?;
    let mut period = split(&dim.groups)?;
    if let [part] = period.as_mut_slice() {
        // Short sections let a long row's packed bytes travel while the rest is packed.
        let most = SECTION_BYTES / part.bytes().max(1);
        let together = if part.is_apart::<D>() { 1 } else { dim.repeats.clamp(1, most.max(1)) };
        let (count, left) = (dim.repeats / together, dim.repeats % together);
        part.repeats = together;
        let left = (left > 0).then_some(RowPart { repeats: left, ..*part });
        let rest = left.into_iter().chain(rest).collect();
        return Some(Periods { period, count, rest });
    }
    Some(Periods { period, count: dim.repeats, rest })
}

impl Periods<RowPart<'_>> {
    pub fn shape<D: CopyDirection>(&self) -> Option<RunShape> {
        let most = self.period.iter().max_by_key(|part| part.elements())?;
        Some(most.shape::<D>())
    }

    pub fn sections<D: CopyDirection>(&self) -> Option<Periods<RowSection<D>>> {
        let sections = |parts: &[RowPart<'_>]| -> Option<Vec<RowSection<D>>> {
            let sections: Option<Vec<_>> = parts.iter().map(RowPart::sections).collect();
            Some(sections?.into_iter().flatten().collect())
        };
        Some(Periods {
            period: sections(&self.period)?,
            count: self.count,
            rest: sections(&self.rest)?,
        })
    }
}

impl RowPart<'_> {
    fn elements(&self) -> usize {
        elements(self.groups) * self.repeats
    }

    fn bytes(&self) -> usize {
        self.elements() * self.setting.element
    }

    fn shape<D: CopyDirection>(&self) -> RunShape {
        let Setting { element, peers, vectors, array, .. } = self.setting;
        let known = self.known();
        let runs: usize = self.groups.iter().map(|group| group.count).sum();
        let first = self.groups[0].len * element;
        let run = self.groups.iter().all(|group| group.len * element == first).then_some(first);
        let rounds = match self.groups {
            [group] => group.count / peers,
            _ => 0,
        };
        RunShape {
            packs: D::PACKS,
            peers,
            run,
            mean: elements(self.groups) * element / runs.max(1),
            rounds,
            squares: self.squares::<D>(Memory::Cached).is_some(),
            runs: runs * self.repeats,
            lanes: self.groups.iter().all(|group| (group.len * element).is_multiple_of(4)),
            written: known.map(|known| known.kernel.vectors),
            rolled: known.is_some_and(|known| known.step.is_rolled()),
            always: known.is_some_and(|known| known.always),
            vectors,
            array,
        }
    }

    /// Returns `true` if each repetition begins a section.
    fn is_apart<D: CopyDirection>(&self) -> bool {
        let long = self.is_many_rounds() && self.bytes() >= MIN_SEPARATE_BLOCK_BYTES;
        let shape = self.shape::<D>();
        // A block that does not end with the last peer ends its rounds.
        match shape.choose().kernel {
            Kernel::Permute => long,
            Kernel::Network { .. } => shape.goes_in_squares() && long && self.ends_rounds(),
            Kernel::Compiled { .. } => {
                let rounds = self.known().is_some_and(|known| known.step.is_round());
                self.groups.len() == 1 && rounds && self.ends_rounds()
            }
            _ => false,
        }
    }

    fn is_many_rounds(&self) -> bool {
        self.groups.len() == 1 && self.groups[0].count >= MIN_PATTERN_ROUNDS * self.setting.peers
    }

    /// Returns `true` if each block begins with the peer after the previous block's last.
    fn goes_on(&self) -> bool {
        self.repeats == 1 || !self.ends_rounds()
    }

    fn ends_rounds(&self) -> bool {
        !self.groups[0].count.is_multiple_of(self.setting.peers)
    }

    /// Returns this part's compiled steps, by shorter vectors if long ones leave much over.
    fn known(&self) -> Option<KnownSteps> {
        let Setting { element, code, vectors, peers, .. } = self.setting;
        let find = |most| known::find((code, most), (self.groups, element), peers);
        let steps = |known: &KnownSteps| {
            let elements = self.elements().saturating_sub(known.skip);
            elements / (known.step.elements() * known.kernel.times)
        };
        // Steps in turn continue from one repetition to the next.
        let ends = self.groups.len() == 1 && !self.goes_on();
        let known = find(vectors).filter(|known| !(ends && known.step.is_round()))?;
        let shorter = (known.kernel.vectors == Vectors::Avx512 && steps(&known) < MIN_LONG_STEPS)
            .then(|| find(Vectors::Avx2))
            .flatten();
        let known = shorter.filter(|shorter| steps(shorter) > steps(&known)).unwrap_or(known);
        (steps(&known) > 0).then_some(known)
    }

    fn sections<D: CopyDirection>(&self) -> Option<Vec<RowSection<D>>> {
        let shape = self.shape::<D>();
        let choice = shape.choose();
        match choice.kernel {
            Kernel::Network { .. } if shape.goes_in_squares() => self.squared(choice),
            Kernel::Network { .. } => Some(vec![self.uniform(choice)]),
            Kernel::Compiled { .. } => self.written(self.known()?, choice),
            Kernel::Permute if self.is_many_rounds() && self.goes_on() => {
                self.permuted_rounds(choice)
            }
            Kernel::Permute => self.tables(choice),
            _ => match self.groups {
                [group] if group.count >= MIN_UNIFORM_RUNS => Some(vec![self.uniform(choice)]),
                _ => self.tables(choice),
            },
        }
    }

    /// Returns the section of a part that is one group.
    fn uniform<D: CopyDirection>(&self, choice: KernelChoice) -> RowSection<D> {
        let (group, Setting { element, peers, vectors, .. }) = (self.groups[0], self.setting);
        let (len, memory) = (group.len * element, choice.memory);
        let runs = Uniform::new(len, peers, group.count, self.repeats, memory);
        let network = match choice.kernel {
            Kernel::Network { .. } => networks::find::<D>(vectors, memory, len, peers),
            _ => None,
        };
        let kernel = network.unwrap_or_else(|| uniform::kernel::<D>(len, memory, vectors));
        RowSection::new(Work::Uniform(runs, kernel), group.peer)
    }

    fn permuted_rounds<D: CopyDirection>(
        &self,
        choice: KernelChoice,
    ) -> Option<Vec<RowSection<D>>> {
        let (group, peers) = (self.groups[0], self.setting.peers);
        let repeats = group.count / peers * self.repeats;
        let round = [RunGroup { count: peers, ..group }];
        let rounds = RowPart { groups: &round, repeats, ..*self };
        self.between_tables(choice, (0..rounds.elements(), rounds.tables(choice)?))
    }

    fn written<D: CopyDirection>(
        &self,
        known: KnownSteps,
        choice: KernelChoice,
    ) -> Option<Vec<RowSection<D>>> {
        let KnownSteps { kernel, step, skip, first, .. } = known;
        let step = step.elements() * kernel.times;
        let count = (self.elements() - skip) / step;
        let section = RowSection::new(Work::Steps(kernel, count), first);
        let around = KernelChoice { kernel: Kernel::Table, ..choice };
        self.between_tables(around, (skip..skip + count * step, vec![section]))
    }

    fn squared<D: CopyDirection>(&self, choice: KernelChoice) -> Option<Vec<RowSection<D>>> {
        let (work, first, elements) = self.squares::<D>(choice.memory)?;
        let around = KernelChoice { kernel: Kernel::Table, ..choice };
        self.between_tables(around, (0..elements, vec![RowSection::new(work, first)]))
    }

    /// Puts the sections of these elements between tables for the elements before and after.
    fn between_tables<D: CopyDirection>(
        &self,
        choice: KernelChoice,
        (inside, mut sections): (Range<usize>, Vec<RowSection<D>>),
    ) -> Option<Vec<RowSection<D>>> {
        let outside = |range: Range<usize>| {
            let groups = cut(self.groups, self.setting.peers, range);
            match groups.is_empty() {
                true => Some(Vec::new()),
                false => RowPart { groups: &groups, repeats: 1, ..*self }.tables(choice),
            }
        };
        let mut all = outside(0..inside.start)?;
        all.append(&mut sections);
        all.append(&mut outside(inside.end..self.elements())?);
        Some(all)
    }

    /// Returns the most whole squares, their first message, and their elements.
    #[cfg(target_arch = "x86_64")]
    fn squares<D: CopyDirection>(&self, memory: Memory) -> Option<(Work, usize, usize)> {
        use super::raw::squares::{MAX_COLUMNS, SquaredPeriods};
        let Self { groups, repeats, setting: Setting { element, peers, vectors, .. } } = *self;
        let made = |period: &[RunGroup], first, count| {
            let runs: usize = period.iter().map(|group| group.count).sum();
            // A long period is not listed.
            let pattern = (runs <= MAX_COLUMNS).then(|| Pattern::new(period, element, peers, 1));
            let (periods, whole) = SquaredPeriods::new::<D>(pattern??, count, memory, vectors)?;
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
    fn squares<D: CopyDirection>(&self, _: Memory) -> Option<(Work, usize, usize)> {
        None
    }

    fn tables<D: CopyDirection>(&self, choice: KernelChoice) -> Option<Vec<RowSection<D>>> {
        let Self { groups, repeats, setting: Setting { element, peers, .. } } = *self;
        let bytes = (elements(groups) * element).max(1);
        let times = match choice.kernel {
            Kernel::Permute => self.whole_vectors::<D>(),
            _ => {
                let enough = MIN_PATTERN_BYTES.div_ceil(bytes);
                let whole = (enough..=MAX_ALIGNED_PATTERN_BYTES / bytes)
                    .find(|times| (times * bytes).is_multiple_of(64));
                whole.unwrap_or(enough)
            }
        };
        let times = times.clamp(1, repeats.max(1));
        let mut sections = Vec::new();
        for (times, repeats) in [(times, repeats / times), (repeats % times, 1)] {
            if times * repeats > 0 {
                let pattern = Pattern::new(groups, element, peers, times)?;
                sections.push(RowSection::new(table_work::<D>(pattern, repeats, choice), 0));
            }
        }
        Some(sections)
    }

    /// Returns how often a pattern is repeated to fill the written vectors.
    fn whole_vectors<D: CopyDirection>(&self) -> usize {
        let Self { groups, repeats, setting: Setting { element, peers, .. } } = *self;
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
}

fn table_work<D: CopyDirection>(pattern: Pattern, repeats: usize, choice: KernelChoice) -> Work {
    // A large pattern used once takes longer to permute than it saves.
    #[cfg(target_arch = "x86_64")]
    if choice.kernel == Kernel::Permute
        && (repeats > 1 || pattern.runs().len() <= MAX_SINGLE_USE_RUNS)
        && let Some(permutation) =
            super::raw::permute::Permutation::new::<D>(pattern.clone(), repeats, choice.memory)
    {
        return Work::Permute(permutation);
    }
    let memory = if choice.kernel == Kernel::Permute { Memory::Cached } else { choice.memory };
    let kernel = match choice.kernel {
        #[cfg(target_arch = "x86_64")]
        Kernel::Masked if memory == Memory::Cached => super::raw::masked::all::<D, false>,
        #[cfg(target_arch = "x86_64")]
        Kernel::Masked => super::raw::masked::all::<D, true>,
        Kernel::Permute => table::kernel::<D>(None, memory),
        _ => table::kernel::<D>(pattern.uniform(), memory),
    };
    Work::Table(PatternTable { pattern, repeats, memory }, kernel)
}
