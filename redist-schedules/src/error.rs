//! Errors of methods that have no schedule for a plan.

use super::Method;
use redist_plan::layout::vocabulary::counted;
use redist_plan::plan::{Side, TooManyMessages};

/// Describes why a method has no schedule for a plan. Blocks are in elements. Dimensions are the
/// source's.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum ScheduleError {
    #[error(
        "{method}: dimension {dimension}: the {side} has {blocks}, which do not repeat; \
         use the König colouring or the caterpillar"
    )]
    GivenBlocks {
        method: Method,
        dimension: usize,
        side: Side,
        /// The kind of blocks, in words.
        blocks: &'static str,
    },
    #[error(
        "circulant: dimension {dimension}: neither of the blocks {from} and {to} is a multiple of the other; \
         use the closed form, the König colouring or the caterpillar"
    )]
    NotMultiples { dimension: usize, from: usize, to: usize },
    #[error(
        "{method}: dimension {dimension}: the sections begin {} into a block of the source and {to} into one of the \
         destination, which do not agree modulo {common}, so that block boundaries never meet; \
         use the König colouring or the caterpillar",
        counted(*from, "element")
    )]
    NotAligned { method: Method, dimension: usize, from: usize, to: usize, common: usize },
    #[error(
        "closed form: dimension {dimension}: the factors gs = {gs} and gt = {gt} are both greater than 1; \
         use the König colouring or the caterpillar"
    )]
    NoClosedForm {
        dimension: usize,
        /// gcd of the reduced source block and the reduced common divisor of the rounds.
        gs: usize,
        /// The same of the destination block.
        gt: usize,
    },
    #[error(
        "closed form: dimension {dimension}: {classes} classes of messages, more than the {limit} that are sorted; \
         use the König colouring or the caterpillar"
    )]
    TooManyClasses { dimension: usize, classes: usize, limit: usize },
    #[error(
        "the graph of messages has up to {messages} edges, more than the {limit} that are looked at; \
         use a closed form or the caterpillar"
    )]
    TooManyMessages { messages: usize, limit: usize },
    #[error(
        "König colouring: {ranks} ranks in {steps} steps need a larger table than {limit} entries; \
         use a closed form or the caterpillar"
    )]
    TooManyColours { ranks: usize, steps: usize, limit: usize },
    #[error("{method}: not worked out: the {best} schedule reaches both lower bounds already")]
    NotNeeded { method: Method, best: Method },
}

redist_plan::debug_in_words!(ScheduleError);

impl From<TooManyMessages> for ScheduleError {
    fn from(TooManyMessages { messages, limit, .. }: TooManyMessages) -> Self {
        Self::TooManyMessages { messages, limit }
    }
}
