//! `redist draw` as users run it.

use super::process::{Run, redist};
use roxmltree::Document;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const KR_TO_R: &str = "[f64; 60] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }";

fn draw(redistribution: &str, options: &[&str]) -> Run {
    redist(&[&["draw", redistribution], options].concat())
}

fn drawn(redistribution: &str, options: &[&str]) -> String {
    let run = draw(redistribution, options);
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    run.stdout
}

fn refused(redistribution: &str, options: &[&str]) -> String {
    let run = draw(redistribution, options);
    assert_eq!((run.status, run.stdout.as_str()), (Some(2), ""));
    run.stderr
}

fn has(svg: &str, class: &str) -> bool {
    Document::parse(svg).unwrap().descendants().any(|node| node.attribute("class") == Some(class))
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn a_file_gets_what_standard_output_would() {
    let file = folder("draw-file").join("kr-to-r.svg");
    assert!(drawn(KR_TO_R, &["-o", file.to_str().unwrap()]).is_empty());
    assert_eq!(fs::read_to_string(file).unwrap(), drawn(KR_TO_R, &["-o", "-"]));
}

#[test]
fn one_picture_or_all_of_them() {
    let kinds = ["ownership", "intersection", "volumes", "schedule"];
    let all = drawn(KR_TO_R, &[]);
    for kind in kinds {
        let alone = drawn(KR_TO_R, &["--what", kind]);
        assert!(has(&all, kind));
        assert_eq!(kinds.map(|other| has(&alone, other)), kinds.map(|other| other == kind));
    }
}

#[test]
fn the_title_is_the_item_s_name_or_the_user_s() {
    let title = |options: &[&str]| {
        let svg = drawn(&format!("struct Kr: {KR_TO_R}"), options);
        let document = Document::parse(&svg).unwrap();
        document
            .descendants()
            .find(|node| node.has_tag_name("title"))
            .and_then(|title| title.text())
            .unwrap()
            .to_owned()
    };
    assert_eq!((title(&[]).as_str(), title(&["--title", "a < \u{1}b"]).as_str()), ("Kr", "a <  b"));
}

#[test]
fn methods_can_be_picked() {
    let steps = |method| {
        let svg = drawn(
            "[f64; 720] { from: cyclic(10) onto 4, to: cyclic(30) onto 6 }",
            &["--method", method],
        );
        let heading =
            svg.lines().find(|line| line.starts_with("Who sends when")).unwrap().to_owned();
        heading.split(": ").nth(1).unwrap().to_owned()
    };
    assert_eq!(steps("circulant"), "circulant, 6 steps, the least there can be");
    assert_eq!(steps("koenig"), "König colouring, 6 steps, the least there can be");
    assert_eq!(steps("caterpillar"), "caterpillar, 6 steps, the least there can be");
}

#[test]
fn tables_are_drawn_or_written() {
    let line = "[f64; 36, 8] { from: (cyclic, *) onto 4, to: (cyclic(3), *) onto 6 }";
    let options = ["--table", "--method", "circulant"];
    assert!(has(&drawn(line, &options), "table"));
    let folder = folder("draw-table");
    let [text, page] = ["table.txt", "table.html"].map(|name| folder.join(name));
    drawn(line, &[&options[..], &["-o", text.to_str().unwrap()]].concat());
    assert!(fs::read_to_string(text).unwrap().contains("   5  5:1  4:1  1:1  0:1\n"));
    let html = refused(line, &["--table", "-o", page.to_str().unwrap()]);
    assert!(html.contains("--table is drawn as SVG"), "{html}");
    assert!(refused(line, &["--table", "--dimension", "2"]).contains("no such dimension"));
    assert!(refused(line, &["--what", "volumes", "--dimension", "0"]).contains("cannot be used"));
}

#[test]
fn the_same_call_draws_the_same_picture() {
    let tiles = "[f64; 100, 90] { from: scalapack(16, 16, 2, 3), to: (block, *) onto 7 }";
    assert_eq!(drawn(tiles, &[]), drawn(tiles, &[]));
}

#[test]
fn what_there_is_not_is_refused() {
    assert!(
        refused(KR_TO_R, &["--pair", "0,3"])
            .contains("rank 3 is none of the destination's, which are 0..3")
    );
    assert!(refused(KR_TO_R, &["--pair", "1"]).contains("two numbers with a comma between them"));
    assert!(refused(KR_TO_R, &["--slice", "2=5"]).contains("there is no such dimension"));
    assert!(
        refused(KR_TO_R, &["--method", "magic"])
            .contains("circulant, closed-form, koenig, caterpillar")
    );
    let unequal = "[f64; 60] { from: cyclic(3) onto 3, to: cyclic(2) onto 3 }";
    assert!(
        refused(unequal, &["--method", "circulant"])
            .contains("neither of the blocks 3 and 2 is a multiple")
    );
    assert!(
        refused("[f64; 0] { from: block onto 2, to: cyclic onto 2 }", &[])
            .contains("dimension 0 has no elements")
    );
}

#[test]
fn a_file_that_cannot_be_written_is_named() {
    let run = draw(KR_TO_R, &["-o", "no/such/folder/picture.svg"]);
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.contains("no/such/folder/picture.svg"), "{}", run.stderr);
}

#[test]
fn the_documentation_s_pictures_are_what_their_commands_draw() {
    let images = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs/images");
    let folder = folder("draw-images");
    let status = Command::new(images.join("make"))
        .arg(&folder)
        .env("REDIST", env!("CARGO_BIN_EXE_redist"))
        .status();
    assert!(status.unwrap().success());
    let drawn: Vec<_> =
        fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(drawn.len() >= 8, "{drawn:?}");
    for name in drawn {
        let [new, committed] =
            [&folder, &images].map(|folder| fs::read_to_string(folder.join(&name)).unwrap());
        assert!(new == committed, "{name:?} is out of date: run docs/images/make");
    }
}
