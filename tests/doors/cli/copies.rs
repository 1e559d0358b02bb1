//! Sides with copies on the command line.

use super::process::redist;

const ITEM: &str =
    "struct A: [f64; 12, 8] { from: (block, *) onto 2 copies K, to: (*, *) copies 3 }";

#[test]
fn each_copy_is_verified() {
    let run = redist(&["verify", ITEM, "--set", "K=2", "--name", "A"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let starts: Vec<&str> = run
        .stdout
        .lines()
        .map(|line| line.split(": verified: 96 elements").next().unwrap())
        .collect();
    let expected = [(0, 0), (0, 1), (1, 2)]
        .map(|(from, to)| format!("A, copy {from} of the source to copy {to} of the destination"));
    assert_eq!(starts, expected);
}

#[test]
fn each_copy_is_explained() {
    let run = redist(&["explain", ITEM, "--set", "K=2", "--counts", "0"]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let sides: Vec<&str> = run
        .stdout
        .lines()
        .filter(|line| line.starts_with("  from ") || line.starts_with("  to "))
        .collect();
    let (first, second) =
        ("  from (block, *) onto 2: ranks 0..2", "  from (block, *) onto 2 ranks 2..4: ranks 2..4");
    let to = [
        "  to   (*, *): rank 0",
        "  to   (*, *) ranks 1..2: rank 1",
        "  to   (*, *) ranks 2..3: rank 2",
    ];
    assert_eq!(sides, [first, to[0], first, to[1], second, to[2]]);
}

#[test]
fn one_is_drawn() {
    let several = redist(&["draw", ITEM, "--set", "K=1", "-o", "-"]);
    assert_eq!(several.status, Some(2));
    assert!(several.stderr.contains("3 redistributions; choose one by --name: A, copy 0 of"));
    let name = "A, copy 0 of the source to copy 2 of the destination";
    let run = redist(&["draw", ITEM, "--set", "K=1", "-o", "-", "--name", name]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    assert!(run.stdout.contains("</svg>") && run.stdout.contains(name));
}

#[test]
fn ranks_are_not_relabelled() {
    let run = redist(&["explain", ITEM, "--set", "K=2", "--relabel"]);
    assert!(run.stderr.contains("`--relabel` is about one plan"), "{}", run.stderr);
}
