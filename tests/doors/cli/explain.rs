//! What a person reads.

use super::process::{redist, redist_at};

fn explained(arguments: &[&str]) -> String {
    let run = redist(&[&["explain"], arguments].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    run.stdout
}

#[test]
fn a_small_one_word_for_word() {
    let expected = "\
1_003 elements of f64: 8_024 bytes
from        cyclic(10) onto 3: ranks 0..3
to          cyclic(2) onto 3: ranks 0..3

dimension 0 kr→r, k = 5, r = 2; blocks of 10 on 3 → blocks of 2 on 3; window of 10 elements in 5
            pieces, 502 in all; no table

messages    9 messages that are not empty, of 66 to 136 elements (1_088 bytes); a rank sends or
            receives at most 2; 334 elements (33.3 %) stay on their ranks
                to    0    1    2
            from 0  136  136   68
            from 1  133   66  134
            from 2   66  132  132

schedule    circulant: 3 steps";
    let found = explained(&["[f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }"]);
    assert!(found.starts_with(expected), "{found}");
    assert!(found.contains(
        "\npeak        1_350 elements (10.5 KiB) for arrays and messages, on the rank that needs the most\n"
    ));
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
fn lines_fit_the_terminal_and_numbers_stay_with_their_units() {
    let tiles =
        "[f64; 1000, 600] { from: scalapack(64, 64, 2, 3), to: (*, block) onto 6 storage fortran }";
    for columns in [60, 80, 100, 120] {
        let found = redist_at(columns, &["explain", tiles, "--rank", "5"]).stdout;
        assert!(found.lines().all(|line| line.chars().count() <= columns.min(100)), "{found}");
        assert!(found.lines().any(|line| line.chars().count() > columns.min(100) - 20), "{found}");
        for unit in ["%", "KiB", "MiB", "ms"] {
            let stands_alone = |line: &str| line.trim_start().starts_with(unit);
            assert!(
                found.contains(&format!(" {unit}")) && !found.lines().any(stands_alone),
                "{found}"
            );
        }
    }
}

#[test]
fn all_numbers_are_written_in_one_style() {
    let found = explained(&[
        "[f64; 32768] { from: cyclic(1250) onto 5, to: cyclic(3904) onto 3 }",
        "--rank",
        "2",
    ]);
    assert!(found.contains("\n            from 0"), "a table of counts: {found}");
    let (text, digest) = found.split_once("\ndigest").expect("a digest");
    let long = |word: &str| word.len() > 3 && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_word =
        |character: char| character.is_alphanumeric() || character == '_' || character == '.';
    let words: Vec<&str> = text.split(|character| !is_word(character)).collect();
    assert!(words.iter().all(|word| !long(word)), "{text}");
    assert!(["3_904", "32_768", "1_250"].iter().all(|number| words.contains(number)), "{text}");
    assert_eq!(digest.trim().len(), 16);
}

#[test]
fn a_rank_and_its_messages() {
    let found = explained(&[
        "[f64; 1003] { from: cyclic(10) onto 3, to: block onto 2 ranks 2..4 }",
        "--rank",
        "3",
    ]);
    assert!(
        found.contains(
            "rank 3\n            sends nothing: it is not in that grid\n            receives 501 elements (4_008 bytes)"
        ),
        "{found}"
    );
    assert!(
        found.contains("\n                to    2    3\n            from 0  170  170\n"),
        "{found}"
    );
    assert!(found.contains("\n              from rank 2: 168 elements (1_344 bytes)\n"), "{found}");
}

#[test]
fn ranks_by_a_map_are_named_in_the_table() {
    let mapped =
        "[u8; 24] { from: cyclic(3) onto 3 ranks [4, 0, 2], to: block onto 2 ranks [1, 4] }";
    let found = explained(&[mapped]);
    assert!(found.contains("cyclic(3) onto 3 ranks [4, 0, 2]: 3 ranks by a map"), "{found}");
    let rows = ["    to  1  4\n", "from 4  6  3\n", "from 0  3  6\n", "from 2  3  3\n"];
    assert!(rows.iter().all(|row| found.contains(row)), "{found}");
}

#[test]
fn relabelling_tells_what_it_saves() {
    let plain = "[u8; 24] { from: cyclic(3) onto 4, to: cyclic(5) onto 4 }";
    let written = "[u8; 24] { from: cyclic(3) onto 4, to: cyclic(5) onto 4, relabel: to }";
    let (asked, found) = (explained(&["--relabel", plain]), explained(&[written]));
    assert_eq!(asked, found);
    let saving = "
relabelled  12 elements (50.0 %) stay, 4 elements (16.7 %) before; no order of these ranks moves
            fewer than 12 elements
";
    assert!(found.contains(saving), "{found}");
}

/// Sizes that are alike are counted, and each is looked at a bounded number of times.
#[test]
fn many_given_blocks_are_few_words_and_little_work() {
    let text = "[f64; 150000] { from: block onto 100000, to: gen_block([2 x 50000, 1 x 50000]) onto 100000 }";
    let begun = std::time::Instant::now();
    let found = explained(&[text, "--counts", "0"]);
    // It takes minutes if each rank's block is searched from the first on.
    assert!(begun.elapsed().as_secs() < 20, "{:?}", begun.elapsed());
    assert!(found.contains("gen_block([2 x 50_000, 1 x 50_000]) onto 100_000"), "{found}");
    assert!(found.lines().count() < 40, "{found}");
}
