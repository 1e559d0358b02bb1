//! Puts pictures on a page.

use super::canvas::{Anchor, Canvas, WIDTH, text};
use super::metrics::{BODY, wrapped};
use super::palette::{INK, PAPER, QUIET};
use super::sides::{self, SIDES};
use super::what::PictureKind;
use redist_plan::plan::Plan;
use svg::Document;
use svg::node::element::{Group, Rectangle, Title};

/// Margin of a page, in pixels.
const MARGIN: f64 = 40.0;
/// Height of the font of the title, in pixels.
const TITLE: f64 = 22.0;
/// Space between pictures, in pixels.
const BETWEEN: f64 = 34.0;
/// Font families in the order of preference.
const FONTS: &str = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif";

pub fn page<const D: usize>(plan: &Plan<D>, title: &str, pictures: Vec<Canvas>) -> String {
    // XML has no way to write most control characters.
    let title = &title.replace(char::is_control, " ");
    let mut content = Group::new().set("transform", format!("translate({MARGIN} {MARGIN})"));
    let mut bottom = 0.0;
    for line in wrapped(title, TITLE, WIDTH, 2) {
        bottom += TITLE * 1.2;
        content = content.add(
            text(&line, (0.0, bottom - TITLE * 0.3), TITLE, Anchor::Start).set("font-weight", 600),
        );
    }
    let layouts = SIDES.map(|side| sides::words(plan, side));
    for words in [sides::array(plan)].into_iter().chain(layouts).chain(sides::section_note(plan)) {
        for line in wrapped(&words, BODY, WIDTH, 2) {
            bottom += BODY * 1.45;
            content =
                content.add(text(&line, (0.0, bottom), BODY, Anchor::Start).set("fill", QUIET));
        }
    }
    for picture in pictures {
        let (group, height) = picture.finish();
        bottom += BETWEEN;
        content = content.add(group.set("transform", format!("translate(0 {bottom:.2})")));
        bottom += height;
    }
    document(title, content, (bottom + 2.0 * MARGIN).ceil())
}

pub fn alone(kind: PictureKind, picture: Canvas) -> String {
    let (group, height) = picture.finish();
    let content = group.set("transform", format!("translate({MARGIN} {})", MARGIN / 2.0));
    document(kind.shows(), content, (height + MARGIN).ceil())
}

fn document(title: &str, content: Group, height: f64) -> String {
    let width = WIDTH + 2.0 * MARGIN;
    let paper = Rectangle::new().set("width", width).set("height", height).set("fill", PAPER);
    let document = Document::new()
        .set("viewBox", (0, 0, width, height))
        .set("width", width)
        .set("height", height);
    let document = document.set("font-family", FONTS).set("fill", INK).set("role", "img");
    format!("{}\n", document.add(Title::new(title)).add(paper).add(content))
}
