//! Words of broken rules.

use super::source_text;
use crate::ast::{Array, ParamKind, Requirement};
use core::fmt::Display;
use proc_macro2::TokenStream;
use redist_plan::layout::vocabulary::{WHOLE, counted, did_you_mean};
use redist_plan::layout::{BlockCyclicError, MAX_EXTENT};
use redist_plan::plan::{Axis, Side};
use redist_plan::program::{MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS};
use syn::{Ident, LitFloat, Type};

pub fn missing_side(which: Side, dimensions: usize) -> String {
    let (word, meaning) = match which {
        Side::Source => ("from", "the layout that the array has"),
        Side::Destination => ("to", "the layout that it gets"),
    };
    let example = match dimensions {
        1 => "cyclic(64) onto 4",
        2 => "(cyclic(64), cyclic(64)) onto (2, 2)",
        _ => "(cyclic(64), cyclic(64), ...) onto (2, 2, ...)",
    };
    format!("missing `{word}: ...`, {meaning}; for example `{word}: {example}`")
}

pub fn number_as_side(which: Side) -> String {
    format!("the {which} is a layout, such as `cyclic(64) onto 4`; this is a literal")
}

pub const NO_EXTENTS: &str = "the array needs at least one extent, as in `[f64; 1000]`";

pub fn too_many_elements(array: &str) -> String {
    format!("{array} has more than {MAX_EXTENT} elements; use smaller extents")
}

pub fn distribution_count(which: Side, dimensions: usize, found: usize) -> String {
    format!(
        "the array has {}, but the {which} layout has {}; give one of `*`, `block` or `cyclic(size)` for each extent",
        counted(dimensions, "extent"),
        counted(found, "distribution")
    )
}

/// Says how an array is written whose element is a row of it, as in Rust: `[[f64; 100]; 20]`.
pub fn array_of_arrays(array: &Array, wanted: usize) -> Option<String> {
    let mut extents: Vec<String> =
        array.extents.iter().map(|extent| source_text(&extent.expr)).collect();
    let mut element = &array.element;
    while let Type::Array(row) = element
        && extents.len() < wanted
    {
        extents.push(source_text(&row.len));
        element = &row.elem;
    }
    let is_it = extents.len() == wanted && extents.len() > array.extents.len();
    is_it.then(|| {
        let (row, element) = (source_text(&array.element), source_text(element));
        format!(
            "; an element is all of `{row}` here, so write every extent behind one `;`, as in `[{element}; {}]`",
            extents.join(", ")
        )
    })
}

pub fn missing_grid(which: Side, distributed: usize) -> String {
    let example = if distributed == 1 {
        "onto 4".into()
    } else {
        format!("onto ({})", vec!["2"; distributed].join(", "))
    };
    format!(
        "the {which} layout needs a process grid with {}; for example `{example}`",
        counted(distributed, "extent")
    )
}

pub fn grid_of_whole(which: Side) -> String {
    let use_of_it = match which {
        Side::Source => "that scatters the array from it",
        Side::Destination => "that gathers the array on it, and it can be broadcast from there",
    };
    format!("{WHOLE}; {use_of_it}")
}

pub fn grid_count(which: Side, distributed: usize, found: usize, dimensions: usize) -> String {
    let facts = format!(
        "the {which} layout distributes {}, but its grid has {}",
        counted(distributed, "dimension"),
        counted(found, "extent")
    );
    let mend = if found > distributed && distributed < dimensions {
        format!(
            "a `*` dimension takes no part of the grid, so give {}",
            counted(distributed, "extent")
        )
    } else if found > distributed {
        "give one for each distribution".into()
    } else {
        "give one for each, or write `*` where a dimension stays whole".into()
    };
    format!("{facts}; {mend}")
}

pub fn list_length(word: &str, expected: usize, found: usize) -> String {
    let of_what = match word {
        "first" => "distributed dimension",
        "axes" => "axis of the source",
        _ => "dimension",
    };
    format!(
        "`{word}` takes {}, one for each {of_what}, but has {found}",
        counted(expected, "number")
    )
}

pub fn too_many_ranks(which: Side) -> String {
    format!(
        "the {which} grid has more than 2^31 - 1 ranks, the most that MPI can number; use a smaller grid"
    )
}

pub fn ranks_too_high(which: Side) -> String {
    format!(
        "the ranks of the {which} reach past 2^31 - 1, the most that MPI can number; use lower ranks"
    )
}

pub fn ranks_and_grid(first: usize, end: usize, ranks: usize, grid: &str) -> String {
    format!(
        "`ranks {first}..{end}` has {}, but {grid} has {ranks}; write `ranks {first}..{}`",
        counted(end.saturating_sub(first), "rank"),
        first.saturating_add(ranks)
    )
}

pub fn rank_count(which: Side, listed: usize, cells: usize, grid: &str) -> String {
    format!(
        "`ranks` of the {which} lists {}, but {grid} has {}; list one rank for each",
        counted(listed, "rank"),
        counted(cells, "cell")
    )
}

pub const RELABEL_OF_OPEN: &str = "\
    `relabel` needs both layouts and the extents as integer literals, in at most 8 \
    dimensions: the best ranks depend on all of them; for others, call \
    `Plan::relabelled` at run time and give `to` as a value";

pub fn block_too_small(
    which: Side,
    dimension: usize,
    block: usize,
    ranks: usize,
    extent: usize,
) -> String {
    format!(
        "{which} dimension {dimension}: `block({block})` on {} holds {}, but the extent is {extent}; use \
         `block` (blocks of {}) or `cyclic({block})`",
        counted(ranks, "rank"),
        counted(block.saturating_mul(ranks), "element"),
        extent.div_ceil(ranks)
    )
}

/// Says a mistake in the numbers of a layout as the planner does.
pub fn in_layout(which: Side, error: impl Display) -> String {
    format!("{which} layout: {error}")
}

/// Says a mistake in the numbers of a dimension as the planner does.
pub fn in_dimension(which: Side, dimension: usize, error: BlockCyclicError) -> String {
    format!("{which} dimension {dimension}: {error}")
}

pub fn section_outside(
    which: Side,
    dimension: usize,
    start: usize,
    extent: usize,
    room: usize,
) -> String {
    let end = start.saturating_add(extent);
    let facts = format!(
        "{which} dimension {dimension}: the part {start}..{end} does not fit in the stored extent {room}"
    );
    match room.checked_sub(extent) {
        Some(last) => format!(
            "{facts}; it can begin at {last} at the latest, or `of` has to be {end} at least"
        ),
        None => format!("{facts}; `of` has to be {end} at least"),
    }
}

pub fn at_without_of(which: Side) -> String {
    format!(
        "`at` places the array in a larger stored one of the {which}; give the extents of that too: `of (...) at (...)`"
    )
}

pub fn permuted_source(word: &str) -> String {
    format!(
        "only `to` can be permuted: extents and axes are counted as the source has them; write `{word}` there"
    )
}

pub const TRANSPOSED_AND_AXES: &str =
    "`transposed` and `axes` both say the order of axes; keep one of them";

pub fn transposed_dimensions(dimensions: usize) -> String {
    let reversed: Vec<String> = (0..dimensions).rev().map(|axis| axis.to_string()).collect();
    let mend = if dimensions == 1 {
        "leave it out".into()
    } else {
        format!("write for example `axes ({})`", reversed.join(", "))
    };
    format!(
        "`transposed` swaps the axes of a matrix, but the array has {}; {mend}",
        counted(dimensions, "extent")
    )
}

pub fn not_a_permutation(dimensions: usize) -> String {
    let reversed: Vec<String> = (0..dimensions).rev().map(|axis| axis.to_string()).collect();
    format!(
        "`axes` gives each axis of the source its axis of the destination, so each of 0 to {} occurs once; for example \
         `axes ({})`",
        dimensions.saturating_sub(1),
        reversed.join(", ")
    )
}

pub fn incomplete(name: &Ident) -> String {
    format!(
        "`{name}` is incomplete in a way that `redistribute!` has no message for; please report this as a bug"
    )
}

pub fn too_small(role: impl Display, minimum: usize, found: usize) -> String {
    format!("{role} must be at least {minimum}, found {found}")
}

pub fn too_large(role: impl Display, found: impl Display) -> String {
    format!("{role} must be at most {MAX_EXTENT}, found {found}")
}

pub fn overflows(role: impl Display) -> String {
    format!("{role} must be at most {MAX_EXTENT}, but this comes to more")
}

pub fn negative(role: impl Display, found: impl Display) -> String {
    format!("{role} cannot be negative, found {found}")
}

pub fn divided_by_zero(role: impl Display) -> String {
    format!("{role} has a division by zero; divide by at least 1")
}

pub fn float(role: impl Display, found: &LitFloat) -> String {
    let message = format!("{role} must be an integer, found `{found}`");
    match found.base10_parse::<f64>() {
        Ok(value) if value < 1e15 => format!("{message}; write `{}`", value.trunc()),
        _ => message,
    }
}

pub fn not_a_number(role: impl Display, kind: &str) -> String {
    format!("{role} must be an integer, found {kind}; write a number, such as `64`")
}

pub fn suffix(role: impl Display, digits: &str, suffix: &str) -> String {
    format!("{role} is a `usize`; write `{digits}` without the suffix `{suffix}`")
}

pub fn not_a_literal(what: &str) -> String {
    format!(
        "{what} must be an integer literal: the macro needs it before constants are evaluated; write the number itself"
    )
}

pub fn unused_param(name: &Ident, kind: ParamKind) -> String {
    let example = match kind {
        ParamKind::Usize => format!("`cyclic({name})`"),
        ParamKind::Layout(_) => format!("`from: {name}`"),
    };
    format!("`{name}` is not used by the item; remove it, or use it, as in {example}")
}

pub fn undeclared(role: impl Display, name: &Ident, item: &Ident, params: &[&Ident]) -> String {
    let words: Vec<String> = params.iter().map(|param| param.to_string()).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match did_you_mean(&name.to_string(), &words) {
        Some(near) => {
            format!("{role} is `{name}`, which is no parameter of `{item}`; did you mean `{near}`?")
        }
        None => format!(
            "{role} is `{name}`, which is no parameter of `{item}`, and a local variable is not seen here; declare \
             `struct {item}({}{name}: usize)` and give `{item}::new` its value, or, for a constant, write `{{ {name} }}`",
            params.iter().map(|param| format!("{param}: …, ")).collect::<String>()
        ),
    }
}

pub fn param_and_generic(name: &Ident) -> String {
    format!("`{name}` is a parameter and a generic of the item; give one of them another name")
}

pub fn layout_as_size(role: impl Display, name: &Ident, dimensions: usize) -> String {
    format!(
        "{role} is a number, but the parameter `{name}` is declared as `Layout<{dimensions}>`; use one that is declared \
         as `usize`"
    )
}

pub fn number_param_as_side(which: Side, name: &Ident, dimensions: usize) -> String {
    let dimensions = dimensions.max(1);
    format!(
        "the {which} is a layout, but the parameter `{name}` is declared as `usize`; declare it as \
         `{name}: Layout<{dimensions}>`, or write a layout, such as `cyclic({name}) onto 4`"
    )
}

pub fn layout_dimensions(which: Side, name: &Ident, found: usize, dimensions: usize) -> String {
    format!(
        "the {which} is the parameter `{name}`, a layout of {}, but the array has {}; declare it as \
         `{name}: Layout<{dimensions}>`",
        counted(found, "dimension"),
        counted(dimensions, "extent")
    )
}

pub fn rows_param(dimensions: usize) -> String {
    format!(
        "the numbers of `rows` and `points` are put into the binary, so none can be a parameter; declare a parameter \
         of type `Layout<{dimensions}>` as the whole side and give `new` a layout with `Dist::rows(&lengths, ..)` or \
         `Dist::points(&lengths)`"
    )
}

pub fn gen_block_param(dimensions: usize) -> String {
    format!(
        "the sizes of `gen_block` are put into the binary, so none can be a parameter; declare a parameter of type \
         `Layout<{dimensions}>` as the whole side and give `new` a layout with `Dist::gen_block(&sizes)`"
    )
}

pub fn blocks_param(dimensions: usize) -> String {
    format!(
        "the cuts and owners of `blocks` are put into the binary, so none can be a parameter; declare a parameter of \
         type `Layout<{dimensions}>` as the whole side and give `new` a layout with `Dist::blocks(&cuts, &owners)`"
    )
}

pub fn split_param(dimensions: usize) -> String {
    format!(
        "the numbers of `split` are put into the binary, so none can be a parameter; declare a parameter of type \
         `Layout<{dimensions}>` as the whole side and give `new` a layout with `Dist::split(&factors)`"
    )
}

pub fn too_many_copied(which: Side, most: usize) -> String {
    format!("the copies of the {which} have more than {most} ranks in all; ask for fewer")
}

pub fn copies_too_high(which: Side) -> String {
    format!(
        "the copies of the {which} reach past rank 2^31 - 2, the highest of any communicator; ask for fewer, or use \
         lower ranks"
    )
}

pub fn axis_of_copies(which: Side) -> String {
    format!(
        "the axis that copies of the {which} are along has to be an integer literal, because it says how many axes the \
         grid has; write it as one"
    )
}

pub fn copies_overlap(which: Side, rank: usize) -> String {
    format!(
        "rank {rank} is in two copies of the {which}: each copy's ranks are those of the copy before it, each higher \
         by the number of ranks of the grid; list ranks for which that is free"
    )
}

pub fn clause_of_one_plan(clause: &str) -> String {
    format!(
        "`{clause}` is about one plan, but between copies there is one for each copy of the destination; remove it, \
         or leave `copies` out"
    )
}

pub fn unroll_too_large(most: usize) -> String {
    format!(
        "`unroll` can be at most {most}, the budget of one function; leave it out: then a loop walks longer windows"
    )
}

pub fn tables_too_large(most: usize) -> String {
    format!("`tables` can be at most {most} pieces; leave it out: then longer windows are streamed")
}

pub fn unroll_budget(window: &(usize, Axis), budget: usize, most: usize) -> String {
    let pieces = window.1.window_pieces();
    let mend =
        if pieces <= most { format!("write `unroll: {pieces}`, or leave") } else { "leave".into() };
    format!(
        "{}, more than `unroll: {budget}`; {mend} `unroll` out: then a loop walks it",
        described(window)
    )
}

pub fn nothing_to_unroll(window: &(usize, Axis)) -> String {
    format!(
        "{}, but no code can be written for it: a rank's pieces must repeat after at most \
         {MAX_STEP_ELEMENTS} elements in {MAX_STEP_RUNS} runs, for 2 to {MAX_STEP_PEERS} ranks; \
         leave `unroll` out",
        described(window)
    )
}

pub fn table_limit(window: &(usize, Axis), limit: usize, most: usize) -> String {
    let (facts, mend) = (described(window), longer_table(window, most));
    format!("{facts}, more than `tables: {limit}`; {mend} leave `tables` out: then it is streamed")
}

pub fn required_table(
    level: &TokenStream,
    window: &(usize, Axis),
    limit: usize,
    most: usize,
) -> String {
    let (facts, mend) = (described(window), longer_table(window, most));
    format!(
        "`require: {level}` is not met: {facts}, more than the {limit} of a table; {mend} leave `require` out: then it \
         is streamed"
    )
}

fn described((dimension, axis): &(usize, Axis)) -> String {
    let [source, destination] =
        [Side::Source, Side::Destination].map(|side| axis.side(side).block());
    let destination = counted(destination, "element");
    let pieces = counted(axis.window_pieces(), "piece");
    format!(
        "dimension {dimension}: the window of blocks of {source} and {destination} has {pieces}"
    )
}

fn longer_table((_, axis): &(usize, Axis), most: usize) -> String {
    let pieces = axis.window_pieces();
    let raise = if pieces <= most { format!("write `tables: {pieces}`, ") } else { String::new() };
    format!("{raise}choose block sizes with a larger common divisor, or")
}

pub fn required_blocks(level: &TokenStream, dimension: usize, reason: &str) -> String {
    format!(
        "`require: {level}` is not met: dimension {dimension} is planned at run time because {reason}; make it a \
         literal, a constant or a const generic, or leave `require` out"
    )
}

pub fn required_static(level: &TokenStream, dimension: usize, reason: &str) -> String {
    format!(
        "`require: {level}` is not met: in dimension {dimension} {reason}, which is given at run time; make it a \
         literal, a constant or a const generic, or write `require: tables`"
    )
}

pub fn expected_bound(figure: &str) -> String {
    match figure {
        "stays" => {
            "expected the least per cent of all elements, a whole number, as in `stays >= 25%`"
                .into()
        }
        "memory" => "expected the most bytes of a rank, as in `memory <= 64 MiB`".into(),
        _ => format!("expected the most {figure}, as in `{figure} <= 6`"),
    }
}

pub fn more_than_all(percent: usize) -> String {
    format!(
        "at most 100 % of the elements can stay, found {percent}; write `stays >= 100%`, or less"
    )
}

pub fn unknown_unit(unit: &str) -> String {
    format!("unknown unit `{unit}`; expected `B`, `KiB`, `MiB`, `GiB`, or nothing for bytes")
}

pub const TOO_MANY_BYTES: &str = "`memory` is more than a rank can have; use a smaller number";

fn unmet(requirement: &Requirement) -> String {
    let words = source_text(&requirement.tokens).replace(" %", "%");
    format!("`require: {words}` is not met")
}

pub fn figure_at_run_time(
    requirement: &Requirement,
    figure: &str,
    dimension: usize,
    reason: &str,
) -> String {
    format!(
        "{} while the crate is compiled: in dimension {dimension} {reason}, which is given at run \
         time; make it a literal, a constant or a const generic, or ask `plan().{figure}` of what \
         `new` returns",
        unmet(requirement)
    )
}

pub fn unrolled_and_left_out(requirement: &Requirement) -> String {
    format!("{}: `unroll: 0` leaves the code out; remove one of them", unmet(requirement))
}

pub fn not_unrolled(requirement: &Requirement, dimension: usize, reason: &str) -> String {
    format!(
        "{}: no code can be written for dimension {dimension}, along which messages are \
         contiguous: {reason}; leave `unrolled` out",
        unmet(requirement)
    )
}

pub fn no_steps(source: usize, destination: usize) -> String {
    format!(
        "with blocks of {source} and {}, a rank's pieces do not repeat after at most \
         {MAX_STEP_ELEMENTS} elements in {MAX_STEP_RUNS} runs, for 2 to {MAX_STEP_PEERS} ranks",
        counted(destination, "element")
    )
}
