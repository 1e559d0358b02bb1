//! Rules about numbers that the macro knows.

use super::copies;
use crate::ast::{Array, LayoutAst};
use crate::diagnostic::{Diagnostics, message};
use crate::planned;
use crate::resolve;
use crate::size::{DistSpec, FactorKind, RanksSpec, RowsKind, Size, Value};
use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use redist_plan::layout::{
    BlockCyclicError, Dist, LayoutError, MAX_EXTENT, MAX_PARTS_OF_ROWS, MAX_RANKS,
};
use redist_plan::plan::Side;
use std::collections::BTreeMap;

pub fn layout(layout: &LayoutAst, which: Side, array: &Array, diagnostics: &mut Diagnostics) {
    let ranks = grid_size(layout, which, diagnostics);
    if let Some(ranks) = ranks {
        rank_range(layout, which, ranks, diagnostics);
        copies::ranks(layout, which, ranks, diagnostics);
    }
    copies::along(layout, which, diagnostics);
    rank_map(layout, which, ranks, diagnostics);
    first_blocks(layout, which, diagnostics);
    let Some(moved) = moved_extents(layout, array) else {
        return;
    };
    sections(layout, which, &moved, diagnostics);
    let stored = stored_extents(layout, &moved);
    distributions(layout, which, &stored, diagnostics);
    if let Some(of) = &layout.of {
        elements(&of.values, "the stored array", diagnostics);
    }
}

pub fn elements(extents: &[Size], array: &str, diagnostics: &mut Diagnostics) {
    let literals = Size::literals(extents).filter(|literals| !literals.contains(&0));
    let Some(literals) = literals else { return };
    if literals.iter().fold(1usize, |elements, extent| elements.saturating_mul(*extent))
        > MAX_EXTENT
    {
        let expressions = extents.iter().map(|extent| &extent.expr);
        diagnostics.error(quote!(#(#expressions),*), message::too_many_elements(array));
    }
}

fn grid_size(layout: &LayoutAst, which: Side, diagnostics: &mut Diagnostics) -> Option<usize> {
    if layout.grid.is_none() && layout.distributed().is_empty() {
        // All of the array is on one rank, which no grid has to say.
        return Some(1);
    }
    let grid =
        layout.grid.as_ref().filter(|grid| grid.values.len() == layout.distributed().len())?;
    let ranks = Size::literals(&grid.values)?.into_iter().fold(1, usize::saturating_mul);
    if ranks > MAX_RANKS {
        diagnostics.error(&grid.tokens, message::too_many_ranks(which));
        return None;
    }
    Some(ranks)
}

fn rank_range(layout: &LayoutAst, which: Side, ranks: usize, diagnostics: &mut Diagnostics) {
    let Some((tokens, RanksSpec::Range { first, end })) = &layout.ranks else { return };
    let Some(first) = first.literal() else { return };
    if first.saturating_add(ranks) > MAX_RANKS {
        diagnostics.error(tokens, message::ranks_too_high(which));
        return;
    }
    if let Some(end) = end.as_ref().and_then(Size::literal)
        && end != first + ranks
    {
        diagnostics.error(tokens, message::ranks_and_grid(first, end, ranks, &grid_text(layout)));
    }
}

fn rank_map(layout: &LayoutAst, which: Side, cells: Option<usize>, diagnostics: &mut Diagnostics) {
    let Some((tokens, RanksSpec::Map(list))) = &layout.ranks else { return };
    let mut places = BTreeMap::new();
    for (place, rank) in list.iter().enumerate() {
        let Some(number) = rank.literal() else { continue };
        if number >= MAX_RANKS {
            let error = LayoutError::RankTooHigh { rank: number, place };
            diagnostics.error(&rank.expr, message::in_layout(which, error));
        } else if let Some(first) = places.insert(number, place) {
            let error = LayoutError::RankTwice { rank: number, first, second: place };
            diagnostics.error(&rank.expr, message::in_layout(which, error));
            places.insert(number, first);
        }
    }
    if let Some(cells) = cells.filter(|cells| *cells != list.len()) {
        let grid = grid_text(layout);
        diagnostics.error(tokens, message::rank_count(which, list.len(), cells, &grid));
    }
}

fn grid_text(layout: &LayoutAst) -> String {
    let extents = layout.grid.iter().flat_map(|grid| &grid.values).filter_map(Size::literal);
    let extents: Vec<String> = extents.map(|extent| extent.to_string()).collect();
    if extents.len() < 2 {
        "the grid".into()
    } else {
        format!("the grid of {}", extents.join(" x "))
    }
}

fn first_blocks(layout: &LayoutAst, which: Side, diagnostics: &mut Diagnostics) {
    let (grid, first) = (layout.spread(&layout.grid), layout.spread(&layout.first));
    for (dimension, (grid, first)) in grid.into_iter().zip(first).enumerate() {
        if let (Some(grid), Some(first)) = (grid, first)
            && let (Some(extent), Some(coordinate)) = (grid.literal(), first.literal())
            && coordinate >= extent
        {
            let error = BlockCyclicError::FirstOutsideGrid { first: coordinate, ranks: extent };
            diagnostics.error(&first.expr, message::in_dimension(which, dimension, error));
        }
    }
}

fn moved_extents(layout: &LayoutAst, array: &Array) -> Option<Vec<Option<usize>>> {
    let dimensions = array.extents.len();
    let axes = resolve::axes(layout, dimensions).filter(|_| layout.dists.len() == dimensions)?;
    let mut extents = vec![None; dimensions];
    for (extent, axis) in array.extents.iter().zip(axes) {
        extents[axis] = extent.literal();
    }
    Some(extents)
}

fn stored_extents(layout: &LayoutAst, moved: &[Option<usize>]) -> Vec<Option<usize>> {
    match &layout.of {
        Some(of) if of.values.len() == moved.len() => of.values.iter().map(Size::literal).collect(),
        // The list has its own message.
        Some(_) => vec![None; moved.len()],
        None => moved.to_vec(),
    }
}

fn distributions(
    layout: &LayoutAst,
    which: Side,
    stored: &[Option<usize>],
    diagnostics: &mut Diagnostics,
) {
    let grid = layout.spread(&layout.grid);
    for (dimension, dist) in layout.dists.iter().enumerate() {
        let (ranks, extent) = (grid[dimension].and_then(Size::literal), stored[dimension]);
        if let (Some(DistSpec::BlockOf(size)), Some(ranks), Some(extent)) =
            (&dist.kind, ranks, extent)
            && let Some(block) = size.literal()
            && block.saturating_mul(ranks) < extent
        {
            let message = message::block_too_small(which, dimension, block, ranks, extent);
            diagnostics.error(&size.expr, message);
        }
        let (sizes, param, faults): (_, fn(usize) -> String, _) = match &dist.kind {
            Some(DistSpec::GenBlock(sizes)) => {
                let fault =
                    given_blocks(sizes, ranks, extent).map(|fault| (dist.list.clone(), fault));
                (sizes, message::gen_block_param, fault.into_iter().collect())
            }
            Some(DistSpec::Listed(cuts, sizes)) => (
                sizes,
                message::blocks_param,
                listed(&dist.list, sizes.split_at(*cuts), ranks, extent),
            ),
            Some(DistSpec::Split(kinds, sizes)) => {
                let spec = dist.kind.as_ref().and_then(planned::dist);
                let faults = split(&dist.list, (kinds, sizes), spec, ranks.zip(extent));
                (sizes, message::split_param, faults)
            }
            Some(DistSpec::Rows(kind, sizes)) => {
                (sizes, message::rows_param, rows(&dist.list, (*kind, sizes), ranks, extent))
            }
            _ => continue,
        };
        for size in sizes.iter().filter(|size| size.value == Value::Parameter) {
            diagnostics.error(&size.expr, param(stored.len()));
        }
        for (at, fault) in faults {
            diagnostics.error(at, message::in_dimension(which, dimension, fault));
        }
    }
}

fn given_blocks(
    sizes: &[Size],
    ranks: Option<usize>,
    extent: Option<usize>,
) -> Option<BlockCyclicError> {
    if let Some(ranks) = ranks.filter(|ranks| *ranks != sizes.len()) {
        return Some(BlockCyclicError::WrongNumberOfSizes { sizes: sizes.len(), ranks });
    }
    let (sum, extent) = (sum(sizes)?, extent?);
    (sum != extent).then_some(BlockCyclicError::SizesMissExtent { sum, extent })
}
/// Returns the faults of cuts and owners, each with its place.
fn listed(
    list: &TokenStream,
    (cuts, owners): (&[Size], &[Size]),
    ranks: Option<usize>,
    extent: Option<usize>,
) -> Vec<(TokenStream, BlockCyclicError)> {
    let (mut faults, mut before) = (Vec::new(), Some(0));
    for (place, size) in cuts.iter().enumerate() {
        let cut = size.literal();
        let fault = match (cut, before, extent) {
            (Some(cut), Some(before), _) if cut < before => {
                BlockCyclicError::CutsFall { place, cut, before }
            }
            (Some(cut), _, Some(extent)) if cut > extent => {
                BlockCyclicError::CutOutside { place, cut, extent }
            }
            _ => {
                before = cut;
                continue;
            }
        };
        faults.push((size.expr.to_token_stream(), fault));
    }
    if owners.len() != cuts.len() + 1 {
        let (owners, parts) = (owners.len(), cuts.len() + 1);
        faults.push((list.clone(), BlockCyclicError::WrongNumberOfOwners { owners, parts }));
    }
    for (place, size) in owners.iter().enumerate() {
        if let (Some(owner), Some(ranks)) = (size.literal(), ranks)
            && owner >= ranks
        {
            let fault = BlockCyclicError::OwnerOutsideGrid { place, owner, ranks };
            faults.push((size.expr.to_token_stream(), fault));
        }
    }
    faults
}

/// Returns the faults of a list of rows, each with its place.
fn rows(
    list: &TokenStream,
    (kind, sizes): (RowsKind, &[Size]),
    ranks: Option<usize>,
    extent: Option<usize>,
) -> Vec<(TokenStream, BlockCyclicError)> {
    let (lengths, _, points) = kind.split(sizes);
    let (rows, mut faults) = (lengths.len(), Vec::new());
    if let (Some(sum), Some(extent)) = (sum(lengths), extent)
        && (sum != extent || lengths.is_empty())
    {
        faults.push((list.clone(), BlockCyclicError::RowsMissExtent { rows, sum, extent }));
    }
    let among = match kind {
        RowsKind::Points => ranks,
        RowsKind::Rows { .. } => points.and_then(Size::literal),
    };
    if let Some(points) = among.filter(|among| rows.saturating_mul(*among) > MAX_PARTS_OF_ROWS) {
        faults.push((list.clone(), BlockCyclicError::TooManyParts { rows, points }));
    }
    if let Some(place) = points
        && let (Some(points), Some(ranks)) = (place.literal(), ranks)
        && !ranks.is_multiple_of(points)
    {
        let fault = BlockCyclicError::PointsDoNotDivideRanks { points, ranks };
        faults.push((place.expr.to_token_stream(), fault));
    }
    faults
}

/// Returns the fault of factors whose numbers are all known, at the number that is at fault.
fn split(
    list: &TokenStream,
    (kinds, sizes): (&[FactorKind], &[Size]),
    dist: Option<Dist>,
    known: Option<(usize, usize)>,
) -> Vec<(TokenStream, BlockCyclicError)> {
    let Some((dist, (ranks, extent))) = dist.zip(known) else { return Vec::new() };
    let Err(error) = dist.deal(extent, ranks, 0) else { return Vec::new() };
    let factors = FactorKind::factors(kinds, sizes);
    let last = factors.iter().rev().find_map(|factor| factor.ranks);
    let blocks = factors.iter().filter_map(|factor| factor.block);
    let at = match error {
        BlockCyclicError::FactorOnRanks { place, .. } => factors[place].ranks,
        BlockCyclicError::FactorsOpen { place } => Some(factors[place].extent),
        BlockCyclicError::FactorRanks { .. } => last,
        BlockCyclicError::BlockTooSmall { block, .. } => {
            blocks.into_iter().find(|size| size.literal() == Some(block))
        }
        // Zeros have their own message.
        BlockCyclicError::ZeroBlock | BlockCyclicError::ZeroRanks => return Vec::new(),
        _ => None,
    };
    vec![(at.map_or_else(|| list.clone(), |size| size.expr.to_token_stream()), error)]
}

fn sum(sizes: &[Size]) -> Option<usize> {
    Size::literals(sizes).map(|sizes| sizes.into_iter().fold(0, usize::saturating_add))
}

fn sections(
    layout: &LayoutAst,
    which: Side,
    moved: &[Option<usize>],
    diagnostics: &mut Diagnostics,
) {
    let Some(of) = layout.of.as_ref().filter(|of| of.values.len() == moved.len()) else {
        return;
    };
    for (dimension, (extent, stored)) in moved.iter().zip(&of.values).enumerate() {
        let at = layout.at.as_ref().and_then(|at| at.values.get(dimension));
        let start = at.map_or(Some(0), Size::literal);
        if let (Some(extent), Some(room), Some(start)) = (*extent, stored.literal(), start)
            && start.checked_add(extent).is_none_or(|end| end > room)
        {
            let message = message::section_outside(which, dimension, start, extent, room);
            diagnostics.error(&at.unwrap_or(stored).expr, message);
        }
    }
}
