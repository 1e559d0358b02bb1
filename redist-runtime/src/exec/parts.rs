//! Which parts of one array the programs of a launch hold and want: told as bytes, read without
//! trust, and checked against each other.

use super::greeting::{self, Place, common};
use crate::error::PartsError;
use crate::layout::{Layout, MAX_RANKS};
use crate::plan::Side;
use crate::transport::wire::WireError;
use core::ops::Range;

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
            Layout { of: Some(of.part.extents), at, ..of.layout }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn part(at: [usize; 2], extents: [usize; 2]) -> ArrayPart<2> {
        ArrayPart { at, extents }
    }

    fn claim(role: Side, part: ArrayPart<2>) -> Option<Claim<2>> {
        let layout = "(block, *) onto 2".parse().unwrap();
        let part = ProgramPart { role, whole: [13, 11], part, layout };
        Some(Claim { part, ranks: 2, element: "u64, 8 bytes, aligned to 8".into() })
    }

    fn holds(at: [usize; 2], extents: [usize; 2]) -> Option<Claim<2>> {
        claim(Side::Source, part(at, extents))
    }

    fn wants(at: [usize; 2], extents: [usize; 2]) -> Option<Claim<2>> {
        claim(Side::Destination, part(at, extents))
    }

    #[test]
    fn what_is_written_is_read() {
        for claim in [holds([3, 0], [10, 11]), wants([0, 2], [0, usize::MAX])] {
            let claim = claim.unwrap();
            assert_eq!(read(written(&claim).as_bytes()), Ok(claim.clone()));
            assert!(read::<1>(written(&claim).as_bytes()).is_err());
            let many = Claim { ranks: MAX_RANKS + 1, ..claim.clone() };
            assert!(read::<2>(written(&many).as_bytes()).is_err());
            let other = written(&claim).replacen("wire ", "wire 9", 1);
            assert!(matches!(read::<2>(other.as_bytes()), Err(WireError::OtherVersion { .. })));
            for end in 0..written(&claim).rfind('\n').unwrap() {
                assert!(read::<2>(&written(&claim).as_bytes()[..end]).is_err(), "{end}");
            }
        }
    }

    #[test]
    fn every_pair_that_meets_is_found() {
        let claims = [
            holds([0, 0], [5, 11]),
            None,
            holds([5, 0], [8, 11]),
            wants([0, 0], [13, 6]),
            wants([7, 6], [6, 5]),
            wants([7, 6], [0, 5]),
        ];
        let met = settled(&claims).unwrap();
        let places: Vec<_> =
            met.iter().map(|met| (met.producer, met.consumer, met.common.part)).collect();
        let expected = vec![
            (0, 3, part([0, 0], [5, 6])),
            (2, 3, part([5, 0], [8, 6])),
            (2, 4, part([7, 6], [6, 5])),
        ];
        assert_eq!(places, expected);
        let last = &met[2].common;
        assert_eq!(last.from.to_string(), "(block, *) onto 2 of [8, 11] at [2, 6]");
        assert_eq!(last.to.to_string(), "(block, *) onto 2 ranks 2..4 of [6, 5] at [0, 0]");
        assert_eq!(rounds(&met), [vec![0, 2], vec![1]]);
        assert_eq!(settled::<2>(&[None, None]), Ok(Vec::new()));
    }

    #[test]
    fn what_does_not_fit_is_named() {
        let whole = holds([0, 0], [13, 11]);
        let told = |claims: [Option<Claim<2>>; 3]| settled(&claims).unwrap_err().to_string();
        assert_eq!(
            told([holds([0, 0], [5, 11]), holds([4, 3], [9, 8]), None]),
            "programs 0 and 1 both hold elements 4..5 of dimension 0 and elements 3..11 of \
             dimension 1; each element may have one producer"
        );
        assert_eq!(
            told([holds([0, 0], [5, 11]), holds([6, 0], [7, 11]), wants([2, 1], [9, 4])]),
            "program 2 wants elements 5..6 of dimension 0 and elements 1..5 of dimension 1, \
             which no producer holds"
        );
        assert_eq!(
            told([whole.clone(), wants([7, 0], [7, 11]), None]),
            "the part of program 1 has elements 7..14 of dimension 0, which has 13 elements"
        );
        let mut other = wants([0, 0], [13, 11]);
        other.as_mut().unwrap().part.whole = [13, 12];
        let words =
            "dimension 1 of the whole array has 11 elements in program 0, and 12 in program 2";
        assert!(told([whole.clone(), None, other]).contains(words));
        let mut other = wants([0, 0], [13, 11]);
        other.as_mut().unwrap().element = "f64, 8 bytes, aligned to 8".into();
        assert!(told([whole.clone(), other, None]).contains("program 1 of type f64, 8 bytes"));
        let mut other = wants([0, 0], [13, 11]);
        other.as_mut().unwrap().ranks = 1;
        assert!(
            told([whole, None, other]).contains("program 2: its layout is `(block, *) onto 2`")
        );
        let past = told([holds([1, 0], [usize::MAX, 11]), None, None]);
        assert!(past.contains("program 0 has elements 1..18446744073709551615"), "{past}");
    }

    #[test]
    fn no_program_is_in_two_pairs_of_a_round() {
        for (producers, consumers) in [(1, 1), (3, 1), (1, 4), (3, 3), (2, 5), (5, 2)] {
            let claims: Vec<_> = (0..producers + consumers)
                .map(|program| match program < producers {
                    true if program + 1 == producers => holds([program, 0], [13 - program, 11]),
                    true => holds([program, 0], [1, 11]),
                    false => wants([0, 0], [13, 11]),
                })
                .collect();
            let met = settled(&claims).unwrap();
            let rounds = rounds(&met);
            assert_eq!(rounds.len(), producers.max(consumers));
            assert_eq!(rounds.concat().len(), producers * consumers);
            for round in &rounds {
                let both = |&number: &usize| [met[number].producer, met[number].consumer];
                let mut programs: Vec<_> = round.iter().flat_map(both).collect();
                programs.sort_unstable();
                let all = programs.len();
                programs.dedup();
                assert_eq!(programs.len(), all);
            }
        }
    }

    /// Against every element of small boxes by itself.
    #[test]
    fn holes_are_found_wherever_they_are() {
        let holds = |part: &ArrayPart<2>, index: [usize; 2]| {
            (0..2).all(|d| ranges(part)[d].contains(&index[d]))
        };
        let quarters = [([0, 0], [3, 3]), ([0, 3], [3, 2]), ([3, 0], [2, 2]), ([3, 2], [2, 3])];
        for left_out in 0..16 {
            let producers: Vec<_> = (0..4)
                .filter(|number| left_out >> number & 1 == 0)
                .map(|number| (number, part(quarters[number].0, quarters[number].1)))
                .collect();
            for number in 0..5usize.pow(4) {
                let [a, b, c, d] = [number % 5, number / 5 % 5, number / 25 % 5, number / 125];
                let wanted = part([a, b], [(c + 1).min(5 - a), (d + 1).min(5 - b)]);
                let is_held = |index| producers.iter().any(|(_, part)| holds(part, index));
                let all = ranges(&wanted)[0]
                    .clone()
                    .flat_map(|row| ranges(&wanted)[1].clone().map(move |column| [row, column]));
                let hole = missing(wanted, &producers);
                assert_eq!(hole.is_none(), all.clone().all(is_held), "{wanted:?}");
                if let Some(hole) = hole {
                    assert!(met(hole, wanted) == Some(hole));
                    assert!(producers.iter().all(|&(_, held)| met(held, hole).is_none()));
                }
            }
        }
    }
}
