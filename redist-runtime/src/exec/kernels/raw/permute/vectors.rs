pub(super) const LANE_BYTES: usize = 4;
pub(super) const LANES: usize = 16;

/// Most inputs of an output: as many permutations as fit the registers.
pub(super) const MAX_INPUTS: usize = 10;

pub(super) const PERIODS_TOGETHER: usize = 8;

/// Most inputs prefetched per output: further ones are mostly lines that other outputs prefetch.
pub(super) const MAX_FETCHED_INPUTS: usize = 5;

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

/// Start of the current period and distance to the next: for each peer, or the local array.
pub(super) struct Sides<'a> {
    pub from: &'a [*mut u8],
    pub from_steps: &'a [usize],
    pub to: &'a [*mut u8],
    pub to_steps: &'a [usize],
}

/// Writes a group's outputs, of the function's number of inputs, period by period.
///
/// # Safety
/// Each period's input vectors may be read; for edges, their masked lanes. The masked lanes of the
/// outputs may be written. The processor has the function's instructions.
pub(super) type PermuteFn = unsafe fn(&OutputGroup, &Sides<'_>);

pub(super) struct Functions {
    /// One period, up to the ends of everything.
    pub edge: [PermuteFn; MAX_INPUTS],
    pub inner: [PermuteFn; MAX_INPUTS],
}
