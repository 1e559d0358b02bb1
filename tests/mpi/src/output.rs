//! The part of a job's output that belongs to a cell.
//!
//! Launchers put the rank before each line, as `[1,2]<stderr>:` or `[2] `. They delay ranks' lines
//! differently, so each rank writes a mark before each cell.

use std::collections::BTreeMap;

pub(crate) const MARK: &str = "==== cell ";

/// Returns the lines of ranks in a cell, and the launcher's own lines.
pub(crate) fn of_cell(output: &str, cell: usize) -> String {
    let mut at: BTreeMap<&str, usize> = BTreeMap::new();
    let mut text = String::new();
    for line in output.lines() {
        let (rank, words) = split(line);
        if let Some(number) = words.strip_prefix(MARK) {
            at.insert(rank, number.trim().parse().unwrap_or(usize::MAX));
        } else if rank.is_empty() || at.get(rank).is_none_or(|at| *at == cell) {
            text += line;
            text.push('\n');
        }
    }
    text
}

fn split(line: &str) -> (&str, &str) {
    let end = match (line.starts_with('['), line.find("]<std"), line.find("] ")) {
        (true, Some(_), _) => line.find(">:").map(|at| at + 2),
        (true, None, Some(at)) => Some(at + 2),
        _ => None,
    };
    line.split_at(end.unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_other_cells_are_left_out() {
        for [one, two] in [["[1,0]<stderr>:", "[1,1]<stderr>:"], ["[0] ", "[1] "]] {
            let output = format!(
                "{one}before\n{one}{MARK}6\n{one}no\n{two}{MARK}6\n{one}{MARK}7\n{one}yes\n\
                 {two}no\nlauncher\n{two}{MARK}7\n{two}yes too\n{two}{MARK}8\n{two}no\n"
            );
            let expected = format!("{one}before\n{one}yes\nlauncher\n{two}yes too\n");
            assert_eq!(of_cell(&output, 7), expected);
        }
    }
}
