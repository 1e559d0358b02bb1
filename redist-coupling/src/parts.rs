//! Parts of one array: read without trust, and checked against each other.

#[cfg(test)]
mod tests;

use crate::greeting;
use core::ops::Range;
use redist_plan::layout::{Layout, MAX_RANKS};
use redist_plan::plan::Side;
use redist_runtime::exec::PartsError;
use redist_runtime::transport::wire::WireError;

/// The place of a program's part in the whole array, in elements: see
/// [`JoinedParts`](crate::JoinedParts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrayPart<const D: usize> {
    /// The first index of the part in the whole array.
    pub at: [usize; D],
    /// Extents of the part.
    pub extents: [usize; D],
}

/// A part of an array that a program holds or wants: see [`JoinedParts`](crate::JoinedParts).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramPart<const D: usize> {
    /// The program holds the part, or wants it.
    pub role: Side,
    /// Extents of the whole array.
    pub whole: [usize; D],
    /// Place of the part in the whole array.
    pub part: ArrayPart<D>,
    /// Layout of the part on the program's ranks, which are numbered from 0.
    pub layout: Layout<D>,
}

/// One program's words about its part of the array.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim<const D: usize> {
    /// The part that it holds or wants.
    pub part: ProgramPart<D>,
    /// Ranks of the program.
    pub ranks: usize,
    /// Its element type, in words that differ for different types.
    pub element: String,
}

pub fn written<const D: usize>(claim: &Claim<D>) -> String {
    let Claim { part: ProgramPart { role, whole, part, layout }, ranks, element } = claim;
    let (ArrayPart { at, extents }, role) = (part, *role as usize);
    let places = format!("{at:?}\n{extents:?}\n{whole:?}");
    greeting::of_this_version(&format!("{places}\n{layout}\n[{role}, {ranks}]\n{element}"))
}

pub fn read<const D: usize>(bytes: &[u8]) -> Result<Claim<D>, WireError> {
    let malformed = |text: &str| WireError::Malformed(text.into());
    let mut lines = greeting::body(bytes)?.splitn(6, '\n');
    let mut next = || lines.next().unwrap_or_default();
    let [at, extents] = [greeting::read_list(next())?, greeting::read_list(next())?];
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

/// The common part of a producer and a consumer, both by their numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetPart<const D: usize> {
    /// Number of the producer.
    pub producer: usize,
    /// Number of the consumer.
    pub consumer: usize,
    /// The producer's number of ranks. They are the first of the pair; the consumer's follow.
    pub producers: usize,
    pub part: ArrayPart<D>,
    /// The source's layout of it, as a section of the source's part, on the ranks of the pair.
    pub from: Layout<D>,
    /// The destination's layout, as a section of the destination's part.
    pub to: Layout<D>,
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
        Some(Self { producer, consumer, producers, part, from, to })
    }
}

/// Returns all pairs of programs with a common part; `None` takes no part. If the parts do not make
/// one array, every program finds the same error.
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

/// Returns the pairs by rounds, with a program in one pair at most. In round `r`, producer `p`
/// meets consumer `p + r`, modulo the larger count.
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

/// Checks that a layout covers the whole part, on ranks of its program.
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

/// Checks that no two producers hold the same element.
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

/// Returns a part of `wanted` without a producer. The first producer that intersects it leaves at
/// most two boxes a dimension, each of which is searched in turn.
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

/// Returns the intersection of two parts; `None` also if one ends past the largest index.
pub fn met<const D: usize>(a: ArrayPart<D>, b: ArrayPart<D>) -> Option<ArrayPart<D>> {
    let (mut at, mut extents) = ([0; D], [0; D]);
    for dimension in 0..D {
        let end = |of: &ArrayPart<D>| of.at[dimension].checked_add(of.extents[dimension]);
        at[dimension] = a.at[dimension].max(b.at[dimension]);
        extents[dimension] = end(&a)?.min(end(&b)?).saturating_sub(at[dimension]);
    }
    (!extents.contains(&0)).then_some(ArrayPart { at, extents })
}

/// Returns a part's range in each dimension; an end past the largest index is cut to that.
fn ranges<const D: usize>(part: &ArrayPart<D>) -> Vec<Range<usize>> {
    let end = |(&at, &extent): (&usize, &usize)| at..at.saturating_add(extent);
    part.at.iter().zip(&part.extents).map(end).collect()
}
