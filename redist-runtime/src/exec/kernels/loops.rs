//! Loops of an item's text, joined with the steps that they copy.

use super::{CodeStep, Exchange, ExchangeCode, Pack, StepCode, StepKernel, StepLoop, Unpack};
use crate::exec::Kernels;
use crate::program::{BlocksAndRanks, LoopStep, StepMoves};
use std::sync::OnceLock;

/// An item's loops over steps. The first call finds their steps, so that compilers evaluate none.
#[derive(Debug)]
pub struct Loops {
    blocks: BlocksAndRanks,
    /// Bytes of an element.
    width: usize,
    /// Loops that pack, by cycle; none for a cycle that other copies serve as fast.
    pack: &'static [Option<Pack>],
    /// Loops that unpack, likewise.
    unpack: &'static [Option<Unpack>],
    /// The loop between the local arrays of all ranks.
    exchange: Option<Exchange>,
    steps: OnceLock<LoopSteps>,
    code: OnceLock<LoopCode>,
}

/// The steps that loops copy.
#[derive(Debug)]
struct LoopSteps {
    pack: Vec<Option<SharedStep>>,
    unpack: Vec<Option<SharedStep>>,
    exchange: Option<LoopShares>,
}

/// One step of packing or unpacking.
#[derive(Debug)]
struct SharedStep {
    step: LoopStep,
    shares: LoopShares,
}

/// Bytes of a step in each stream.
#[derive(Debug)]
struct LoopShares {
    /// Bytes of each stream that is read.
    read: Vec<usize>,
    /// Bytes of each stream that is written.
    written: Vec<usize>,
}

/// Code that binding looks up.
#[derive(Debug)]
struct LoopCode {
    pack: Vec<StepCode>,
    unpack: Vec<StepCode>,
    exchange: Option<ExchangeCode>,
}

impl SharedStep {
    fn new(step: LoopStep, packs: bool, width: usize) -> Self {
        let shares = match &step {
            LoopStep::Stated(step) => LoopShares::new(&step.moves(packs), width),
            LoopStep::Rolled(step) => {
                let messages = step.shares().iter().map(|share| share * width).collect();
                let local = vec![step.elements() * width];
                let (read, written) = if packs { (local, messages) } else { (messages, local) };
                LoopShares { read, written }
            }
        };
        Self { step, shares }
    }

    fn runs(&'static self) -> CodeStep {
        match &self.step {
            LoopStep::Stated(step) => CodeStep::Stated(step),
            LoopStep::Rolled(step) => CodeStep::Rolled(step),
        }
    }
}

impl LoopShares {
    fn new(moves: &StepMoves, width: usize) -> Self {
        let bytes = |shares: &[usize]| shares.iter().map(|share| share * width).collect();
        Self { read: bytes(moves.read()), written: bytes(moves.written()) }
    }

    fn kernel(&'static self, code: StepLoop) -> StepKernel {
        StepKernel::of_text(&self.read, &self.written, code)
    }
}

impl Loops {
    /// Joins loops with the blocks of their dimension, from the source's side.
    pub const fn new(
        blocks: BlocksAndRanks,
        width: usize,
        pack: &'static [Option<Pack>],
        unpack: &'static [Option<Unpack>],
        exchange: Option<Exchange>,
    ) -> Self {
        Self {
            blocks,
            width,
            pack,
            unpack,
            exchange,
            steps: OnceLock::new(),
            code: OnceLock::new(),
        }
    }

    /// Adds the loops to code that the library writes by constants.
    pub(in crate::exec) fn beside(&'static self, other: Kernels) -> Kernels {
        let steps = self.steps.get_or_init(|| self.steps());
        let LoopCode { pack, unpack, exchange } = self.code.get_or_init(|| self.code(steps));
        let chosen = |own: &'static [StepCode], other| if own.is_empty() { other } else { own };
        Kernels {
            pack: chosen(pack, other.pack),
            unpack: chosen(unpack, other.unpack),
            exchange: exchange.as_ref().or(other.exchange),
            ..other
        }
    }

    fn steps(&self) -> LoopSteps {
        let Self { blocks, width, .. } = *self;
        let steps = |own: BlocksAndRanks, packs| {
            let shared = |step| SharedStep::new(step, packs, width);
            own.loop_steps(packs, width).into_iter().map(|step| step.map(shared)).collect()
        };
        let exchange = self.exchange.and(blocks.exchange());
        LoopSteps {
            pack: steps(blocks, true),
            unpack: steps(blocks.turned(), false),
            exchange: exchange.map(|moves| LoopShares::new(&moves, width)),
        }
    }

    fn code(&self, steps: &'static LoopSteps) -> LoopCode {
        let Self { blocks, width, .. } = *self;
        let code = |step: &'static Option<SharedStep>, code: Option<StepLoop>| {
            let (Some(step), Some(code)) = (step, code) else { return StepCode::NONE };
            let kernels = [Some(step.shares.kernel(code)), None, None, None, None];
            StepCode { step: Some(step.runs()), kernels, width, always: false }
        };
        let pack = steps.pack.iter().zip(self.pack);
        let unpack = steps.unpack.iter().zip(self.unpack);
        let exchange = steps.exchange.as_ref().zip(self.exchange).map(|(shares, exchange)| {
            let kernel = shares.kernel(StepLoop::Exchange(exchange));
            ExchangeCode { blocks, kernels: [Some(kernel), None, None, None, None], width }
        });
        LoopCode {
            pack: pack.map(|(step, pack)| code(step, pack.map(StepLoop::Pack))).collect(),
            unpack: unpack.map(|(step, unpack)| code(step, unpack.map(StepLoop::Unpack))).collect(),
            exchange,
        }
    }
}

#[cfg(test)]
mod tests;
