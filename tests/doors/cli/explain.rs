//! `redist explain` as users run it.

use super::process::{redist, redist_at};
use redist::Plan;

fn explained(arguments: &[&str]) -> String {
    let run = redist(&[&["explain"], arguments].concat());
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""), "{arguments:?}");
    run.stdout
}

#[test]
fn a_small_one_word_for_word() {
    let expected = "\
1_003 elements of f64: 8_024 bytes
  from cyclic(10) onto 3: ranks 0..3
  to   cyclic(2) onto 3: ranks 0..3
  dimension 0: kr→r, k = 5, r = 2; blocks of 10 on 3 → blocks of 2 on 3; window of 10 elements in 5
               pieces, 502 in all
  digest a0a27680e7c89307
  334 elements of 1_003 stay on their rank; 9 messages, at most 3 of one rank, so at least 3 steps
  messages of 2 x 136, 1 x 134, 1 x 133, 2 x 132, 1 x 68, 2 x 66 elements
  memory for local arrays and messages: 1_350 elements, on the rank that needs the most
  schedule on a network: circulant: 3 steps";
    let found = explained(&["[f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }"]);
    assert!(found.starts_with(expected), "{found}");
}

#[test]
fn a_plan_s_text_is_the_library_s() {
    let (from, to) = ("(cyclic(64), cyclic(64)) onto (2, 3)", "(*, block) onto 6 storage fortran");
    let plan = Plan::parse([1000, 600], from, to).expect("a plan");
    let found = explained(&[&format!("[f64; 1000, 600] {{ from: {from}, to: {to} }}")]);
    let plain = |text: &str| text.replace('_', "").split_whitespace().collect::<Vec<_>>().join(" ");
    let text = plan.explain();
    let (_, after) = text.split_once('\n').expect("several lines");
    assert!(plain(&found).contains(&plain(after)), "{found}\n{text}");
}

#[test]
fn a_plan_and_a_rank_take_one_screen() {
    for text in [
        "[f64; 100000] { from: cyclic(10) onto 300, to: cyclic(3) onto 400 }",
        "[f64; 1000, 600] { from: scalapack(64, 64, 2, 3), to: (*, block) onto 6 storage fortran }",
        "[f32; 100000, 90000, 80] { from: (cyclic(63), block, *) onto (1000, 1000), to: (cyclic(64), *, block) onto (1000, 80) }",
    ] {
        for rank in [&[][..], &["--rank", "5"]] {
            let run = redist_at(80, &[&["explain", text], rank].concat());
            assert!(run.stdout.lines().count() <= 24, "{}", run.stdout);
        }
    }
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
        let [plan, rank] = [&[][..], &["--rank", "5"]]
            .map(|rank| redist_at(columns, &[&["explain", tiles], rank].concat()).stdout);
        let found = plan + &rank;
        assert!(found.lines().all(|line| line.chars().count() <= columns.min(100)), "{found}");
        assert!(found.lines().any(|line| line.chars().count() > columns.min(100) - 20), "{found}");
        for unit in ["KiB", "MiB"] {
            let stands_alone = |line: &str| line.trim_start().starts_with(unit);
            assert!(!found.lines().any(stands_alone), "{found}");
        }
    }
}

#[test]
fn all_numbers_are_written_in_one_style() {
    let item = "[f64; 32768] { from: cyclic(1250) onto 5, to: cyclic(3904) onto 3 }";
    let found = explained(&[item]) + &explained(&[item, "--rank", "2"]);
    let (before, after) = found.split_once("\n  digest ").expect("a digest");
    let (digest, after) = after.split_once('\n').expect("more lines");
    let text = &format!("{before}\n{after}");
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
    let expected = "
rank 3
  sends nothing: it is not in that grid
  receives 501 elements (4_008 bytes) at coordinates [1], where it holds 501
    3 messages of 1 x 170, 1 x 168, 1 x 163 elements from ranks 0..3
";
    assert!(found.contains(expected), "{found}");
    let text = "[f64; 96] { from: block onto 96, to: cyclic(2) onto 2 }";
    let found = explained(&[text, "--rank", "0"]);
    let folded = "48 messages of 48 x 1 elements from ranks 0..2, 4..6, 8..10,";
    assert!(found.contains(folded) && found.contains("and 12 more ranges"), "{found}");
}

#[test]
fn ranks_by_a_map_are_named() {
    let mapped =
        "[u8; 24] { from: cyclic(3) onto 3 ranks [4, 0, 2], to: block onto 2 ranks [1, 4] }";
    let found = explained(&[mapped, "--rank", "4"]);
    assert!(found.contains("cyclic(3) onto 3 ranks [4, 0, 2]: 3 ranks by a map"), "{found}");
    assert!(found.contains("2 messages of 1 x 6, 1 x 3 elements to ranks 1, 4"), "{found}");
    assert!(found.contains("3 messages of 1 x 6, 2 x 3 elements from ranks 0, 2, 4"), "{found}");
}

#[test]
fn relabelling_tells_what_it_saves() {
    let plain = "[u8; 24] { from: cyclic(3) onto 4, to: cyclic(5) onto 4 }";
    let written = "[u8; 24] { from: cyclic(3) onto 4, to: cyclic(5) onto 4, relabel: to }";
    let (asked, found) = (explained(&["--relabel", plain]), explained(&[written]));
    assert_eq!(asked, found);
    let saving = "
  relabelled: 12 elements (50.0 %) stay, 4 elements (16.7 %) before; no order of these ranks moves
  fewer than 12 elements
";
    assert!(found.contains(saving), "{found}");
}

/// Equal sizes are counted, and each is read a bounded number of times.
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

/// No two neighbours are equal, so that nothing is folded. The text omits the list's middle.
#[test]
fn long_lists_of_given_blocks_take_time_by_their_length() {
    let timed = |ranks: usize| {
        let lengths: Vec<String> = (0..ranks).map(|rank| (rank % 2 + 1).to_string()).collect();
        let (lengths, extent) = (lengths.join(", "), ranks / 2 * 3);
        let text = format!(
            "[f64; {extent}] {{ from: gen_block([{lengths}]) onto {ranks}, to: block onto 7 }}"
        );
        let name = format!("redist-lengths-{}-{ranks}.txt", std::process::id());
        let file = std::env::temp_dir().join(name);
        std::fs::write(&file, text).expect("a file for a long list");
        let begun = std::time::Instant::now();
        let found = explained(&[file.to_str().expect("a path in UTF-8")]);
        let took = begun.elapsed();
        std::fs::remove_file(file).expect("the file is there");
        (found, took)
    };
    let few = (0..3).map(|_| timed(10_000).1).min().expect("three times");
    let (found, many) = timed(100_000);
    // If each block is searched from the first on, ten times the blocks take fifty times as long.
    assert!(many < 30 * few, "{many:?} beside {few:?}");
    let middle = "1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 99_976 more, 1, 2";
    assert!(found.contains(middle), "{found}");
    assert!(found.lines().count() < 40, "{found}");
}
