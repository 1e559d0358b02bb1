use core::ops::Range;

/// Reasons why parts of several programs do not make one array. All programs find the same.
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PartsError {
    #[error(
        "program {program} takes part with something else than {dimensions} dimensions: {reason}"
    )]
    #[doc(hidden)]
    Unreadable { program: usize, dimensions: usize, reason: String },
    #[error(
        "dimension {dimension} of the whole array has {} elements in program {}, and {} in program {}; \
         all programs must say the same", extents[0], programs[0], extents[1], programs[1]
    )]
    #[doc(hidden)]
    Extents { programs: [usize; 2], dimension: usize, extents: [usize; 2] },
    #[error(
        "program {} moves elements of type {}, program {} of type {}; all programs must move the same",
        programs[0], elements[0], programs[1], elements[1]
    )]
    #[doc(hidden)]
    Elements { programs: [usize; 2], elements: [String; 2] },
    #[error(
        "the part of program {program} has {} of dimension {dimension}, which has {extent} elements",
        shown(range)
    )]
    #[doc(hidden)]
    Outside { program: usize, dimension: usize, range: Range<usize>, extent: usize },
    #[error(
        "programs {} and {} both hold {}; each element may have one producer", programs[0], programs[1], boxed(ranges)
    )]
    #[doc(hidden)]
    Overlap { programs: [usize; 2], ranges: Vec<Range<usize>> },
    #[error("program {program} wants {}, which no producer holds", boxed(ranges))]
    #[doc(hidden)]
    NotProduced { program: usize, ranges: Vec<Range<usize>> },
    #[error("program {program}: {reason}")]
    #[doc(hidden)]
    Layout { program: usize, reason: String },
}

redist_plan::debug_in_words!(PartsError);

fn shown(range: &Range<usize>) -> String {
    format!("elements {}..{}", range.start, range.end)
}

fn boxed(ranges: &[Range<usize>]) -> String {
    let of = |(dimension, range)| format!("{} of dimension {dimension}", shown(range));
    ranges.iter().enumerate().map(of).collect::<Vec<_>>().join(" and ")
}
