//! `redist verify`.

use crate::process::redist;

#[test]
fn what_was_checked_is_told() {
    let run = redist(&[
        "verify",
        "struct A: [f64; 100, 90] { from: (cyclic(16), *) onto 2, to: (*, cyclic(12)) onto 3 transposed }",
    ]);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    let expected =
        "A: verified: 9000 elements, each written once and in its place, in 6 messages between 2 and 3 ranks, in ";
    assert!(run.stdout.starts_with(expected), "{}", run.stdout);
}
