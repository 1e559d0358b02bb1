//! Names and shapes of one side's files.

use super::format;
use super::staging::RESERVED;
use redist::layout::{Descriptor, Dist, Layout, StorageOrder};
use redist::{Plan, Side};
use std::path::PathBuf;

/// One side; ranks count in its grid.
#[derive(Clone, Debug)]
pub struct StoredSide<const D: usize> {
    pub side: Side,
    pub descriptor: Descriptor<D>,
    pub pattern: FilePattern,
}

impl<const D: usize> StoredSide<D> {
    pub fn new(plan: &Plan<D>, side: Side, pattern: FilePattern) -> Self {
        Self { side, descriptor: *plan.descriptor(side), pattern }
    }

    pub fn cells(&self) -> usize {
        self.descriptor.ranks()
    }

    pub fn number(&self, coordinates: [usize; D]) -> usize {
        let coordinates = coordinates.into_iter().enumerate();
        coordinates.map(|(axis, at)| at * self.descriptor.number_distance(axis)).sum()
    }

    pub fn local_extents(&self, number: usize) -> [usize; D] {
        let coordinates = self.descriptor.coordinates_of(number);
        core::array::from_fn(|axis| self.descriptor.axis(axis).numroc(coordinates[axis]))
    }

    pub fn path(&self, number: usize) -> PathBuf {
        self.pattern.path(self.descriptor.nth_rank(number))
    }

    pub fn is_fortran(&self) -> bool {
        self.descriptor.layout().storage == StorageOrder::Fortran
    }

    pub fn stored_order(&self) -> [usize; D] {
        core::array::from_fn(|step| if self.is_fortran() { D - 1 - step } else { step })
    }
}

pub fn in_one_piece<const D: usize>(of: &Descriptor<D>, storage: StorageOrder) -> Layout<D> {
    let layout = of.layout();
    Layout::new([Dist::Collapsed; D], [1; D])
        .storage(storage)
        .of(of.extents())
        .at(layout.at)
        .axes(layout.axes)
}

/// A file name with a place for the rank, or without.
#[derive(Clone, Debug)]
pub struct FilePattern {
    /// Text before, between and after the ranks.
    parts: Vec<String>,
    /// Least digits of each rank.
    digits: Vec<usize>,
}

impl FilePattern {
    /// Reads `part.{rank}.npy` or `part.{rank:04}.npy`, and no other placeholder or format.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pattern = FilePattern { parts: Vec::new(), digits: Vec::new() };
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (placeholder, after) = after
                .split_once('}')
                .ok_or_else(|| format!("{text}: expected `}}` after `{{{after}`"))?;
            let digits = digits(placeholder).ok_or_else(|| {
                format!(
                    "{text}: expected `{{rank}}` or, with four digits, `{{rank:04}}`, \
                     found `{{{placeholder}}}`"
                )
            })?;
            pattern.parts.push(before.into());
            pattern.digits.push(digits);
            rest = after;
        }
        pattern.parts.push(rest.into());
        pattern.refuse().map_or(Ok(pattern), |reason| Err(format!("{text}: {reason}")))
    }

    fn refuse(&self) -> Option<String> {
        if let Some(found) = self.parts.iter().find_map(|part| placeholder(part)) {
            return Some(format!("`{found}` is no rank here; write `{{rank}}`, or `{{rank:04}}`"));
        }
        let example = self.path(0);
        let name = example.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.is_empty() || example.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Some("expected the name of a file, found that of a folder".into());
        }
        if name.starts_with(RESERVED) {
            return Some(format!("names that begin with `{RESERVED}` are for unfinished files"));
        }
        format::refused(&name)
    }

    /// Returns the folder in which names have the rank first, to its last slash, and what stands
    /// before the rank there; `None` for one file of all ranks.
    pub fn place(&self) -> Option<(&str, &str)> {
        let before = self.parts.first().filter(|_| !self.is_global())?;
        Some(before.split_at(before.rfind('/').map_or(0, |slash| slash + 1)))
    }

    pub fn is_global(&self) -> bool {
        self.digits.is_empty()
    }

    pub fn is_npy(&self) -> bool {
        self.path(0).as_os_str().as_encoded_bytes().ends_with(b".npy")
    }

    pub fn path(&self, rank: usize) -> PathBuf {
        let mut name = String::new();
        for (part, digits) in self.parts.iter().zip(&self.digits) {
            name += part;
            name += &format!("{rank:0digits$}");
        }
        PathBuf::from(name + self.parts.last().map_or("", String::as_str))
    }
}

/// Returns the digits of `{rank:04}`.
fn digits(placeholder: &str) -> Option<usize> {
    match placeholder.strip_prefix("rank")? {
        "" => Some(0),
        width => width.strip_prefix(':')?.parse().ok().filter(|digits| *digits <= 20),
    }
}

/// Finds another program's placeholder: `%d`, `%04d`, `$rank`, `*`, `?`.
fn placeholder(part: &str) -> Option<&str> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for (at, sign) in part.char_indices() {
        let rest = &part[at + sign.len_utf8()..];
        let len = match sign {
            '*' | '?' | '}' => Some(0),
            '$' => Some(rest.find(|c| !is_name(c)).unwrap_or(rest.len())).filter(|len| *len > 0),
            '%' => {
                let width = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                let mut after = rest[width..].chars();
                let converts = after.next().is_some_and(|c| "diusxr".contains(c));
                // A word follows in `50%done`.
                let ends = !after.next().is_some_and(|c| c.is_ascii_alphanumeric());
                (converts && ends).then_some(width + 1)
            }
            _ => None,
        };
        if let Some(len) = len {
            return Some(&part[at..at + sign.len_utf8() + len]);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn ranks_are_filled_in() {
        let path = |text: &str, rank| FilePattern::parse(text).expect("a pattern").path(rank);
        assert_eq!(path("a/{rank}.bin", 12), Path::new("a/12.bin"));
        assert_eq!(path("{rank:03}/x.{rank}", 7), Path::new("007/x.7"));
        assert_eq!(path("all.npy", 3), Path::new("all.npy"));
    }

    #[test]
    fn other_placeholders_and_formats_are_refused_by_name() {
        let refused = |text: &str| FilePattern::parse(text).expect_err("another pattern");
        for (text, found) in [
            ("o}.bin", "}"),
            ("o.%04d", "%04d"),
            ("$RANK/o", "$RANK"),
            ("o.*.npy", "*"),
            ("o.?", "?"),
            ("o.{rank}.H5", ".H5"),
            ("a/.redist-part-x", ".redist-"),
        ] {
            let found = format!("`{found}`");
            assert!(refused(text).contains(&found), "{}", refused(text));
        }
        for text in ["", "out/", "out/.."] {
            assert!(refused(text).contains("found that of a folder"), "{}", refused(text));
        }
        for text in ["50%done/o.{rank}", "o.{rank}.bin", "o", "a.h5/o.{rank}", "5$/o%", "ä%é.dat"]
        {
            assert!(FilePattern::parse(text).is_ok(), "{text}");
        }
    }
}
