//! The vectors of a pattern: what is read, what is written, and by which functions.

/// Bytes of a lane, and lanes of a vector.
pub(super) const LANE_BYTES: usize = 4;
pub(super) const LANES: usize = 16;

/// Largest number of inputs of an output: as many permutations as fit the registers.
pub(super) const MAX_INPUTS: usize = 10;

/// Periods that are copied together.
pub(super) const PERIODS_TOGETHER: usize = 8;

/// Largest number of inputs of an output that are prefetched: more are mostly lines that other
/// outputs prefetch.
pub(super) const MAX_FETCHED_INPUTS: usize = 5;

/// A vector of a message or, where its peer does not matter, of the local array, in bytes from the
/// start of the period or of the share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct VectorPlace {
    pub peer: u32,
    pub at: u32,
}

/// A vector that is written, and a mask of the lanes that are.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    pub place: VectorPlace,
    pub mask: u16,
}

/// A vector that is read, and a mask of the lanes that are used; no others need to exist.
#[derive(Clone, Copy, Debug)]
pub(super) struct Input {
    pub place: VectorPlace,
    pub mask: u16,
}

/// For each lane of an output, its own number to keep it, or the number of lanes plus that of the
/// input's lane.
#[repr(align(64))]
#[derive(Clone, Copy, Debug)]
pub(super) struct Lanes(pub [u32; LANES]);

/// Outputs with one number of inputs, in one period.
pub(super) struct OutputGroup<'a> {
    pub outputs: &'a [Output],
    /// The inputs of all outputs, one after the other, and the lanes that each adds.
    pub inputs: &'a [Input],
    pub lanes: &'a [Lanes],
}

/// Where the current period begins in what is read and in what is written, and the distance to the
/// next one: for each peer or, on the side of the local array, once.
pub(super) struct Sides<'a> {
    pub from: &'a [*mut u8],
    pub from_steps: &'a [usize],
    pub to: &'a [*mut u8],
    pub to_steps: &'a [usize],
}

/// Writes the outputs of a group, whose number of inputs the function was made for, in one or
/// several periods.
///
/// # Safety
/// In each period, the vectors of all inputs may be read (if the function is one for edges, their
/// lanes in the masks), and the lanes of the outputs in their masks may be written; the processor
/// has the function's instructions.
pub(super) type PermuteFn = unsafe fn(OutputGroup<'_>, &Sides<'_>);

/// The functions for all numbers of inputs.
pub(super) struct Functions {
    /// One period, up to the ends of everything.
    pub edge: [PermuteFn; MAX_INPUTS],
    /// `PERIODS_TOGETHER` periods.
    pub inner: [PermuteFn; MAX_INPUTS],
}
