use super::Method;
use crate::layout::vocabulary::counted;
use crate::plan::Side;

/// Describes why a method has no schedule for a plan. Blocks are in elements, dimensions those of
/// the source. [`Method::Caterpillar`] and [`Method::AllAtOnce`] apply to every plan.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs)]
#[non_exhaustive]
pub enum ScheduleError {
    /// The closed forms need blocks of one size.
    #[error(
        "{method}: dimension {dimension}: the {side} has {}, which do not repeat; \
         use the König colouring or the caterpillar",
        blocks_or_rows(*are_rows)
    )]
    GivenBlocks {
        method: Method,
        dimension: usize,
        side: Side,
        /// These are rows, or parts of rows, instead of the blocks of a `gen_block`.
        are_rows: bool,
    },
    /// The circulant schedule is for x → kx and kx → x.
    #[error(
        "circulant: dimension {dimension}: neither of the blocks {from} and {to} is a multiple of the other; \
         use the closed form, the König colouring or the caterpillar"
    )]
    NotMultiples { dimension: usize, from: usize, to: usize },
    /// The section begins so that no two block boundaries of the sides ever meet.
    #[error(
        "{method}: dimension {dimension}: the sections begin {} into a block of the source and {to} into one of the \
         destination, which do not agree modulo {common}, so that block boundaries never meet; \
         use the König colouring or the caterpillar",
        counted(*from, "element")
    )]
    NotAligned {
        method: Method,
        dimension: usize,
        /// The offset in a source block at which the section begins.
        from: usize,
        /// The offset in a destination block at which it begins.
        to: usize,
        /// The greatest common divisor of the blocks.
        common: usize,
    },
    /// The general closed form exists if one of two factors is 1.
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
    /// The set-up of the general closed form looks at each class of messages once.
    #[error(
        "closed form: dimension {dimension}: {classes} classes of messages, more than the {limit} that are sorted; \
         use the König colouring or the caterpillar"
    )]
    TooManyClasses {
        dimension: usize,
        classes: usize,
        /// The most that are sorted.
        limit: usize,
    },
    /// The graph of messages is not built.
    #[error(
        "the graph of messages has up to {messages} edges, more than the {limit} that are looked at; \
         use a closed form or the caterpillar"
    )]
    TooManyMessages {
        messages: usize,
        /// The most that are looked at.
        limit: usize,
    },
    /// The table of colours, one for each rank of either side and each step, would be too large.
    #[error(
        "König colouring: {ranks} ranks in {steps} steps need a larger table than {limit} entries; \
         use a closed form or the caterpillar"
    )]
    TooManyColours {
        ranks: usize,
        /// The most messages of any rank.
        steps: usize,
        /// The most entries of the table.
        limit: usize,
    },
    /// Another method has been found to be as good as any can be.
    #[error("{method}: not worked out: the {best} schedule reaches both lower bounds already")]
    NotNeeded {
        method: Method,
        /// The one that cannot be beaten.
        best: Method,
    },
}

fn blocks_or_rows(are_rows: bool) -> &'static str {
    if are_rows {
        "rows of given lengths (`rows`, `points`)"
    } else {
        "the blocks of a `gen_block`"
    }
}

debug_in_words!(ScheduleError);
