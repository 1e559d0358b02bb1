//! Reports of mistakes: the macro's words, at the characters, and exit status 2.

use super::process::{file, redist, redist_with};

fn said(arguments: &[&str]) -> String {
    let run = redist(&[&["explain"], arguments].concat());
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""), "{arguments:?}: {run:?}");
    run.stderr
}

#[test]
fn all_mistakes_at_once() {
    let text = "[f64; 1003] { from: cyclic(0) onto 3, to: cylic(2) ontoo 3 }";
    let expected = "\
error: the block size of source dimension 0 must be at least 1, found 0
 --> command line:1:28
  |
1 | [f64; 1003] { from: cyclic(0) onto 3, to: cylic(2) ontoo 3 }
  |                            ^

error: unknown distribution `cylic`; did you mean `cyclic`?
 --> command line:1:43
  |
1 | [f64; 1003] { from: cyclic(0) onto 3, to: cylic(2) ontoo 3 }
  |                                           ^^^^^

error: unknown modifier `ontoo`; did you mean `onto`?
 --> command line:1:52
  |
1 | [f64; 1003] { from: cyclic(0) onto 3, to: cylic(2) ontoo 3 }
  |                                                    ^^^^^
";
    assert_eq!(said(&[text]), expected);
}

#[test]
fn copies_are_bounded_and_apart() {
    let text =
        "[f64; 10] { from: block onto 2 ranks [0, 2] copies 2, to: * copies 2097152 storage c }";
    let expected = "\
error: rank 2 is in two copies of the source: each copy's ranks are those of the copy before it, each higher by the \
number of ranks of the grid; list ranks for which that is free
 --> command line:1:52
  |
1 | [f64; 10] { from: block onto 2 ranks [0, 2] copies 2, to: * copies 2097152 storage c }
  |                                                    ^

error: the copies of the destination have more than 1048576 ranks in all; ask for fewer
 --> command line:1:68
  |
1 | [f64; 10] { from: block onto 2 ranks [0, 2] copies 2, to: * copies 2097152 storage c }
  |                                                                    ^^^^^^^
";
    assert_eq!(said(&[text]), expected);
}

#[test]
fn several_lines_with_tabs_and_wide_characters() {
    let text = "struct A: [f64; 10, 10] {\n\tfrom: (*, block) onto 3,\n\tto: /* 行列 */ (block, *) onto (2, 2),\n}\n";
    let run = redist_with(text, &["verify", "-"]);
    let expected = "\
error: the destination layout distributes 1 dimension, but its grid has 2 extents; a `*` dimension takes no part of the \
grid, so give 1 extent
 --> standard input:3:35
  |
3 |     to: /* 行列 */ (block, *) onto (2, 2),
  |                                        ^
";
    assert_eq!((run.status, run.stderr.as_str()), (Some(2), expected));
}

#[test]
fn names_without_values() {
    let text = "[f64; m] { from: cyclic(2 * NB) onto 3, to: cyclic(Qr::NB) onto f(3) }";
    let expected = "\
error: the value of `NB` is not known here; give it by `--set NB=...`
 --> command line:1:29
  |
1 | [f64; m] { from: cyclic(2 * NB) onto 3, to: cyclic(Qr::NB) onto f(3) }
  |                             ^^

error: the value of `Qr::NB` is not known here; give it by `--set Qr::NB=...`
 --> command line:1:52
  |
1 | [f64; m] { from: cyclic(2 * NB) onto 3, to: cyclic(Qr::NB) onto f(3) }
  |                                                    ^^^^^^

error: `f(3)` is not computed here, where only + - * / % << and >> of numbers are; write what it comes to
 --> command line:1:65
  |
1 | [f64; m] { from: cyclic(2 * NB) onto 3, to: cyclic(Qr::NB) onto f(3) }
  |                                                                 ^^^^
";
    assert_eq!(said(&[text, "--set", "m=100"]), expected);
}

#[test]
fn values_that_break_a_rule_are_shown_at_their_names() {
    let text = "[f64; 100] { from: cyclic(NB) onto 3, to: block(B) onto 3 }";
    let expected = "\
error: the block size of source dimension 0 must be at least 1, found 0
 --> command line:1:27
  |
1 | [f64; 100] { from: cyclic(NB) onto 3, to: block(B) onto 3 }
  |                           ^^

error: destination dimension 0: `block(20)` on 3 ranks holds 60 elements, but the extent is 100; use `block` (blocks of \
34) or `cyclic(20)`
 --> command line:1:49
  |
1 | [f64; 100] { from: cyclic(NB) onto 3, to: block(B) onto 3 }
  |                                                 ^
";
    assert_eq!(said(&[text, "--set", "NB=0", "--set", "B=20"]), expected);
}

#[test]
fn mistakes_in_values_are_shown_in_the_values() {
    let text = "struct A(peer: Layout<1>): [f64; 100] { from: peer, to: block onto 3 }";
    let expected = "\
error: unknown distribution `blok`; did you mean `block`?
 --> --set peer:1:1
  |
1 | blok(40) onto 2
  | ^^^^

error: source dimension 0: `block(40)` on 2 ranks holds 80 elements, but the extent is 100; use `block` (blocks of 50) \
or `cyclic(40)`
 --> --set peer:1:6
  |
1 | blok(40) onto 2
  |      ^^
";
    assert_eq!(said(&[text, "--set", "peer=blok(40) onto 2"]), expected);
    let unset = said(&[text]);
    assert!(
        unset.starts_with(
            "error: the source `peer` is not known here; give it by `--set 'peer=block onto 4'`\n"
        ),
        "{unset}"
    );
}

#[test]
fn what_is_not_even_tokens() {
    for (text, message, carets) in [
        (
            "[f64; 9] { from: *, to: * ",
            "this `{` is never closed",
            "1 | [f64; 9] { from: *, to: *\n  |          ^\n",
        ),
        ("[f64; 9)", "this `)` closes nothing that is open here", "1 | [f64; 9)\n  |        ^\n"),
        (
            "[f64; 9] { from: § }",
            "`§` has no meaning here",
            "1 | [f64; 9] { from: § }\n  |                  ^\n",
        ),
    ] {
        let found = said(&[text]);
        assert!(
            found.starts_with(&format!("error: {message}\n")) && found.ends_with(carets),
            "{found}"
        );
    }
}

#[test]
fn what_is_missing_at_the_end() {
    let expected = "\
error: expected `:` and the array, as in `struct A: [f64; 1000] { ... }`
 --> items.txt:2:9
  |
2 | struct A
  |         ^
";
    let path = file("items.txt", "\nstruct A\n\n");
    let path = path.to_str().expect("a path in UTF-8");
    assert_eq!(said(&[path]).replace(path, "items.txt"), expected);
}

#[test]
fn neither_a_file_nor_a_redistribution() {
    assert!(
        said(&["nothing.txt"])
            .starts_with("error: nothing.txt: neither a file nor a redistribution, such as")
    );
    assert_eq!(
        said(&["fn main() {}", "--name", "A"]).lines().next(),
        Some("error: expected `struct Name: [Element; extents] { from: ..., to: ... }`")
    );
    assert_eq!(redist(&["explain"]).status, Some(2), "clap's own");
}
