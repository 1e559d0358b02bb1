use crate::program::{MAX_STEP_BYTES, MAX_STEP_PEERS, StepMoves};

/// The shares of a step for copies, without its runs: a binary keeps all of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CopiedStep {
    pub read: [usize; MAX_STEP_PEERS],
    pub reads: usize,
    pub written: [usize; MAX_STEP_PEERS],
    pub writes: usize,
    runs: [usize; MAX_STEP_PEERS],
}

impl CopiedStep {
    /// Returns no shares for moves that are missing, or too long to gain anything.
    pub const fn new(moves: &Option<StepMoves>, width: usize) -> Self {
        let none = [0; MAX_STEP_PEERS];
        let mut step = Self { read: none, reads: 0, written: none, writes: 0, runs: none };
        let Some(moves) = moves else { return step };
        match moves.elements().checked_mul(width) {
            Some(1..=MAX_STEP_BYTES) => {}
            _ => return step,
        }
        (step.reads, step.writes) = (moves.read().len(), moves.written().len());
        let mut stream = 0;
        while stream < MAX_STEP_PEERS {
            if stream < step.reads {
                step.read[stream] = moves.read()[stream] * width;
            }
            if stream < step.writes {
                step.written[stream] = moves.written()[stream] * width;
                step.runs[stream] = moves.to(stream).len();
            }
            stream += 1;
        }
        step
    }

    pub const fn count(&self, stream: usize) -> usize {
        self.runs[stream]
    }
}
