//! Files that fit a side's pattern, and are of no rank of its layout.

use super::address::is_address;
use super::pattern::FilePattern;
use super::side::StoredSide;
use redist_plan::plan::Side;
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The most names that a warning lists.
const MAX_NAMES: usize = 3;

/// The ranks whose files are there, by pattern: a folder is listed once for all arrays.
#[derive(Debug, Default)]
pub struct Listed(HashMap<FilePattern, Vec<usize>>);

impl Listed {
    fn ranks(&mut self, pattern: &FilePattern) -> &[usize] {
        self.0.entry(pattern.clone()).or_insert_with(|| ranks_there(pattern))
    }
}

/// Words on files whose ranks the layout has not. The source's may hold parts of the array that
/// nobody reads; the destination's belong to an older set.
pub fn warning<const D: usize>(
    side: &StoredSide<D>,
    is_own: &dyn Fn(&PathBuf) -> bool,
    listed: &mut Listed,
) -> Option<String> {
    if side.files.listed.is_some() {
        return None;
    }
    let mut others = others(side, listed);
    others.retain(|path| !is_own(path));
    let [first, ..] = others.as_slice() else { return None };
    let mut names: Vec<String> =
        others.iter().take(MAX_NAMES).map(|name| name.display().to_string()).collect();
    if let more @ 1.. = others.len().saturating_sub(MAX_NAMES) {
        names.push(format!("{more} more"));
    }
    let last = names.pop().unwrap_or_else(|| first.display().to_string());
    let names = match names.as_slice() {
        [] => last,
        names => format!("{} and {last}", names.join(", ")),
    };
    let one = others.len() == 1;
    let words = match (side.side, one) {
        (Side::Destination, true) => "stays, and is of no rank of this layout".into(),
        (Side::Destination, false) => "stay, and are of no rank of this layout".into(),
        (Side::Source, _) => format!(
            "{} not read, because the source layout has {} without {}; if the array is of more ranks, write its \
             layout",
            if one { "is" } else { "are" },
            ranks(side.cells()),
            if one { "this one" } else { "these" },
        ),
    };
    Some(format!("{names}: {words}"))
}

fn ranks(count: usize) -> String {
    format!("{count} rank{}", if count == 1 { "" } else { "s" })
}

/// Returns the names of other ranks' files, by rank.
fn others<const D: usize>(side: &StoredSide<D>, listed: &mut Listed) -> Vec<PathBuf> {
    let mut ranks = listed.ranks(&side.files.pattern).to_vec();
    ranks.retain(|rank| side.descriptor.number_of(*rank).is_none());
    ranks.sort_unstable();
    ranks.into_iter().map(|rank| side.files.pattern.of_rank(rank)).collect()
}

/// Returns the ranks whose files are there, of whatever sort they are.
fn ranks_there(pattern: &FilePattern) -> Vec<usize> {
    let Some((folder, before)) = pattern.place() else { return Vec::new() };
    if is_address(Path::new(&folder)) {
        return Vec::new();
    }
    let listed = if folder.is_empty() { "." } else { folder.as_str() };
    // A folder that cannot be listed has been told of, or may still be written to.
    let Ok(entries) = fs::read_dir(listed) else { return Vec::new() };
    let of_entry = |entry: fs::DirEntry| {
        let name = entry.file_name().into_string().ok()?;
        let digits = name.strip_prefix(before.as_str())?;
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        // The pattern may go on with a digit behind the rank.
        (1..=end).rev().find_map(|end| {
            let rank = digits[..end].parse().ok()?;
            let path = pattern.of_rank(rank);
            let rest = path.to_str()?.strip_prefix(folder.as_str())?;
            let is_own = rest.split('/').next() == Some(name.as_str());
            (is_own && path.symlink_metadata().is_ok()).then_some(rank)
        })
    };
    entries.flatten().filter_map(of_entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_found_wherever_the_pattern_has_them() {
        let made = tempfile::tempdir().expect("a folder");
        let root = made.path();
        for name in ["o.0", "o.3", "o.007", "o.x", "p.0100.bin", "p.12.bin", "12/q.12", "13/q.12"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "").expect("a file");
        }
        let ranks = |text: &str| {
            let text = format!("{}/{text}", root.display());
            let mut ranks = ranks_there(&FilePattern::parse(&text).expect("a pattern"));
            ranks.sort_unstable();
            ranks
        };
        assert_eq!(ranks("o.{rank}"), [0, 3]);
        assert_eq!(ranks("o.{rank:03}"), [7]);
        assert_eq!(ranks("p.{rank:04}.bin"), [100]);
        assert_eq!(ranks("p.{rank}2.bin"), [1]);
        assert_eq!(ranks("{rank}/q.{rank}"), [12]);
        assert_eq!(ranks("{rank}/q.12"), [12, 13]);
        assert_eq!(ranks("none/{rank}"), [0; 0]);
        assert_eq!(ranks("o.0"), [0; 0]);
    }
}
