//! Names of the files of one side: one for each rank, or one for all.

use std::path::{Path, PathBuf};

/// A name with `{rank}` in it, or without.
#[derive(Clone, Debug)]
pub struct FilePattern {
    /// What stands before, between and after the ranks, and how many digits a rank has at least.
    parts: Vec<String>,
    digits: Vec<usize>,
}

impl FilePattern {
    /// Reads `part.{rank}.npy` or `part.{rank:04}.npy`.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pattern = FilePattern { parts: Vec::new(), digits: Vec::new() };
        let mut rest = text;
        while let Some((before, after)) = rest.split_once("{rank") {
            let (width, after) = after
                .split_once('}')
                .ok_or_else(|| format!("{text}: expected `}}` after `{{rank`"))?;
            let digits = match width.strip_prefix(':') {
                None if width.is_empty() => Some(0),
                None => None,
                Some(digits) => digits.parse().ok().filter(|digits| *digits <= 20),
            };
            let digits = digits.ok_or_else(|| {
                format!("{text}: expected `{{rank}}` or, with four digits, `{{rank:04}}`")
            })?;
            pattern.parts.push(before.into());
            pattern.digits.push(digits);
            rest = after;
        }
        pattern.parts.push(rest.into());
        Ok(pattern)
    }

    /// Whether there is one file for the whole array.
    pub fn is_global(&self) -> bool {
        self.digits.is_empty()
    }

    /// Whether the files are NumPy's.
    pub fn is_npy(&self) -> bool {
        let last = self.parts.last().map_or("", String::as_str);
        Path::new(&format!("x{last}")).extension().is_some_and(|extension| extension == "npy")
    }

    /// The file of a rank.
    pub fn path(&self, rank: usize) -> PathBuf {
        let mut name = String::new();
        for (part, digits) in self.parts.iter().zip(&self.digits) {
            name += part;
            name += &format!("{rank:0digits$}");
        }
        PathBuf::from(name + self.parts.last().map_or("", String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_filled_in() {
        let path = |text: &str, rank| FilePattern::parse(text).expect("a pattern").path(rank);
        assert_eq!(path("a/{rank}.bin", 12), Path::new("a/12.bin"));
        assert_eq!(path("{rank:03}/x.{rank}", 7), Path::new("007/x.7"));
        assert_eq!(path("all.npy", 3), Path::new("all.npy"));
    }

    #[test]
    fn what_sort_of_file_it_is() {
        let sort = |text: &str| {
            let pattern = FilePattern::parse(text).expect("a pattern");
            (pattern.is_global(), pattern.is_npy())
        };
        assert_eq!(sort("all.npy"), (true, true));
        assert_eq!(sort("a.npy/part.{rank}"), (false, false));
        assert_eq!(sort("part.{rank}.npy"), (false, true));
        assert!(FilePattern::parse("a.{rank").is_err() && FilePattern::parse("{rank:x}").is_err());
    }
}
