use crate::program::{MAX_STEP_BYTES, MAX_STEP_PEERS, StepMoves};

/// Bytes of each stream in a step. A binary keeps these, and not the table that they are of.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shares {
    pub read: [usize; MAX_STEP_PEERS],
    pub reads: usize,
    pub written: [usize; MAX_STEP_PEERS],
    pub writes: usize,
}

impl Shares {
    pub const NONE: Self =
        Self { read: [0; MAX_STEP_PEERS], reads: 0, written: [0; MAX_STEP_PEERS], writes: 0 };

    pub const fn new(moves: &StepMoves, width: usize) -> Self {
        let (read, written) = (moves.read(), moves.written());
        let (reads, writes) = (read.len(), written.len());
        let (mut shares, mut stream) = (Self { reads, writes, ..Self::NONE }, 0);
        while stream < MAX_STEP_PEERS {
            if stream < reads {
                shares.read[stream] = read[stream] * width;
            }
            if stream < writes {
                shares.written[stream] = written[stream] * width;
            }
            stream += 1;
        }
        shares
    }
}

/// The shares of a step for copies, without its runs: a binary keeps all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopiedStep {
    pub shares: Shares,
    runs: [usize; MAX_STEP_PEERS],
}

impl CopiedStep {
    /// Returns no shares for moves that are missing, or too long to gain anything.
    pub const fn new(moves: &Option<StepMoves>, width: usize) -> Self {
        let mut step = Self { shares: Shares::NONE, runs: [0; MAX_STEP_PEERS] };
        let Some(moves) = moves else { return step };
        match moves.elements().checked_mul(width) {
            Some(1..=MAX_STEP_BYTES) => step.shares = Shares::new(moves, width),
            _ => return step,
        }
        let mut stream = 0;
        while stream < step.shares.writes {
            step.runs[stream] = moves.first(stream + 1) - moves.first(stream);
            stream += 1;
        }
        step
    }

    pub const fn count(&self, stream: usize) -> usize {
        self.runs[stream]
    }
}
