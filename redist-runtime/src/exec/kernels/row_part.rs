//! Parts of a row, each copied by one kernel.

use super::build::{Setting, permuted_rounds, squared, squares, tables, uniform_section, written};
use super::choose::RunShape;
use super::known::{self, KnownSteps, elements};
use super::row_section::RowSection;
use super::{CopyDirection, Kernel, Vectors};
use crate::program::{LoopDim, RunGroup};

pub(super) struct Periods<T> {
    pub period: Vec<T>,
    pub count: usize,
    pub rest: Vec<T>,
}

const MAX_TABLE_RUNS: usize = 8192;

const MAX_SECTION_GROUPS: usize = 16;

/// Local bytes from which a row's repetitions are several sections.
const SECTION_BYTES: usize = 1 << 20;

/// Runs of a block from which it gets a loop of its own.
const MIN_UNIFORM_RUNS: usize = 64;

/// Rounds from which a pattern of some of them is repeated.
const MIN_PATTERN_ROUNDS: usize = 8;

/// Steps from which long vectors repay the remainder at a part's ends.
const MIN_LONG_STEPS: usize = 16;

/// Smallest block for which such a pattern beats one of the whole block, despite remainders.
const MIN_SEPARATE_BLOCK_BYTES: usize = 16 << 10;

pub(super) struct RowPart<'a> {
    groups: &'a [RunGroup],
    repeats: usize,
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
        Some(groups.chunks(together).map(|groups| RowPart { groups, repeats: 1 }).collect())
    };
    let rest = split(&dim.rest)?;
    let mut period = split(&dim.groups)?;
    if let [part] = period.as_mut_slice() {
        // A block that does not end with the last peer ends its rounds.
        let long = part.is_many_rounds(setting)
            && part.elements() * setting.element >= MIN_SEPARATE_BLOCK_BYTES;
        let shape = part.shape::<D>(setting);
        let apart = match shape.choose().kernel {
            Kernel::Permute => long,
            Kernel::Network { .. } if shape.goes_in_squares() => long && part.ends_rounds(setting),
            Kernel::Written { .. } => {
                part.are_written_in_turn(setting) && part.ends_rounds(setting)
            }
            _ => false,
        };
        // Short sections let a long row's packed bytes travel while the rest is packed.
        let most = SECTION_BYTES / (part.elements() * setting.element).max(1);
        let together = if apart { 1 } else { dim.repeats.clamp(1, most.max(1)) };
        let (count, left) = (dim.repeats / together, dim.repeats % together);
        part.repeats = together;
        let left = (left > 0).then_some(RowPart { groups: part.groups, repeats: left });
        let rest = left.into_iter().chain(rest).collect();
        return Some(Periods { period, count, rest });
    }
    Some(Periods { period, count: dim.repeats, rest })
}

impl Periods<RowPart<'_>> {
    pub fn shape<D: CopyDirection>(&self, setting: Setting) -> Option<RunShape> {
        let most = self.period.iter().max_by_key(|part| part.elements())?;
        Some(most.shape::<D>(setting))
    }

    pub fn sections<D: CopyDirection>(&self, setting: Setting) -> Option<Periods<RowSection<D>>> {
        let sections = |parts: &[RowPart<'_>]| -> Option<Vec<RowSection<D>>> {
            let mut sections = Vec::new();
            for part in parts {
                sections.append(&mut part.sections(setting)?);
            }
            Some(sections)
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

    fn shape<D: CopyDirection>(&self, setting: Setting) -> RunShape {
        let Setting { element, peers, vectors, array, .. } = setting;
        let known = self.known(setting);
        let written = known.map(|known| known.kernel.vectors());
        let runs: usize = self.groups.iter().map(|group| group.count).sum();
        let bytes = elements(self.groups) * element;
        let first = self.groups[0].len * element;
        let run = self.groups.iter().all(|group| group.len * element == first).then_some(first);
        let rounds = match self.groups {
            [group] => group.count / peers,
            _ => 0,
        };
        let all = runs * self.repeats;
        let lanes = self.groups.iter().all(|group| (group.len * element).is_multiple_of(4));
        RunShape {
            packs: D::PACKS,
            peers,
            run,
            mean: bytes / runs.max(1),
            rounds,
            squares: squares::<D, false>(self.groups, self.repeats, setting).is_some(),
            runs: all,
            lanes,
            written,
            always: known.is_some_and(|known| known.always),
            vectors,
            array,
        }
    }

    fn is_many_rounds(&self, setting: Setting) -> bool {
        self.groups.len() == 1 && self.groups[0].count >= MIN_PATTERN_ROUNDS * setting.peers
    }

    /// Returns `true` if each block begins with the peer after the previous block's last.
    fn goes_on(&self, setting: Setting) -> bool {
        self.repeats == 1 || !self.ends_rounds(setting)
    }

    fn ends_rounds(&self, setting: Setting) -> bool {
        !self.groups[0].count.is_multiple_of(setting.peers)
    }

    fn are_written_in_turn(&self, setting: Setting) -> bool {
        let known = self.known(setting);
        self.groups.len() == 1 && known.is_some_and(|known| known.step.is_in_turn())
    }

    /// Returns this part's compiled steps, by shorter vectors if long ones leave much over.
    fn known(&self, setting: Setting) -> Option<KnownSteps> {
        let Setting { element, written, vectors, peers, array } = setting;
        let find = |most| known::find((written, most, array), (self.groups, element), peers);
        let steps = |known: &KnownSteps| {
            let elements = self.elements().saturating_sub(known.skip);
            elements / (known.step.elements() * known.kernel.times())
        };
        // Steps in turn continue from one repetition to the next.
        let ends = self.groups.len() == 1 && !self.goes_on(setting);
        let known = find(vectors).filter(|known| !(ends && known.step.is_in_turn()))?;
        let shorter = (known.kernel.vectors() == Vectors::Avx512 && steps(&known) < MIN_LONG_STEPS)
            .then(|| find(Vectors::Avx2))
            .flatten();
        let known = shorter.filter(|shorter| steps(shorter) > steps(&known)).unwrap_or(known);
        (steps(&known) > 0).then_some(known)
    }

    fn sections<D: CopyDirection>(&self, setting: Setting) -> Option<Vec<RowSection<D>>> {
        let (shape, repeats) = (self.shape::<D>(setting), self.repeats);
        let choice = shape.choose();
        let permuted = choice.kernel == Kernel::Permute;
        let known = match choice.kernel {
            Kernel::Written { .. } => self.known(setting),
            _ => None,
        };
        let network = matches!(choice.kernel, Kernel::Network { .. });
        if network && shape.goes_in_squares() {
            return squared((self.groups, repeats), choice, setting);
        }
        match (self.groups, known) {
            (groups, Some(known)) => written((groups, repeats), known, choice, setting),
            ([group], None) if network || group.count >= MIN_UNIFORM_RUNS && !permuted => {
                Some(vec![uniform_section(group, repeats, choice, setting)])
            }
            (groups, None) if permuted && self.is_many_rounds(setting) && self.goes_on(setting) => {
                permuted_rounds((groups, repeats), choice, setting)
            }
            (groups, None) => tables(groups, repeats, choice, setting),
        }
    }
}
