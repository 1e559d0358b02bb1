use redist_plan::layout::vocabulary::{WHOLE, counted};
use redist_plan::layout::{BlockCyclicError, LayoutError};
use redist_plan::plan::Side;
use syn::Ident;

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
    format!(
        "{array} has more than {} elements; use smaller extents",
        redist_plan::layout::MAX_EXTENT
    )
}

pub fn distribution_count(which: Side, dimensions: usize, found: usize) -> String {
    format!(
        "the array has {}, but the {which} layout has {}; give one of `*`, `block` or `cyclic(size)` for each extent",
        counted(dimensions, "extent"),
        counted(found, "distribution")
    )
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
pub fn in_layout(which: Side, error: LayoutError) -> String {
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
