//! Any pattern of 4-byte lanes by AVX-512: each vector of one side is put together from vectors of the other, one
//! permutation each. The permutations are a table, so that one loop does for every pattern.
//!
//! The portable twin is [`table`](super::table).

use super::moves::Any;
use super::{Pattern, Table, table};
use crate::exec::kernels::Direction;
use core::arch::x86_64::{
    _mm512_load_si512, _mm512_loadu_si512, _mm512_mask_storeu_epi32, _mm512_permutex2var_epi32,
    _mm512_permutexvar_epi32, _mm512_setzero_si512, _mm512_storeu_si512,
};
use core::mem;

/// Bytes of a lane, lanes of a vector, and bytes of a vector.
const LANE: usize = 4;
const LANES: usize = 16;
const VECTOR: usize = LANE * LANES;

/// A pattern as permutations.
pub(in super::super) struct Permutation {
    /// In the order of the local array, where that is written; message by message where messages are.
    outputs: Vec<Output>,
    /// The inputs of all outputs, one after the other, and the lanes that each adds.
    inputs: Vec<Place>,
    lanes: Vec<Lanes>,
    /// What each message holds of each vector of the local array, for unpacking one by one.
    spread: Vec<Vec<Spread>>,
    span: usize,
    shares: Vec<usize>,
    /// Periods in which no vector reaches past the end of anything, and those after them.
    repeats: usize,
    last: Table,
    /// The number of inputs of every output, where it is one and at most 8: then the compiler unrolls their loop.
    each: usize,
}

/// A vector of a message or, where its peer does not matter, of the local array; in bytes from the start of the period
/// or of the share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    peer: u32,
    at: u32,
}

/// A vector that is written. Lanes that belong to the next vector of the same message, or of the next period, are
/// written again later.
#[derive(Clone, Copy, Debug)]
struct Output {
    place: Place,
    inputs: u32,
}

/// Which lanes come from the output so far (its own number) and which from the input (from 16 on).
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
struct Lanes([u32; LANES]);

impl Lanes {
    /// All lanes of the output so far.
    const KEPT: Self = Self([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
}

/// Lanes of one message's vector, spread over a vector of the local array.
#[derive(Clone, Debug)]
struct Spread {
    lanes: Lanes,
    local: u32,
    message: u32,
    mask: u16,
}

/// For one side's lanes, where on the other side each of them is, in lanes.
type Elsewhere = Vec<Place>;

impl Permutation {
    /// `repeats` periods of a pattern; `None` where its runs are not made of lanes.
    pub fn new<D: Direction>(pattern: Pattern, repeats: usize) -> Option<Self> {
        if !pattern.is_multiple_of(LANE) || pattern.span() == 0 {
            return None;
        }
        let mut made = Self {
            outputs: Vec::new(),
            inputs: Vec::new(),
            lanes: Vec::new(),
            spread: Vec::new(),
            span: pattern.span(),
            shares: pattern.shares().to_vec(),
            repeats: 0,
            last: Table::new(pattern.clone(), 0),
            each: 0,
        };
        let in_messages = in_messages(&pattern);
        if D::PACKS {
            for (peer, lanes) in in_local(&pattern).iter().enumerate() {
                made.put_together(peer, lanes);
            }
        } else {
            made.put_together(0, &in_messages);
            made.spread = spread(&in_messages, pattern.shares().len());
        }
        made.even_out();
        // A vector reaches past its period into the next ones: the last ones have none.
        let past = |at: u32, period: usize| (at as usize + VECTOR).saturating_sub(period).div_ceil(period);
        let local = |place: &Place| past(place.at, made.span);
        let message = |place: &Place| past(place.at, made.shares[place.peer as usize]);
        let outputs = made.outputs.iter().map(|output| &output.place);
        let last = match D::PACKS {
            true => outputs.map(message).max().max(made.inputs.iter().map(local).max()),
            false => outputs.map(local).max().max(made.inputs.iter().map(message).max()),
        };
        let last = last.unwrap_or(0).min(repeats);
        (made.repeats, made.last) = (repeats - last, Table::new(pattern, last));
        Some(made)
    }

    /// Adds the vectors of a message, or of the local array, whose lanes are elsewhere now.
    fn put_together(&mut self, peer: usize, elsewhere: &[Place]) {
        for (vector, places) in elsewhere.chunks(LANES).enumerate() {
            let begin = self.inputs.len();
            for (lane, place) in places.iter().enumerate() {
                // Lanes of one peer only ever move on, so its last input is the one that may hold this lane, too.
                let fits =
                    |input: &Place| input.peer == place.peer && place.at - input.at / (LANE as u32) < LANES as u32;
                let input = self.inputs[begin..].iter().rposition(fits).map(|input| begin + input);
                let input = input.unwrap_or_else(|| {
                    self.inputs.push(Place { peer: place.peer, at: place.at * LANE as u32 });
                    self.lanes.push(Lanes::KEPT);
                    self.inputs.len() - 1
                });
                self.lanes[input].0[lane] = LANES as u32 + place.at - self.inputs[input].at / LANE as u32;
            }
            let place = Place { peer: peer as u32, at: (vector * VECTOR) as u32 };
            self.outputs.push(Output { place, inputs: (self.inputs.len() - begin) as u32 });
        }
    }

    /// Gives all outputs as many inputs as the one that has most, if that adds few: loops of constant length are
    /// faster. What is added changes no lane.
    fn even_out(&mut self) {
        let most = self.outputs.iter().map(|output| output.inputs as usize).max().unwrap_or(0);
        if most > 8 || most * self.outputs.len() * 4 > self.inputs.len() * 5 {
            return;
        }
        let (inputs, lanes) = (mem::take(&mut self.inputs), mem::take(&mut self.lanes));
        let mut begin = 0;
        for output in &mut self.outputs {
            let end = begin + output.inputs as usize;
            self.inputs.extend_from_slice(&inputs[begin..end]);
            self.lanes.extend_from_slice(&lanes[begin..end]);
            self.inputs.extend((end - begin..most).map(|_| inputs[end - 1]));
            self.lanes.extend((end - begin..most).map(|_| Lanes::KEPT));
            (begin, output.inputs) = (end, most as u32);
        }
        self.each = most;
    }

    /// Bytes of the local array.
    pub fn span(&self) -> usize {
        self.span * self.repeats + self.last.span()
    }

    /// Bytes of each message.
    pub fn takes(&self) -> impl Iterator<Item = usize> {
        self.shares.iter().zip(self.last.takes()).map(|(share, last)| share * self.repeats + last)
    }

    /// # Safety
    /// As [`Work::all`](super::Work::all), and the processor has AVX-512 F.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn all<D: Direction>(&self, local: *mut u8, fronts: &mut [*mut u8]) {
        // SAFETY: the contracts are one; every output has so many inputs.
        unsafe {
            match self.each {
                1 => self.all_of::<D, 1>(local, fronts),
                2 => self.all_of::<D, 2>(local, fronts),
                3 => self.all_of::<D, 3>(local, fronts),
                4 => self.all_of::<D, 4>(local, fronts),
                5 => self.all_of::<D, 5>(local, fronts),
                6 => self.all_of::<D, 6>(local, fronts),
                7 => self.all_of::<D, 7>(local, fronts),
                8 => self.all_of::<D, 8>(local, fronts),
                _ => self.all_of::<D, 0>(local, fronts),
            }
        }
    }

    /// Where every output has `EACH` inputs, or, where that is 0, any number.
    ///
    /// # Safety
    /// As for [`all`](Permutation::all).
    #[target_feature(enable = "avx512f")]
    unsafe fn all_of<D: Direction, const EACH: usize>(&self, mut local: *mut u8, fronts: &mut [*mut u8]) {
        let fronts = &mut fronts[..self.shares.len()];
        // SAFETY: there are `repeats` spans and shares in which no vector reaches past the end; then come those that the
        // table copies, among them all lanes that were written too early. Every output has its inputs, in order.
        unsafe {
            for _ in 0..self.repeats {
                let (mut input, mut lanes) = (self.inputs.as_ptr(), self.lanes.as_ptr());
                for output in &self.outputs {
                    let mut vector = _mm512_setzero_si512();
                    for _ in 0..if EACH > 0 { EACH } else { output.inputs as usize } {
                        let from = (*input).address::<D>(D::PACKS, local, fronts);
                        let lane = _mm512_load_si512(lanes.cast());
                        vector = _mm512_permutex2var_epi32(vector, lane, _mm512_loadu_si512(from.cast()));
                        (input, lanes) = (input.add(1), lanes.add(1));
                    }
                    let to = output.place.address::<D>(!D::PACKS, local, fronts);
                    _mm512_storeu_si512(to.cast(), vector);
                }
                for (front, share) in fronts.iter_mut().zip(&self.shares) {
                    *front = front.add(*share);
                }
                local = local.add(self.span);
            }
            table::all::<D, Any>(&self.last, local, fronts);
        }
    }

    /// # Safety
    /// As [`Work::one`](super::Work::one), and the processor has AVX-512 F.
    #[target_feature(enable = "avx512f")]
    pub unsafe fn one<D: Direction>(&self, peer: usize, mut local: *mut u8, mut front: *mut u8) {
        debug_assert!(!D::PACKS, "what is spread is unpacked");
        // SAFETY: as for all messages; only lanes of this message are stored.
        unsafe {
            for _ in 0..self.repeats {
                for Spread { lanes, local: to, message, mask } in &self.spread[peer] {
                    let vector = _mm512_loadu_si512(front.add(*message as usize).cast());
                    let spread = _mm512_permutexvar_epi32(_mm512_load_si512(lanes.0.as_ptr().cast()), vector);
                    _mm512_mask_storeu_epi32(local.add(*to as usize).cast(), *mask, spread);
                }
                (local, front) = (local.add(self.span), front.add(self.shares[peer]));
            }
            table::one::<D, Any>(&self.last, peer, local, front);
        }
    }
}

impl Place {
    /// # Safety
    /// There is a front for the peer, and the place lies inside what the front, or `local`, points to.
    #[inline(always)]
    unsafe fn address<D: Direction>(self, in_local: bool, local: *mut u8, fronts: &[*mut u8]) -> *mut u8 {
        // SAFETY: as the caller says.
        unsafe {
            let base = if in_local { local } else { *fronts.get_unchecked(self.peer as usize) };
            base.add(self.at as usize)
        }
    }
}

/// For each lane of the local array, where it is in the messages.
fn in_messages(pattern: &Pattern) -> Elsewhere {
    let lane = LANE as u32;
    let of_run = |run: &super::Run| {
        let super::Run { peer, in_share, len, .. } = *run;
        (0..len / lane).map(move |step| Place { peer, at: in_share / lane + step })
    };
    pattern.runs().iter().flat_map(of_run).collect()
}

/// For each lane of each message, where it is in the local array.
fn in_local(pattern: &Pattern) -> Vec<Elsewhere> {
    let mut lanes = vec![Vec::new(); pattern.shares().len()];
    for (at, place) in in_messages(pattern).iter().enumerate() {
        lanes[place.peer as usize].push(Place { peer: 0, at: at as u32 });
    }
    lanes
}

/// For each peer, what its message holds of each vector of the local array.
fn spread(in_messages: &[Place], peers: usize) -> Vec<Vec<Spread>> {
    let mut spread: Vec<Vec<Spread>> = vec![Vec::new(); peers];
    for (vector, places) in in_messages.chunks(LANES).enumerate() {
        let local = (vector * VECTOR) as u32;
        for (lane, place) in places.iter().enumerate() {
            let of_peer = &mut spread[place.peer as usize];
            if of_peer.last().is_none_or(|last| last.local != local) {
                let message = place.at * LANE as u32;
                of_peer.push(Spread { lanes: Lanes([0; LANES]), local, message, mask: 0 });
            }
            if let Some(last) = of_peer.last_mut() {
                last.lanes.0[lane] = place.at - last.message / LANE as u32;
                last.mask |= 1 << lane;
            }
        }
    }
    spread
}
