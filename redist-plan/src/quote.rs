//! Quotes a text in an error, with marks under its place, and shows how two texts differ.

use core::fmt::Write as _;
use core::ops::Range;

/// Most columns of a quoted line; longer lines are cut.
const WIDTH: usize = 100;

/// Columns before the first mark in a line that is cut.
const BEFORE: usize = 40;

/// Returns the line where `span` (bytes) begins, and a line of marks, each after a line break.
#[doc(hidden)]
pub fn marked(text: &str, span: &Range<usize>) -> String {
    let start = text.floor_char_boundary(span.start);
    let end = text.floor_char_boundary(span.end).max(start);
    let begins = text[..start].rfind('\n').map_or(0, |line_break| line_break + 1);
    let column = text[begins..start].chars().count();
    let mark = column..column + text[start..end].chars().count();
    let line = text[begins..].lines().next().unwrap_or_default();
    let (line, cut) = window(line, column);
    format!("\n  {line}\n  {}", marks(&[mark], cut, &line))
}

/// Returns the lines that differ, each after a line break and its origin, with marks under the
/// words.
pub fn differences([here, ours]: [&str; 2], [there, theirs]: [&str; 2]) -> String {
    let (mut quoted, width) = (String::new(), here.chars().count().max(there.chars().count()));
    for (ours, theirs) in differing_lines(ours, theirs) {
        let places = differing_words(ours, theirs);
        let first = places.first().map_or(0, |place| place.start);
        let ((ours, _), (theirs, cut)) = (window(ours, first), window(theirs, first));
        let marks = marks(&places, cut, &theirs);
        let _ = write!(
            quoted,
            "\n  {here:width$}: {ours}\n  {there:width$}: {theirs}\n    {:width$}{marks}",
            ""
        );
    }
    quoted
}

/// Returns the first words of the lines that differ.
pub fn subjects<'a>(ours: &'a str, theirs: &'a str) -> Vec<&'a str> {
    let first = |(line, _): (&'a str, _)| line.split_whitespace().next().unwrap_or_default();
    differing_lines(ours, theirs).map(first).collect()
}

fn differing_lines<'a>(ours: &'a str, theirs: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
    ours.lines().zip(theirs.lines()).filter(|(ours, theirs)| ours != theirs)
}

/// Returns the columns of differing words; all from the first difference if counts differ.
fn differing_words(ours: &str, theirs: &str) -> Vec<Range<usize>> {
    let (ours, theirs) = (words(ours), words(theirs));
    let same = |(ours, theirs): &(&Word<'_>, &Word<'_>)| ours.text == theirs.text;
    if ours.len() == theirs.len() {
        let pairs = ours.iter().zip(&theirs).filter(|pair| !same(pair));
        return pairs.map(|(_, theirs)| theirs.columns.clone()).collect();
    }
    let front = ours.iter().zip(&theirs).take_while(same).count();
    let rest = ours.len().min(theirs.len()) - front;
    let back = ours.iter().rev().zip(theirs.iter().rev()).take(rest).take_while(same).count();
    let end = theirs.last().map_or(0, |word| word.columns.end);
    let start = theirs.get(front).map_or(end, |word| word.columns.start);
    // Nothing is between where words are missing.
    let between = theirs[front..theirs.len() - back].last();
    let whole = start..between.map_or(start, |word| word.columns.end);
    vec![whole]
}

/// One word of a line that is compared.
struct Word<'a> {
    text: &'a str,
    /// Its columns in the line, counted in characters from 0.
    columns: Range<usize>,
}

fn words(line: &str) -> Vec<Word<'_>> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let (mut words, mut rest, mut column) = (Vec::new(), line, 0);
    while let Some(first) = rest.chars().next() {
        let end = if is_part(first) {
            rest.find(|c| !is_part(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        let (text, after) = rest.split_at(end);
        let columns = column..column + text.chars().count();
        (rest, column) = (after, columns.end);
        if !first.is_whitespace() {
            words.push(Word { text, columns });
        }
    }
    words
}

/// Cuts a long line to a window, and counts the columns left out before it.
fn window(line: &str, column: usize) -> (String, usize) {
    let length = line.chars().count();
    if length <= WIDTH {
        return (line.to_owned(), 0);
    }
    let start = column.saturating_sub(BEFORE).min(length - WIDTH);
    let shown = line.chars().enumerate().skip(start).take(WIDTH).map(|(at, character)| {
        let is_cut = (at == start && start > 0) || (at + 1 == start + WIDTH && at + 1 < length);
        if is_cut { '…' } else { character }
    });
    (shown.collect(), start)
}

fn marks(places: &[Range<usize>], cut: usize, line: &str) -> String {
    // One more than the line has: its end may be what is wrong.
    let end = cut + line.chars().count() + 1;
    let mut marks = String::new();
    for place in places.iter().filter(|place| place.start < end) {
        let start = place.start - cut;
        let _ = write!(marks, "{:blank$}", "", blank = start - marks.chars().count());
        let length = (place.end.min(end) - place.start).max(1);
        let _ = write!(marks, "{:^<length$}", "");
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_in_question_is_quoted_with_a_mark() {
        let text = "block onto 2\nÄ cylic onto 2";
        assert_eq!(marked(text, &(16..21)), "\n  Ä cylic onto 2\n    ^^^^^");
        assert_eq!(marked("block", &(5..5)), "\n  block\n       ^");
        assert_eq!(marked("", &(0..0)), "\n  \n  ^");
        assert_eq!(marked("é", &(1..900)), "\n  é\n  ^");
    }

    #[test]
    fn long_lines_are_cut_around_the_mark() {
        let sizes: Vec<String> = (100..400).map(|size| size.to_string()).collect();
        let text = sizes.join(", ");
        let at = text.find("250").unwrap();
        let quoted = marked(&text, &(at..at + 3));
        let lines: Vec<&str> = quoted.lines().skip(1).collect();
        let column = lines[1].find('^').unwrap();
        let shown: Vec<char> = lines[0].chars().collect();
        assert_eq!(shown.len(), WIDTH + 2);
        assert_eq!(shown[column..column + 3], ['2', '5', '0']);
        assert_eq!((shown[2], shown[WIDTH + 1]), ('…', '…'));
    }

    fn found(ours: &str, theirs: &str) -> String {
        differences(["rank 0", ours], ["rank 12", theirs])
    }

    #[test]
    fn only_what_differs_is_marked() {
        let quoted = found(
            "array [9]\nfrom cyclic(64) onto 4\nto *",
            "array [9]\nfrom cyclic(32) onto 2\nto *",
        );
        let expected = "\n  rank 0 : from cyclic(64) onto 4\n  rank 12: from cyclic(32) onto 2\n                       ^^       ^";
        assert_eq!(quoted, expected);
        assert_eq!(subjects("a 1\nb 2\nc 3", "a 1\nb 3\nc 4"), ["b", "c"]);
    }

    #[test]
    fn more_or_fewer_words_are_one_mark() {
        let marked = |ours, theirs| match differing_words(ours, theirs).as_slice() {
            [one] => (one.start, one.end),
            several => panic!("{several:?}"),
        };
        assert_eq!(marked("to (*, block(5)) onto 6", "to (block(5), *, *) onto 6"), (4, 18));
        assert_eq!(marked("onto 6 storage fortran", "onto 6"), (6, 6));
        assert_eq!(marked("onto 6 order col at 1", "onto 6 at 1"), (7, 7));
        assert_eq!(marked("onto 6", "onto 6 order col"), (7, 16));
        assert_eq!(marked("a", "a a"), (2, 3));
    }

    #[test]
    fn long_lists_are_shown_where_they_differ() {
        let list = |last: usize| {
            format!("from gen_block({:?})", (0..200).chain([last]).collect::<Vec<_>>())
        };
        let quoted = found(&list(7), &list(9));
        assert!(quoted.lines().all(|line| line.chars().count() <= WIDTH + 12), "{quoted}");
        assert!(quoted.contains(" 199, 7])") && quoted.ends_with('^'), "{quoted}");
        let lines: Vec<Vec<char>> = quoted.lines().map(|line| line.chars().collect()).collect();
        assert_eq!(lines[2][lines[3].len() - 1], '9');
    }
}
