//! `redist lists` as users run it.

use super::process::{file, redist};

fn lists(name: &str, before: &str, after: &str, more: &[&str]) -> super::process::Run {
    let [before, after] = [("before", before), ("after", after)]
        .map(|(side, text)| file(&format!("{name}-{side}.txt"), text));
    let files = [before.to_str().unwrap(), after.to_str().unwrap()];
    redist(&[&["lists"], &files[..], more].concat())
}

#[test]
fn what_ranks_send_is_told() {
    let run = lists("told", "0..4\n4..8, 9\n8\n", "1..10..2\n\n8 0 0 4..6\n", &[]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(
        lines[0],
        "3 ranks, 10 elements of 10 indices before the move, 10 elements after it"
    );
    let first = "rank 0: has 4 elements, 1 message of 2 runs out; is to have 5 elements, 1 message of 3 runs in; \
                 2 elements to its own array, in 2 runs";
    let partners = [
        "  to rank 2: 2 elements in 2 runs, 2 elements by a list",
        "  from rank 1: 3 elements in 3 runs, 3 elements by a list",
        "  to its own array: 2 elements in 2 runs, 2 elements by a list",
    ];
    assert_eq!((lines[1], &lines[2..5]), (first, &partners[..]));
    let sent = [
        "rank 0 sends rank 2 2 elements",
        "rank 1 sends rank 0 3 elements",
        "rank 1 sends rank 2 2 elements",
    ];
    let [rest @ .., last] = &lines[..] else { panic!("no lines") };
    assert_eq!(rest[rest.len() - 3..], sent);
    assert_eq!(*last, "verified: 10 elements came to their places");
}

#[test]
fn mistakes_name_their_place() {
    let run = lists("wrong", "0..4\n4..x\n", "0\n", &[]);
    assert_eq!(run.status, Some(2));
    let words = "wrong-before.txt, line 2: `4..x` is no index and no range; write an index, `0..4` or `0..12..3`";
    assert!(run.stderr.contains(words), "{}", run.stderr);
    let run = lists("nowhere", "0..4\n", "5\n", &[]);
    assert_eq!(run.status, Some(1));
    assert!(
        run.stderr.contains("rank 0 wants index 5, which no source list has"),
        "{}",
        run.stderr
    );
    let run = lists("twice", "0\n0 1\n", "1\n", &[]);
    assert!(
        run.stderr.contains("index 0 is in the source lists of ranks [0, 1]"),
        "{}",
        run.stderr
    );
    let run = lists("equal", "0\n0 1\n", "1\n", &["--equal"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let run = lists("extent", "0..9\n", "1\n", &["--extent", "5"]);
    assert!(run.stderr.contains("index 5 at place 5, but there are 5 indices"), "{}", run.stderr);
    let run = redist(&["lists", "not-there.txt", "not-there.txt"]);
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.starts_with("not-there.txt: "), "{}", run.stderr);
}
