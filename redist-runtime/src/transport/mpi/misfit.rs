//! Arrays and arguments that do not fit, as numbers that other ranks read: a sort and two numbers.

use crate::error::{Error, Name, ShortName, WrongArgument};
use crate::plan::Side;

/// The first sort of these. Sorts are even for sources, and odd for destinations.
const FIRST: u32 = 16;
/// Sorts of an error, in the low bits of a word; the dimension is in the bits above.
const SORT_BITS: u32 = 8;

const EXTENT: u32 = FIRST;
const STRIDE: u32 = FIRST + 2;
const DIMENSIONS: u32 = FIRST + 4;
const NULL: u32 = FIRST + 6;
const LENGTH: u32 = FIRST + 8;
const OVERLAP: u32 = FIRST + 10;
const ELEMENT: u32 = FIRST + 12;
const TYPE: u32 = FIRST + 14;
const NO_ARRAY: u32 = FIRST + 16;
const READ_ONLY: u32 = FIRST + 18;
const MASKED: u32 = FIRST + 20;
const PART_STRIDES: u32 = FIRST + 22;

/// Returns the numbers of an error; `None` for one of another sort.
pub(super) fn numbers(error: &Error) -> Option<(u32, [usize; 2])> {
    Some(match error {
        Error::ArrayShape { side, shape, strides, found_shape, found_strides, .. } => {
            let (sort, numbers) = difference([shape, found_shape], strides, found_strides);
            (sort + *side as u32, numbers)
        }
        Error::Argument { argument, .. } => match *argument {
            WrongArgument::Null { side, elements } => (NULL + side as u32, [elements, 0]),
            WrongArgument::Length { side, length } => (LENGTH + side as u32, [length as usize, 0]),
            WrongArgument::Overlap => (OVERLAP, [0; 2]),
            WrongArgument::Element { brought, bound } => {
                (ELEMENT, [brought, bound].map(|name| name.number() as usize))
            }
            WrongArgument::Type { side, brought } => (TYPE + side as u32, name(brought)),
            WrongArgument::NoArray { side, class } => (NO_ARRAY + side as u32, name(class)),
            WrongArgument::ReadOnly { side } => (READ_ONLY + side as u32, [0; 2]),
            WrongArgument::Masked { side } => (MASKED + side as u32, [0; 2]),
            WrongArgument::PartStrides { side } => (PART_STRIDES + side as u32, [0; 2]),
        },
        _ => return None,
    })
}

fn name(name: Name) -> [usize; 2] {
    name.numbers().map(|number| number as usize)
}

/// Returns the first difference: what must be, and what was found.
fn difference(
    [shape, found_shape]: [&Vec<usize>; 2],
    strides: &[usize],
    found_strides: &[isize],
) -> (u32, [usize; 2]) {
    if shape.len() != found_shape.len() {
        return (DIMENSIONS, [shape.len(), found_shape.len()]);
    }
    let along = |sort: u32, dimension: usize| sort | (dimension as u32) << SORT_BITS;
    let extents = shape.iter().zip(found_shape);
    if let Some(at) = extents.clone().position(|(must, found)| must != found) {
        return (along(EXTENT, at), [shape[at], found_shape[at]]);
    }
    // A single index never uses its stride.
    let mut axes = shape.iter().zip(strides.iter().zip(found_strides));
    let differs = |(extent, (must, found)): (&usize, (&usize, &isize))| {
        *extent > 1 && usize::try_from(*found) != Ok(*must)
    };
    match axes.position(differs) {
        Some(at) => (along(STRIDE, at), [strides[at], found_strides[at] as usize]),
        None => (DIMENSIONS, [shape.len(); 2]),
    }
}

/// Reads what [`numbers`] wrote.
pub(super) fn read(word: u32, [first, second]: [usize; 2]) -> Option<String> {
    let (sort, dimension) = (word & ((1 << SORT_BITS) - 1), word >> SORT_BITS);
    let side = if sort.is_multiple_of(2) { Side::Source } else { Side::Destination };
    let read_name = || Name::from_numbers([first as u64, second as u64]);
    let argument = match sort & !1 {
        EXTENT => {
            return Some(format!(
                "the {side} array has {} along dimension {dimension}, but must have {first}",
                counted(second, "element")
            ));
        }
        STRIDE => {
            let found = second as isize;
            return Some(format!(
                "the {side} array has the stride {found} along dimension {dimension}, but must have {first}"
            ));
        }
        DIMENSIONS => {
            return Some(format!(
                "the {side} array has {}, but must have {first}, each with the plan's extent",
                counted(second, "dimension")
            ));
        }
        NULL => WrongArgument::Null { side, elements: first },
        LENGTH => WrongArgument::Length { side, length: first as i64 },
        OVERLAP => WrongArgument::Overlap,
        ELEMENT => {
            let [brought, bound] = [first, second].map(|name| ShortName::from_number(name as u64));
            WrongArgument::Element { brought, bound }
        }
        TYPE => WrongArgument::Type { side, brought: read_name() },
        NO_ARRAY => WrongArgument::NoArray { side, class: read_name() },
        READ_ONLY => WrongArgument::ReadOnly { side },
        MASKED => WrongArgument::Masked { side },
        PART_STRIDES => WrongArgument::PartStrides { side },
        _ => return None,
    };
    Some(argument.to_string())
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}
