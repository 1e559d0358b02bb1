//! What a person reads.

use crate::process::redist;

fn explained(arguments: &[&str]) -> String {
    let run = redist(&[&["explain"], arguments].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    run.stdout
}

#[test]
fn a_small_one_word_for_word() {
    let expected = "\
1003 elements of f64: 8024 bytes
from        cyclic(10) onto 3: ranks 0..3
to          cyclic(2) onto 3: ranks 0..3

dimension 0 kr→r, k = 5, r = 2; blocks of 10 on 3 → blocks of 2 on 3; window of 10 elements in 5
            pieces, 502 in all; no table

messages    9 messages that are not empty, of 66 to 136 elements (1088 bytes); 334 elements (33.3 %)
            stay on their ranks
                to    0    1    2
            from 0  136  136   68
            from 1  133   66  134
            from 2   66  132  132

schedule    circulant: 3 steps";
    let found = explained(&["[f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }"]);
    assert!(found.starts_with(expected), "{found}");
    assert!(
        found.contains(
            "\npeak        1350 elements (10.5 KiB) for arrays and messages, on the rank that needs the most\n"
        )
    );
    assert!(found.ends_with("\ndigest      a0a27680e7c89307\n\n"), "{found}");
}

#[test]
fn lines_are_not_too_long() {
    let sizes = (1..=60).map(|size| size.to_string()).collect::<Vec<_>>().join(", ");
    for text in [
        format!("struct Long: [Particle; {}] {{ from: gen_block([{sizes}]) onto 60, to: cyclic onto 7 }}", 60 * 61 / 2),
        "[f32; 100000, 90000, 80] { from: (cyclic(63), block, *) onto (1000, 1000), to: (cyclic(64), *, block) onto (1000, 80) }".into(),
    ] {
        let found = explained(&[&text, "--rank", "5"]);
        assert!(found.lines().all(|line| line.chars().count() <= 100), "{found}");
    }
}

#[test]
fn a_rank_and_its_messages() {
    let found = explained(&["[f64; 1003] { from: cyclic(10) onto 3, to: block onto 2 ranks 2..4 }", "--rank", "3"]);
    assert!(
        found.contains(
            "rank 3\n            sends nothing: it is not in that grid\n            receives 501 elements (4008 bytes)"
        ),
        "{found}"
    );
    assert!(found.contains("\n                to    2    3\n            from 0  170  170\n"), "{found}");
    assert!(found.contains("\n              from rank 2: 168 elements (1344 bytes)\n"), "{found}");
}
