//! File names with places for a rank, coordinates of a grid, and the name of an array.

use super::staging::RESERVED;
use std::path::PathBuf;

/// Names of the coordinates along the first axes of a grid.
const COORDINATES: [&str; 8] = ["i", "j", "k", "l", "m", "n", "o", "p"];

/// A file name with a place for the rank, or without.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct FilePattern {
    parts: Vec<NamePart>,
}

/// A part of a file name.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum NamePart {
    Text(String),
    Number {
        of: Numbered,
        /// Least digits.
        digits: usize,
    },
    /// The array's name.
    Array,
}

/// A number in a file name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Numbered {
    /// Rank of the communicator.
    Rank,
    /// Coordinate along this axis of the grid.
    Coordinate(usize),
}

/// A rank, in its grid.
#[derive(Clone, Copy, Debug)]
pub struct Place<'a> {
    /// Rank of the communicator.
    pub rank: usize,
    /// Coordinates in the grid.
    pub coordinates: &'a [usize],
}

impl FilePattern {
    /// Reads `part.{rank}.npy` or `part.{rank:04}.npy`, `{i}` and `{j}`, `{name}`, and no other
    /// placeholder.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pattern = FilePattern { parts: Vec::new() };
        let mut rest = text;
        while let Some((before, after)) = rest.split_once('{') {
            let (placeholder, after) = after
                .split_once('}')
                .ok_or_else(|| format!("{text}: expected `}}` after `{{{after}`"))?;
            let part = part(placeholder).ok_or_else(|| {
                format!(
                    "{text}: expected `{{rank}}` or, with four digits, `{{rank:04}}`, \
                     found `{{{placeholder}}}`; `{{i}}` and `{{j}}` are coordinates in the grid, \
                     and `{{name}}` is the array's name"
                )
            })?;
            pattern.parts.push(NamePart::Text(before.into()));
            pattern.parts.push(part);
            rest = after;
        }
        pattern.parts.push(NamePart::Text(rest.into()));
        pattern.refuse().map_or(Ok(pattern), |reason| Err(format!("{text}: {reason}")))
    }

    /// Makes a pattern of a name without places.
    pub fn literal(path: PathBuf) -> Self {
        Self { parts: vec![NamePart::Text(path.to_string_lossy().into_owned())] }
    }

    /// Makes a pattern of ranks whose names are in a list.
    pub fn of_ranks() -> Self {
        Self { parts: vec![NamePart::Number { of: Numbered::Rank, digits: 0 }] }
    }

    fn refuse(&self) -> Option<String> {
        let texts = self.parts.iter().filter_map(|part| match part {
            NamePart::Text(text) => Some(text.as_str()),
            _ => None,
        });
        for text in texts {
            if let Some(found) = placeholder(text) {
                return Some(format!(
                    "`{found}` is no rank here; write `{{rank}}`, or `{{rank:04}}`"
                ));
            }
        }
        let example = self.example();
        let name = example.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.is_empty() || example.as_os_str().as_encoded_bytes().ends_with(b"/") {
            return Some("expected the name of a file, found that of a folder".into());
        }
        if name.starts_with(RESERVED) {
            return Some(format!("names that begin with `{RESERVED}` are for unfinished files"));
        }
        None
    }

    /// Puts the name of an array into its places; fails if the name could lead to another folder.
    pub fn named(&self, name: &str) -> Result<Self, String> {
        let mut parts = self.parts.clone();
        for part in &mut parts {
            if *part == NamePart::Array {
                if name.is_empty() || name.contains(['/', '\0']) || [".", ".."].contains(&name) {
                    return Err(format!(
                        "`{{name}}` in a file name: the array's name `{name}` is no part of one"
                    ));
                }
                *part = NamePart::Text(name.into());
            }
        }
        let named = Self { parts };
        named.refuse().filter(|_| named != *self).map_or(Ok(named), Err)
    }

    /// Returns the text before the first rank; `None` if there is none, or a coordinate.
    fn before_rank(&self) -> Option<String> {
        let mut before = String::new();
        let numbers = self.parts.iter().filter_map(|part| match part {
            NamePart::Number { of, .. } => Some(*of),
            _ => None,
        });
        if !numbers.clone().all(|of| of == Numbered::Rank) || numbers.count() == 0 {
            return None;
        }
        for part in &self.parts {
            match part {
                NamePart::Text(text) => before += text,
                NamePart::Number { .. } => return Some(before),
                NamePart::Array => return None,
            }
        }
        None
    }

    /// Returns the folder in which names have the rank first, to its last slash, and what stands
    /// before the rank there; `None` for names without ranks.
    pub fn place(&self) -> Option<(String, String)> {
        let before = self.before_rank()?;
        let (folder, name) = before.split_at(before.rfind('/').map_or(0, |slash| slash + 1));
        Some((folder.into(), name.into()))
    }

    /// Returns `true` if one file holds the whole array.
    pub fn is_global(&self) -> bool {
        !self.parts.iter().any(|part| matches!(part, NamePart::Number { .. }))
    }

    /// Returns the last part of a name of the pattern, which has the suffix.
    pub fn example(&self) -> PathBuf {
        self.path(&Place { rank: 0, coordinates: &[0; 8] })
    }

    pub fn path(&self, of: &Place) -> PathBuf {
        let mut name = String::new();
        for part in &self.parts {
            match part {
                NamePart::Text(text) => name += text,
                NamePart::Array => name += "array",
                NamePart::Number { of: numbered, digits } => {
                    let number = match numbered {
                        Numbered::Rank => of.rank,
                        Numbered::Coordinate(axis) => {
                            of.coordinates.get(*axis).copied().unwrap_or(0)
                        }
                    };
                    name += &format!("{number:0digits$}");
                }
            }
        }
        PathBuf::from(name)
    }

    /// Returns the name of a rank without coordinates.
    pub fn of_rank(&self, rank: usize) -> PathBuf {
        self.path(&Place { rank, coordinates: &[] })
    }
}

/// Reads what stands between braces: `rank`, `rank:04`, `i:02`, `name`.
fn part(placeholder: &str) -> Option<NamePart> {
    if placeholder == "name" {
        return Some(NamePart::Array);
    }
    let (word, width) = match placeholder.split_once(':') {
        Some((word, width)) => (word, Some(width)),
        None => (placeholder, None),
    };
    let of = match word {
        "rank" => Numbered::Rank,
        _ => Numbered::Coordinate(COORDINATES.iter().position(|name| *name == word)?),
    };
    let digits = match width {
        None => 0,
        Some(width) => width.parse().ok().filter(|digits| *digits <= 20)?,
    };
    Some(NamePart::Number { of, digits })
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
    fn ranks_and_coordinates_are_filled_in() {
        let path = |text: &str, rank| FilePattern::parse(text).expect("a pattern").of_rank(rank);
        assert_eq!(path("a/{rank}.bin", 12), Path::new("a/12.bin"));
        assert_eq!(path("{rank:03}/x.{rank}", 7), Path::new("007/x.7"));
        assert_eq!(path("all.npy", 3), Path::new("all.npy"));
        let place = Place { rank: 5, coordinates: &[1, 2] };
        let grid = FilePattern::parse("{name}.{j:02}.{i}").expect("a pattern");
        assert_eq!(grid.named("w").expect("a name").path(&place), Path::new("w.02.1"));
        assert!(grid.named("a/../b").is_err() && grid.place().is_none());
    }

    #[test]
    fn other_placeholders_are_refused_by_name() {
        let refused = |text: &str| FilePattern::parse(text).expect_err("another pattern");
        for (text, found) in [
            ("o}.bin", "}"),
            ("o.%04d", "%04d"),
            ("$RANK/o", "$RANK"),
            ("o.*.npy", "*"),
            ("o.?", "?"),
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
