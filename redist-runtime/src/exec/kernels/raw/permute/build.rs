use crate::exec::kernels::CopyDirection;
use crate::exec::kernels::pattern::{Pattern, PatternRun};

pub(super) const LANE_BYTES: usize = 4;
const LANES: usize = 16;

/// Most inputs of an output: as many permutations as fit the registers.
pub(super) const MAX_INPUTS: usize = 10;

/// A vector's place, in bytes from the start of the period or share; the local array has no peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VectorPlace {
    pub peer: u32,
    pub at: u32,
}

/// A vector and its mask of used lanes; of a read one, other lanes need not exist.
#[derive(Clone, Copy, Debug)]
pub(super) struct MaskedVector {
    pub place: VectorPlace,
    pub mask: u16,
}

/// Each output lane's own number to keep it, or the number of lanes plus the input's lane.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes(pub [u32; LANES]);

/// Outputs that have the same number of inputs.
pub(super) struct OutputGroup {
    pub each: usize,
    pub outputs: Vec<MaskedVector>,
    pub inputs: Vec<MaskedVector>,
    pub lanes: Vec<Lanes>,
}

pub(super) struct Outputs {
    pub groups: Vec<OutputGroup>,
    /// Number of last periods whose input vectors may reach past the end.
    pub last: usize,
}

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
            Self::sorted(made, |_| pattern.span())
        } else {
            put_together(&mut made, 0, &in_messages(pattern));
            Self::sorted(made, |place| pattern.shares()[place.peer as usize])
        }
    }

    /// Sorts by number of inputs; `period` is the length of a period at a place.
    fn sorted(mut made: Vec<Assembled>, period: impl Fn(&VectorPlace) -> usize) -> Self {
        made.sort_by_key(|made| made.inputs.len());
        let inputs = |made: &[Assembled]| -> Vec<(MaskedVector, Lanes)> {
            made.iter().flat_map(|made| made.inputs.clone()).collect()
        };
        let group = |made: &[Assembled]| {
            let outputs = made.iter().map(|made| made.output).collect();
            let (each, (inputs, lanes)) = (made[0].inputs.len(), inputs(made).into_iter().unzip());
            OutputGroup { each, outputs, inputs, lanes }
        };
        // A vector may reach past its period into the next ones; the last periods have none.
        let past = |(input, _): &(MaskedVector, Lanes)| {
            let period = period(&input.place);
            (input.place.at as usize + LANES * LANE_BYTES).saturating_sub(period).div_ceil(period)
        };
        let groups = made.chunk_by(|one, next| one.inputs.len() == next.inputs.len());
        let last = inputs(&made).iter().map(past).max().unwrap_or(0);
        Self { groups: groups.map(group).collect(), last }
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
