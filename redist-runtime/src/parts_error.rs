use core::ops::Range;

/// Reasons why parts of several programs do not make one array. All programs find the same.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    /// A program's part cannot be read: it has another number of dimensions, for one.
    #[error(
        "program {program} takes part with something else than {dimensions} dimensions: {reason}"
    )]
    #[doc(hidden)]
    Unreadable {
        /// The program.
        program: usize,
        /// Dimensions here.
        dimensions: usize,
        /// The fault.
        reason: String,
    },
    /// Programs say different extents of the whole array.
    #[error(
        "dimension {dimension} of the whole array has {} elements in program {}, and {} in program {}; \
         all programs must say the same", extents[0], programs[0], extents[1], programs[1]
    )]
    #[doc(hidden)]
    Extents {
        /// Two programs.
        programs: [usize; 2],
        /// The first dimension that differs.
        dimension: usize,
        /// The extent that each program says.
        extents: [usize; 2],
    },
    /// Programs move different element types.
    #[error(
        "program {} moves elements of type {}, program {} of type {}; all programs must move the same",
        programs[0], elements[0], programs[1], elements[1]
    )]
    #[doc(hidden)]
    Elements {
        /// Two programs.
        programs: [usize; 2],
        /// The type of either, with its bytes and its alignment.
        elements: [String; 2],
    },
    /// A part reaches out of the whole array.
    #[error(
        "the part of program {program} has {} of dimension {dimension}, which has {extent} elements",
        shown(range)
    )]
    #[doc(hidden)]
    Outside {
        /// The program.
        program: usize,
        /// The first such dimension.
        dimension: usize,
        /// The part's range in it, in elements of the whole.
        range: Range<usize>,
        /// The whole array's extent in it.
        extent: usize,
    },
    /// Two producers hold the same elements.
    #[error(
        "programs {} and {} both hold {}; each element may have one producer", programs[0], programs[1], boxed(ranges)
    )]
    #[doc(hidden)]
    Overlap {
        /// The producers.
        programs: [usize; 2],
        /// The elements that both hold, by dimension.
        ranges: Vec<Range<usize>>,
    },
    /// A consumer wants elements that no producer holds.
    #[error("program {program} wants {}, which no producer holds", boxed(ranges))]
    #[doc(hidden)]
    NotProduced {
        /// The consumer.
        program: usize,
        /// Some of these elements, by dimension.
        ranges: Vec<Range<usize>>,
    },
    /// A program's layout is not one of its part on its own ranks.
    #[error("program {program}: {reason}")]
    #[doc(hidden)]
    Layout {
        /// The program.
        program: usize,
        /// The fault.
        reason: String,
    },
}

redist_plan::debug_in_words!(PartsError);

fn shown(range: &Range<usize>) -> String {
    format!("elements {}..{}", range.start, range.end)
}

fn boxed(ranges: &[Range<usize>]) -> String {
    let of = |(dimension, range)| format!("{} of dimension {dimension}", shown(range));
    ranges.iter().enumerate().map(of).collect::<Vec<_>>().join(" and ")
}
