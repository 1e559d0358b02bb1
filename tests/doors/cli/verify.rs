//! `redist verify` as users run it.

use super::process::redist;

#[test]
fn what_was_checked_is_told() {
    let run = redist(&[
        "verify",
        "struct A: [f64; 100, 90] { from: (cyclic(16), *) onto 2, to: (*, cyclic(12)) onto 3 transposed }",
    ]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let expected = "A: verified: 9_000 elements, each written once and in its place, in 6 messages between 2 and 3 ranks, \
                    without and with window tables, in ";
    assert!(run.stdout.starts_with(expected), "{}", run.stdout);
}

#[test]
fn schedules_are_checked_on_demand() {
    let run = redist(&[
        "verify",
        "[u8; 1200] { from: cyclic(4) onto 4, to: cyclic(6) onto 6 }",
        "--all-methods",
    ]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let lines: Vec<&str> = run.stdout.lines().collect();
    assert!(lines[0].contains(", without and with window tables, in "), "{lines:?}");
    assert!(
        lines[1].starts_with("[1_200] of u8: circulant: does not apply: dimension 0: "),
        "{lines:?}"
    );
    assert!(lines[3].starts_with("[1_200] of u8: König colouring: verified: "), "{lines:?}");
    assert_eq!(lines.len(), 5);
}

#[test]
fn what_is_too_large_is_not_begun() {
    let run = redist(&["verify", "struct Huge: [u8; 1 << 40] { from: block onto 4, to: * }"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""));
    assert!(
        run.stderr
            .starts_with("Huge: not verified: rank 0 holds [274877906944] elements of the source"),
        "{run:?}"
    );
    let empty = redist(&[
        "verify",
        "[u8; 1 << 20, 1 << 22, 1 << 20, 0] { from: (*, *, *, *), to: (block, *, *, *) onto 2 }",
    ]);
    assert_eq!((empty.status, empty.stderr.as_str()), (Some(0), ""));
}

#[test]
fn ranks_by_a_map_are_proven() {
    let text = "[u8; 60, 35] { from: (cyclic(3), block) onto (2, 3) ranks [7, 0, 4, 1, 6, 2], \
                to: (block, cyclic(2)) onto (3, 2) ranks [5, 4, 0, 1, 3, 2] order col transposed }";
    for options in [&["verify", text][..], &["verify", "--relabel", text], &["draw", text]] {
        let run = redist(options);
        assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{options:?}");
    }
}
