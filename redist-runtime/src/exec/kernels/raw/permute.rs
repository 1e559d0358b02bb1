//! Copies any pattern of 4-byte lanes by permutations: each written vector is assembled from
//! vectors that are read, one permutation each.
//!
//! A table of permutations lets the same loops copy every pattern. Several periods share each load,
//! which costs as much as a use. The portable twin is [`table`](super::table).

use super::table::PatternTable;
use crate::cache::{fetch_to_read, fetch_to_write};
use crate::exec::kernels::pattern::{Pattern, PatternRun};
use crate::exec::kernels::{CopyDirection, Memory};
use core::arch::x86_64::*;
use core::array::from_fn;
use core::ptr;

/// Bytes of a lane.
const LANE_BYTES: usize = 4;
/// Lanes of a vector.
const LANES: usize = 16;

/// Most inputs of an output: as many permutations as fit the registers.
const MAX_INPUTS: usize = 10;

/// A vector's place, in bytes from the start of the period or share; the local array has no peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct VectorPlace {
    /// Index of the message; 0 for the local array.
    pub peer: u32,
    /// Bytes from the start of the period or share; while lanes are sorted, lanes.
    pub at: u32,
}

/// A vector and its mask of used lanes; of a read one, other lanes need not exist.
#[derive(Clone, Copy, Debug)]
struct MaskedVector {
    pub place: VectorPlace,
    /// A bit for each lane in use.
    pub mask: u16,
}

/// Each output lane's own number to keep it, or the number of lanes plus the input's lane.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
struct Lanes(pub [u32; LANES]);

/// Outputs that have the same number of inputs.
struct OutputGroup {
    /// Inputs of each output.
    pub each: usize,
    /// Vectors that are written.
    pub outputs: Vec<MaskedVector>,
    /// Vectors that are read, `each` of them for every output in turn.
    pub inputs: Vec<MaskedVector>,
    /// Lanes that each of these inputs adds to its output.
    pub lanes: Vec<Lanes>,
}

/// A pattern as permutations of whole vectors.
pub(in super::super) struct Permutation {
    pub(super) table: PatternTable,
    outputs: Outputs,
    /// `true` if all read vectors have one stride between periods.
    even: bool,
}

impl Permutation {
    pub fn new<D: CopyDirection>(pattern: Pattern, repeats: usize, memory: Memory) -> Option<Self> {
        if !pattern.is_multiple_of(LANE_BYTES) || pattern.span() == 0 {
            return None;
        }
        let outputs = Outputs::new::<D>(&pattern);
        let mut shares = pattern.shares().iter().filter(|share| **share > 0);
        let first = shares.next();
        let even = D::PACKS || shares.all(|share| Some(share) == first);
        let table = PatternTable { pattern, repeats, memory };
        Some(Self { table, outputs, even })
    }

    /// Copies all periods, several at a time. The functions for edges copy the last ones, whose
    /// vectors may reach past the end.
    ///
    /// # Safety
    /// The contract of [`Work::all`](super::Work::all) holds, and the processor has AVX-512 F.
    pub unsafe fn all<D: CopyDirection>(&self, local: *mut u8, cursors: &mut [*mut u8]) {
        let (outputs, even) = (&self.outputs, self.even);
        let Functions { edge, inner } = functions(D::PACKS, even, self.table.memory);
        let (span, shares) = (self.table.pattern.span(), self.table.pattern.shares());
        let (mut locals, spans, cursors) = ([local], [span], &mut cursors[..shares.len()]);
        let whole = self.table.repeats.saturating_sub(outputs.last);
        let mut done = 0;
        while done < self.table.repeats {
            let (periods, functions) = if done + PERIODS_TOGETHER <= whole {
                (PERIODS_TOGETHER, inner)
            } else {
                (1, edge)
            };
            let sides = match D::PACKS {
                true => Sides { from: &locals, from_steps: &spans, to: cursors, to_steps: shares },
                false => Sides { from: cursors, from_steps: shares, to: &locals, to_steps: &spans },
            };
            for group in &outputs.groups {
                // SAFETY: the caller vouches for `repeats` periods of the local array and of each
                // message in which outputs have places. Masked lanes lie in their period. Whole
                // vectors reach at most `outputs.last` periods further, so none of a period before
                // `whole` passes the end. Each peer has a base and a step in `sides`. The group's
                // outputs have `each` inputs. The processor has the vectors.
                unsafe { functions[group.each - 1](group, &sides) };
            }
            locals[0] = locals[0].wrapping_add(span * periods);
            for (cursor, share) in cursors.iter_mut().zip(shares) {
                *cursor = cursor.wrapping_add(share * periods);
            }
            done += periods;
        }
    }
}

/// Vectors that are written, grouped by their number of inputs.
struct Outputs {
    pub groups: Vec<OutputGroup>,
    /// Number of last periods whose input vectors may reach past the end.
    pub last: usize,
}

/// A written vector, and its inputs with the lanes that each adds.
struct Assembled {
    output: MaskedVector,
    inputs: Vec<(MaskedVector, Lanes)>,
}

impl Outputs {
    pub fn new<D: CopyDirection>(pattern: &Pattern) -> Self {
        let mut made = Vec::new();
        if D::PACKS {
            for (peer, elsewhere) in in_local(pattern).iter().enumerate() {
                put_together(&mut made, peer, elsewhere);
            }
            Self::grouped(&made, |_| pattern.span())
        } else {
            put_together(&mut made, 0, &in_messages(pattern));
            Self::grouped(&made, |place| pattern.shares()[place.peer as usize])
        }
    }

    /// Groups outputs by their number of inputs; `period` is the length of a period at a place.
    fn grouped(made: &[Assembled], period: impl Fn(&VectorPlace) -> usize) -> Self {
        let group = |each: usize| {
            let of_group = made.iter().filter(|made| made.inputs.len() == each);
            let outputs = of_group.clone().map(|made| made.output).collect();
            let (inputs, lanes) = of_group.flat_map(|made| made.inputs.iter().copied()).unzip();
            OutputGroup { each, outputs, inputs, lanes }
        };
        // A vector may reach past its period into the next ones; the last periods have none.
        let past = |(input, _): &(MaskedVector, Lanes)| {
            let period = period(&input.place);
            (input.place.at as usize + LANES * LANE_BYTES).saturating_sub(period).div_ceil(period)
        };
        let groups = (1..=MAX_INPUTS).map(group).filter(|group| !group.outputs.is_empty());
        let last = made.iter().flat_map(|made| &made.inputs).map(past).max().unwrap_or(0);
        Self { groups: groups.collect(), last }
    }
}

fn put_together(made: &mut Vec<Assembled>, peer: usize, elsewhere: &[VectorPlace]) {
    for (vector, places) in elsewhere.chunks(LANES).enumerate() {
        let place = VectorPlace { peer: peer as u32, at: (vector * LANES * LANE_BYTES) as u32 };
        let inputs = inputs(places);
        // An output with too many inputs becomes several, each with some of the lanes.
        let outputs = inputs.len().div_ceil(MAX_INPUTS);
        for some in inputs.chunks(inputs.len().div_ceil(outputs)) {
            let mask = some.iter().fold(0, |mask, (_, taken)| mask | taken.written());
            made.push(Assembled { output: MaskedVector { place, mask }, inputs: some.to_vec() });
        }
    }
}

fn inputs(places: &[VectorPlace]) -> Vec<(MaskedVector, Lanes)> {
    let mut inputs: Vec<(MaskedVector, Lanes)> = Vec::new();
    for (lane, place) in places.iter().enumerate() {
        // A peer's lanes increase, so only its last input may hold this lane.
        let fits = |(input, _): &(MaskedVector, Lanes)| {
            input.place.peer == place.peer
                && (place.at - input.place.at / LANE_BYTES as u32) < LANES as u32
        };
        let input = inputs.iter().rposition(fits).unwrap_or_else(|| {
            let place = VectorPlace { peer: place.peer, at: place.at * LANE_BYTES as u32 };
            inputs.push((MaskedVector { place, mask: 0 }, Lanes::KEPT));
            inputs.len() - 1
        });
        let (input, of_output) = &mut inputs[input];
        let taken = place.at - input.place.at / LANE_BYTES as u32;
        of_output.0[lane] = LANES as u32 + taken;
        input.mask |= 1 << taken;
    }
    inputs
}

impl Lanes {
    const KEPT: Self = Self([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

    fn written(&self) -> u16 {
        (0..LANES)
            .filter(|lane| self.0[*lane] >= LANES as u32)
            .fold(0, |mask, lane| mask | 1 << lane)
    }
}

fn in_messages(pattern: &Pattern) -> Vec<VectorPlace> {
    let lane = LANE_BYTES as u32;
    let of_run = |run: &PatternRun| {
        let PatternRun { peer, in_share, len, .. } = *run;
        (0..len / lane).map(move |step| VectorPlace { peer, at: in_share / lane + step })
    };
    pattern.runs().iter().flat_map(of_run).collect()
}

fn in_local(pattern: &Pattern) -> Vec<Vec<VectorPlace>> {
    let mut lanes = vec![Vec::new(); pattern.shares().len()];
    for (at, place) in in_messages(pattern).iter().enumerate() {
        lanes[place.peer as usize].push(VectorPlace { peer: 0, at: at as u32 });
    }
    lanes
}

/// Periods copied by one call, which share the loads of permutations.
const PERIODS_TOGETHER: usize = 8;

/// Most inputs prefetched per output: further ones are mostly lines that other outputs prefetch.
const MAX_FETCHED_INPUTS: usize = 5;

/// Start of the current period and distance to the next: for each peer, or the local array.
struct Sides<'a> {
    /// Start of the period in each message, or in the local array, of the side that is read.
    pub from: &'a [*mut u8],
    /// Bytes of a period there.
    pub from_steps: &'a [usize],
    /// Start of the period on the side that is written.
    pub to: &'a [*mut u8],
    /// Bytes of a period there.
    pub to_steps: &'a [usize],
}

/// Writes a group's outputs, of the function's number of inputs, period by period.
///
/// # Safety
/// Each period's input vectors may be read; for edges, their masked lanes. The masked lanes of the
/// outputs may be written. The processor has the function's instructions.
type PermuteFn = unsafe fn(&OutputGroup, &Sides<'_>);

/// The functions for one direction, by number of inputs from 1.
struct Functions {
    /// One period, up to the ends of everything.
    pub edge: [PermuteFn; MAX_INPUTS],
    /// [`PERIODS_TOGETHER`] periods, none of them near an end.
    pub inner: [PermuteFn; MAX_INPUTS],
}

fn functions(packs: bool, even: bool, memory: Memory) -> &'static Functions {
    const PACK: Functions = of::<true, false, false>();
    const UNPACK_EVEN: Functions = of::<true, false, true>();
    const UNPACK: Functions = of::<false, false, true>();
    const FETCH_EVEN: Functions = of::<true, true, true>();
    const FETCH: Functions = of::<false, true, true>();
    match (packs, even, memory) {
        (true, _, Memory::Cached) => &PACK,
        (false, true, Memory::Cached) => &UNPACK_EVEN,
        (false, false, Memory::Cached) => &UNPACK,
        (_, true, _) => &FETCH_EVEN,
        (_, false, _) => &FETCH,
    }
}

const fn of<const EVEN: bool, const READS: bool, const WRITES: bool>() -> Functions {
    macro_rules! of_each {
        ($($each:literal)*) => {
            Functions {
                edge: [$(run::<$each, 1, true, false, false, true>),*],
                inner: [$(run::<$each, PERIODS_TOGETHER, EVEN, READS, WRITES, false>),*],
            }
        };
    }
    of_each!(1 2 3 4 5 6 7 8 9 10)
}

/// `EVEN`: all inputs have one stride. `READS`, `WRITES`: prefetches the next periods' sources,
/// targets. `EDGE`: vectors may pass the end.
///
/// # Safety
/// The contract of [`PermuteFn`] holds; the processor has AVX-512 F.
#[target_feature(enable = "avx512f")]
unsafe fn run<
    const EACH: usize,
    const PERIODS: usize,
    const EVEN: bool,
    const READS: bool,
    const WRITES: bool,
    const EDGE: bool,
>(
    group: &OutputGroup,
    sides: &Sides<'_>,
) {
    let (inputs, lanes) = (group.inputs.as_chunks::<EACH>().0, group.lanes.as_chunks::<EACH>().0);
    for ((output, inputs), lanes) in group.outputs.iter().zip(inputs).zip(lanes) {
        // SAFETY: the 16 lanes of 4 bytes are as long as a vector, and aligned to its 64 bytes.
        let lanes: [__m512i; EACH] =
            from_fn(|each| unsafe { _mm512_load_si512(lanes[each].0.as_ptr().cast()) });
        let (mut from, mut steps) = ([ptr::null(); EACH], [0; EACH]);
        for (each, MaskedVector { place, .. }) in inputs.iter().enumerate() {
            // SAFETY: inputs have places of the pattern's peers, or of the local array, which is
            // only number 0; `sides` has a base and a step for each.
            unsafe {
                from[each] =
                    sides.from.get_unchecked(place.peer as usize).wrapping_add(place.at as usize);
                steps[each] = *sides.from_steps.get_unchecked(place.peer as usize);
            }
        }
        let (VectorPlace { peer, at }, mask) = (output.place, output.mask);
        // SAFETY: outputs have places of the pattern's peers, or of the local array, which is
        // only number 0; `sides` has a base and a step for each.
        let (mut to, step) = unsafe {
            (
                sides.to.get_unchecked(peer as usize).wrapping_add(at as usize),
                *sides.to_steps.get_unchecked(peer as usize),
            )
        };
        for period in 0..PERIODS {
            let mut vector = _mm512_setzero_si512();
            for each in 0..EACH {
                let step = if EVEN { steps[0] } else { steps[each] };
                let at = from[each].wrapping_add(period * step);
                if READS && EACH <= MAX_FETCHED_INPUTS {
                    fetch_to_read(at.wrapping_add(PERIODS * step));
                }
                // SAFETY: in each of `PERIODS` periods the caller vouches for this vector or, at an
                // edge, for its masked lanes: a masked load reads no others. Neither load needs an
                // alignment.
                let loaded = unsafe {
                    match EDGE {
                        true => _mm512_maskz_loadu_epi32(inputs[each].mask, at.cast()),
                        false => _mm512_loadu_si512(at.cast()),
                    }
                };
                vector = _mm512_permutex2var_epi32(vector, lanes[each], loaded);
            }
            // SAFETY: in each of `PERIODS` periods the caller vouches for this output's masked
            // lanes. A masked store writes no others and needs no alignment.
            unsafe { _mm512_mask_storeu_epi32(to.cast(), mask, vector) };
            if WRITES {
                fetch_to_write(to.wrapping_add(PERIODS * step));
            }
            to = to.wrapping_add(step);
        }
    }
}
