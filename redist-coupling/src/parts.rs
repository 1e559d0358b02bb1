//! Which parts of one array the programs of a launch hold and want: told as bytes, read without
//! trust, and checked against each other.

#[cfg(test)]
mod tests;

use crate::greeting::{self, Place, common};
use core::ops::Range;
use redist_plan::layout::{Layout, MAX_RANKS};
use redist_plan::plan::Side;
use redist_runtime::exec::PartsError;
use redist_runtime::transport::wire::WireError;

/// Where a program's part of an array lies in that, in elements of the whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayPart<const D: usize> {
    /// The index of the whole array at which the part begins.
    pub at: [usize; D],
    /// Extents of the part.
    pub extents: [usize; D],
}

/// What the parts of two programs have in common, and how either stores it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CommonPart<const D: usize> {
    /// Where it lies in the whole array.
    pub part: ArrayPart<D>,
    /// The source's layout of it, as a section of the source's part.
    pub from: Layout<D>,
    /// The destination's layout of it, as a section of the destination's part.
    pub to: Layout<D>,
}

/// What a program holds of an array that several programs have in parts, or wants of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramPart<const D: usize> {
    /// Whether it holds the part, or wants it.
    pub role: Side,
    /// Extents of the whole array.
    pub whole: [usize; D],
    /// The part.
    pub part: ArrayPart<D>,
    /// How the part is dealt to the program's ranks, which are numbered from 0.
    pub layout: Layout<D>,
}

/// What a program tells of itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<const D: usize> {
    /// What it holds or wants.
    pub part: ProgramPart<D>,
    /// Number of its ranks.
    pub ranks: usize,
    /// Its element type, in words that are different for different types.
    pub element: String,
}

/// A claim as bytes: the part, and one more line for each of the rest.
pub fn written<const D: usize>(claim: &Claim<D>) -> String {
    let Claim { part: ProgramPart { role, whole, part, layout }, ranks, element } = claim;
    let role = usize::from(*role == Side::Destination);
    let place = greeting::written_place(&(part.at, part.extents));
    format!("{place}\n{whole:?}\n{layout}\n[{role}, {ranks}]\n{element}")
}

/// What those say.
///
/// # Errors
/// They are of another version, or none; or not of `D` dimensions.
pub fn read<const D: usize>(bytes: &[u8]) -> Result<Claim<D>, WireError> {
    let malformed = |text: &str| WireError::Malformed(text.into());
    let text = str::from_utf8(bytes).map_err(|_| malformed("it is no text"))?;
    let mut lines = text.splitn(7, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let place = [next(), next(), next()].join("\n");
    let (at, extents) = greeting::read_place(place.as_bytes())?;
    let whole = greeting::read_list(next())?;
    let layout = greeting::read_layout(next())?;
    let [role, ranks] = greeting::read_list(next())?;
    if ranks > MAX_RANKS {
        return Err(malformed("it has more ranks than there can be"));
    }
    let role = match role {
        0 => Side::Source,
        1 => Side::Destination,
        _ => return Err(malformed("a program is a producer or a consumer")),
    };
    let part = ProgramPart { role, whole, part: ArrayPart { at, extents }, layout };
    Ok(Claim { part, ranks, element: next().to_owned() })
}

/// What a producer and a consumer have in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetPart<const D: usize> {
    /// The producer's number.
    pub producer: usize,
    /// The consumer's number.
    pub consumer: usize,
    /// The producer's number of ranks. They are the first of the pair's; the consumer's follow.
    pub producers: usize,
    /// Where it lies, and how either stores it, on the ranks of the pair.
    pub common: CommonPart<D>,
}

impl<const D: usize> MetPart<D> {
    fn of(
        (producer, held): (usize, &Claim<D>),
        (consumer, wanted): (usize, &Claim<D>),
    ) -> Option<Self> {
        let (producers, part) = (held.ranks, met(held.part.part, wanted.part.part)?);
        let section = |of: &ProgramPart<D>| {
            let at = core::array::from_fn(|dimension| part.at[dimension] - of.part.at[dimension]);
            of.layout.of(of.part.extents).at(at)
        };
        let (from, mut to) = (section(&held.part), section(&wanted.part));
        to.ranks = to.ranks.behind(producers);
        Some(Self { producer, consumer, producers, common: CommonPart { part, from, to } })
    }
}

/// All pairs of programs that have something in common, where parts make one array. Programs that
/// take no part are `None`.
///
/// # Errors
/// They do not: the same for the same claims, in whichever program.
pub fn settled<const D: usize>(claims: &[Option<Claim<D>>]) -> Result<Vec<MetPart<D>>, PartsError> {
    let all = || claims.iter().enumerate().filter_map(|(n, claim)| Some((n, claim.as_ref()?)));
    let Some((first, model)) = all().next() else { return Ok(Vec::new()) };
    for (program, claim) in all() {
        same_array((first, model), (program, claim))?;
        inside(program, &claim.part)?;
        own_layout(program, claim)?;
    }
    let of = |side| all().filter(move |(_, claim)| claim.part.role == side);
    let producers: Vec<_> = of(Side::Source).map(|(n, claim)| (n, claim.part.part)).collect();
    apart(&producers)?;
    let mut met_parts = Vec::new();
    for (consumer, claim) in of(Side::Destination) {
        let wanted = claim.part.part;
        if let Some(part) = missing(wanted, &producers) {
            let ranges = ranges(&part);
            return Err(PartsError::NotProduced { program: consumer, ranges });
        }
        let met = of(Side::Source).filter_map(|held| MetPart::of(held, (consumer, claim)));
        met_parts.extend(met);
    }
    Ok(met_parts)
}

/// The pairs by rounds, in each of which a program is in one pair at most: producers and consumers
/// are counted, and in round `r` producer `p` meets consumer `p + r`, around the larger count.
pub fn rounds<const D: usize>(met: &[MetPart<D>]) -> Vec<Vec<usize>> {
    let counted = |of: fn(&MetPart<D>) -> usize| {
        let mut programs: Vec<usize> = met.iter().map(of).collect();
        programs.sort_unstable();
        programs.dedup();
        programs
    };
    let (producers, consumers) = (counted(|met| met.producer), counted(|met| met.consumer));
    let mut rounds = vec![Vec::new(); producers.len().max(consumers.len())];
    let count = rounds.len();
    for (number, met) in met.iter().enumerate() {
        let producer = producers.partition_point(|&program| program < met.producer);
        let consumer = consumers.partition_point(|&program| program < met.consumer);
        rounds[(count + consumer - producer) % count].push(number);
    }
    rounds.retain(|round| !round.is_empty());
    rounds
}

fn same_array<const D: usize>(
    (first, model): (usize, &Claim<D>),
    (program, claim): (usize, &Claim<D>),
) -> Result<(), PartsError> {
    let programs = [first, program];
    let (ours, theirs) = (model.part.whole, claim.part.whole);
    if let Some(dimension) = (0..D).find(|&dimension| ours[dimension] != theirs[dimension]) {
        let extents = [ours[dimension], theirs[dimension]];
        return Err(PartsError::Extents { programs, dimension, extents });
    }
    match model.element == claim.element {
        true => Ok(()),
        false => {
            let elements = [model.element.clone(), claim.element.clone()];
            Err(PartsError::Elements { programs, elements })
        }
    }
}

fn inside<const D: usize>(program: usize, claim: &ProgramPart<D>) -> Result<(), PartsError> {
    let ArrayPart { at, extents } = claim.part;
    let fits = |d: usize| at[d].checked_add(extents[d]).is_some_and(|end| end <= claim.whole[d]);
    match (0..D).find(|&dimension| !fits(dimension)) {
        None => Ok(()),
        Some(dimension) => {
            let (range, extent) = (ranges(&claim.part)[dimension].clone(), claim.whole[dimension]);
            Err(PartsError::Outside { program, dimension, range, extent })
        }
    }
}

/// A layout is one of the whole part, on ranks of its program.
fn own_layout<const D: usize>(program: usize, claim: &Claim<D>) -> Result<(), PartsError> {
    let layout = &claim.part.layout;
    if layout.of.is_some() || !layout.axes.is_sorted() {
        let reason =
            format!("`{layout}` is not a layout of the whole part, with its axes in order");
        return Err(PartsError::Layout { program, reason });
    }
    let ranks = layout.grid.iter().try_fold(1usize, |ranks, &extent| ranks.checked_mul(extent));
    match ranks.and_then(|ranks| layout.ranks.end(ranks).ok()) {
        Some(end) if end <= claim.ranks => Ok(()),
        _ => {
            let reason = format!("its layout is `{layout}`, but it has ranks 0..{}", claim.ranks);
            Err(PartsError::Layout { program, reason })
        }
    }
}

/// No two producers hold the same element.
fn apart<const D: usize>(producers: &[(usize, ArrayPart<D>)]) -> Result<(), PartsError> {
    for (number, &(program, part)) in producers.iter().enumerate() {
        for &(other, held) in &producers[..number] {
            if let Some(both) = met(part, held) {
                let ranges = ranges(&both);
                return Err(PartsError::Overlap { programs: [other, program], ranges });
            }
        }
    }
    Ok(())
}

/// Some of `wanted` that none of the producers holds: what is left of it beside the first that
/// meets it falls into two boxes for each dimension, of which each is looked at by itself.
fn missing<const D: usize>(
    wanted: ArrayPart<D>,
    producers: &[(usize, ArrayPart<D>)],
) -> Option<ArrayPart<D>> {
    if wanted.extents.contains(&0) {
        return None;
    }
    let meets = |(at, &(_, held)): (usize, &(usize, ArrayPart<D>))| Some((at, met(held, wanted)?));
    let Some((at, both)) = producers.iter().enumerate().find_map(meets) else {
        return Some(wanted);
    };
    let (mut rest, others) = (wanted, &producers[at + 1..]);
    for dimension in 0..D {
        let (start, end) = (both.at[dimension], both.at[dimension] + both.extents[dimension]);
        let (mut before, mut after) = (rest, rest);
        before.extents[dimension] = start - rest.at[dimension];
        after.at[dimension] = end;
        after.extents[dimension] = rest.at[dimension] + rest.extents[dimension] - end;
        if let Some(part) = missing(before, others).or_else(|| missing(after, others)) {
            return Some(part);
        }
        (rest.at[dimension], rest.extents[dimension]) = (start, end - start);
    }
    None
}

/// What two parts have in common; `None` where that is nothing. Both are inside one array.
fn met<const D: usize>(a: ArrayPart<D>, b: ArrayPart<D>) -> Option<ArrayPart<D>> {
    let places: [Place<D>; 2] = [(a.at, a.extents), (b.at, b.extents)];
    let (at, extents) = common(places).ok()??;
    Some(ArrayPart { at, extents })
}

/// A part by dimension; what ends past the largest index ends at that.
fn ranges<const D: usize>(part: &ArrayPart<D>) -> Vec<Range<usize>> {
    let end = |(&at, &extent): (&usize, &usize)| at..at.saturating_add(extent);
    part.at.iter().zip(&part.extents).map(end).collect()
}
