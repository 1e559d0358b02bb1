//! Layouts that two programs send each other as bytes, which are read without trust.
//!
//! A greeting has three lines: `redist wire` and the version, in all versions; the layout; and the
//! extents, if known.

use core::ops::Range;
use redist_plan::layout::{Layout, NotationError, Ranks};
use redist_plan::plan::Side;
use redist_runtime::transport::wire::{VERSION, WireError};

const BEGINNING: &str = "redist wire ";

/// A program's layout, and the array's extents, if it knows them.
pub type Told<const D: usize> = (Layout<D>, Option<[usize; D]>);

pub fn written<const D: usize>((layout, extents): &Told<D>) -> String {
    let extents = extents.map_or(String::new(), |extents| format!("{extents:?}"));
    of_this_version(&format!("{layout}\n{extents}"))
}

pub fn read<const D: usize>(bytes: &[u8]) -> Result<Told<D>, WireError> {
    match body(bytes)?.split('\n').collect::<Vec<_>>()[..] {
        [layout, ""] => Ok((read_layout(layout)?, None)),
        [layout, extents] => Ok((read_layout(layout)?, Some(read_list(extents)?))),
        _ => Err(WireError::Malformed("a handshake has three lines".into())),
    }
}

/// Writes the version before lines that another program reads.
pub fn of_this_version(lines: &str) -> String {
    format!("{BEGINNING}{VERSION}\n{lines}")
}

/// Returns the lines behind that of the version.
pub fn body(bytes: &[u8]) -> Result<&str, WireError> {
    let text = str::from_utf8(bytes).map_err(|_| WireError::Malformed("it is no text".into()))?;
    let (first, body) = text.split_once('\n').unwrap_or((text, ""));
    let theirs = first.strip_prefix(BEGINNING).and_then(|number| number.parse().ok());
    match theirs {
        Some(VERSION) => Ok(body),
        Some(theirs) => Err(WireError::OtherVersion { theirs, ours: VERSION }),
        None => Err(WireError::Malformed("it is no handshake of this library".into())),
    }
}

pub fn read_layout<const D: usize>(text: &str) -> Result<Layout<D>, WireError> {
    let no_layout = |error: NotationError| format!("`{text}` is no layout here: {}", error.message);
    text.parse().map_err(|error| WireError::Malformed(no_layout(error)))
}

pub fn read_list<const D: usize>(text: &str) -> Result<[usize; D], WireError> {
    let list = text.strip_prefix('[').and_then(|text| text.strip_suffix(']'));
    let numbers = list.map(|list| list.split(", ").map(str::parse).collect::<Result<Vec<_>, _>>());
    numbers
        .and_then(Result::ok)
        .and_then(|numbers| numbers.try_into().ok())
        .ok_or_else(|| WireError::Malformed(format!("`{text}` are no extents of {D} dimensions")))
}

/// Returns both programs' layouts, the producer's first, and the extents. Fails if neither knows
/// the extents, if they differ, or if a layout has ranks of the other program.
pub fn settled<const D: usize>(
    [from, to]: [Told<D>; 2],
    producers: usize,
    ranks: usize,
) -> Result<([Layout<D>; 2], [usize; D]), String> {
    check_ranks(Side::Source, &from.0, 0..producers)?;
    check_ranks(Side::Destination, &to.0, producers..ranks)?;
    let extents = match (from.1, to.1) {
        (Some(a), Some(b)) if a != b => {
            return Err(format!("the producer's array has extents {a:?}, the consumer's {b:?}"));
        }
        (Some(extents), _) | (None, Some(extents)) => extents,
        (None, None) => return Err("neither program knows the extents of the array".into()),
    };
    Ok(([from.0, to.0], extents))
}

/// Rejects a layout on the other program's ranks.
fn check_ranks<const D: usize>(
    side: Side,
    layout: &Layout<D>,
    own: Range<usize>,
) -> Result<(), String> {
    let cells = layout.grid.iter().try_fold(1, |cells: usize, &extent| cells.checked_mul(extent));
    let is_own = match layout.ranks {
        Ranks::From(first) => cells
            .and_then(|cells| first.checked_add(cells))
            .is_some_and(|end| first >= own.start && end <= own.end),
        Ranks::Map(list) => list.iter().all(|rank| own.contains(rank)),
    };
    if is_own {
        return Ok(());
    }
    Err(format!("the {side}'s ranks are {own:?} here, but its layout is `{layout}`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(text: &str) -> Layout<2> {
        text.parse().unwrap()
    }

    #[test]
    fn what_is_written_is_read() {
        let from = layout("(gen_block([4, 0, 5]), *) onto 3 storage fortran of [9, 70] at [0, 3]");
        for extents in [None, Some([9, 7]), Some([0, usize::MAX])] {
            let told = (from, extents);
            assert_eq!(read(written(&told).as_bytes()), Ok(told));
        }
        let mapped = (layout("(block, cyclic) onto (2, 2) ranks [4, 1, 2, 6]"), Some([9, 7]));
        assert_eq!(read(written(&mapped).as_bytes()), Ok(mapped));
        let twice = format!("redist wire {VERSION}\n(block, *) onto 2 ranks [1, 1]\n");
        let error = read::<2>(twice.as_bytes()).unwrap_err();
        assert!(error.to_string().contains("lists rank 1 twice"), "{error}");
    }

    #[test]
    fn other_versions_are_named() {
        for theirs in [0, VERSION + 1, u64::MAX] {
            let text = format!("redist wire {theirs}\nwhatever it is");
            let expected = WireError::OtherVersion { theirs, ours: VERSION };
            assert_eq!(read::<1>(text.as_bytes()), Err(expected));
        }
    }

    #[test]
    fn what_makes_no_sense_is_an_error() {
        let greeting = |rest: &str| format!("redist wire {VERSION}\n{rest}").into_bytes();
        for (bytes, words) in [
            (vec![0xff, 0xfe], "no text"),
            (b"(block, *) onto 3; [4, 5]".to_vec(), "no handshake of this library"),
            (greeting("(block, *) onto 3"), "three lines"),
            (greeting("(block, *) onto 3\n\n"), "three lines"),
            (greeting("block onto 3\n"), "is no layout here"),
            (greeting("(block, *) onto 3\n[4]"), "no extents of 2 dimensions"),
            (greeting("(block, *) onto 3\n[4, 5, 6]"), "no extents of 2 dimensions"),
            (greeting("(block, *) onto 3\n[4, -5]"), "no extents of 2 dimensions"),
            (greeting("(block, *) onto 3\n4, 5"), "no extents of 2 dimensions"),
            (greeting("(block, *) onto 3\n[4, 99999999999999999999]"), "no extents"),
        ] {
            let error = read::<2>(&bytes).unwrap_err();
            assert!(error.to_string().contains(words), "{error}, {words}");
        }
    }

    #[test]
    fn grids_that_overflow_are_on_no_ranks() {
        let huge = layout("(cyclic, cyclic) onto (9223372036854775807, 3)");
        let one = (layout("(*, *) ranks 1..2"), Some([3, 3]));
        assert!(settled([(huge, None), one], 1, 2).is_err());
        let zero = (layout("(*, *)"), None);
        assert_eq!(settled([zero, one], 1, 2), Ok(([zero.0, one.0], [3, 3])));
        assert!(settled([one, zero], 1, 2).is_err());
        let own = (layout("(block, *) onto 2 ranks [3, 1]"), Some([3, 3]));
        let source = (layout("(*, *)"), None);
        assert!(settled([source, own], 1, 4).is_ok());
        assert!(settled([source, own], 2, 4).is_err() && settled([source, own], 1, 3).is_err());
    }
}
