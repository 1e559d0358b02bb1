//! Pages are well-formed, of bounded size, and no text runs into another text or off the page.

use super::drawn::{attribute, of_class, pages};
use roxmltree::{Document, Node};

/// Left, right, top and bottom of a text.
#[derive(Clone, Debug)]
struct Extent {
    x: (f64, f64),
    y: (f64, f64),
}

fn shift(node: &Node) -> (f64, f64) {
    let moves = node.ancestors().filter_map(|group| group.attribute("transform"));
    moves.fold((0.0, 0.0), |(x, y), words| {
        let numbers = words.trim_start_matches("translate(").trim_end_matches(')');
        let (dx, dy) = numbers.split_once(' ').unwrap();
        (x + dx.parse::<f64>().unwrap(), y + dy.parse::<f64>().unwrap())
    })
}

fn extent(node: &Node) -> (String, Extent) {
    let (words, size) =
        (node.text().unwrap_or_default().trim().to_owned(), attribute(node, "font-size"));
    // Of Helvetica; other fonts are a little wider, and gaps allow for it.
    let advance = if words.chars().any(char::is_alphabetic) { 0.5 } else { 0.56 };
    let width = words.chars().count() as f64 * advance * size;
    let left = match node.attribute("text-anchor") {
        Some("middle") => width / 2.0,
        Some("end") => width,
        _ => 0.0,
    };
    let (dx, dy) = shift(node);
    let (x, y) = (attribute(node, "x") + dx - left, attribute(node, "y") + dy);
    (words, Extent { x: (x, x + width), y: (y - 0.72 * size, y + 0.2 * size) })
}

impl Extent {
    fn meets(&self, other: &Extent) -> bool {
        self.x.0 < other.x.1 && other.x.0 < self.x.1 && self.y.0 < other.y.1 && other.y.0 < self.y.1
    }
}

pub fn assert_legible(svg: &str) {
    let document = Document::parse(svg).unwrap();
    let texts = document.descendants().filter(|node| node.has_tag_name("text"));
    let texts: Vec<_> = texts.map(|node| extent(&node)).collect();
    let root = document.root_element();
    let (width, height) = (attribute(&root, "width"), attribute(&root, "height"));
    assert!(texts.len() > 10);
    for (number, (words, text)) in texts.iter().enumerate() {
        assert!(text.x.0 >= 20.0 && text.x.1 <= width - 20.0, "{words} {text:?}");
        assert!(text.y.0 >= 20.0 && text.y.1 <= height - 20.0, "{words} {text:?}");
        for (others, other) in &texts[..number] {
            assert!(!text.meets(other), "{words} {text:?} {others} {other:?}");
        }
    }
}

#[test]
fn no_text_runs_into_another_or_off_the_page() {
    pages().iter().for_each(|svg| assert_legible(svg));
}

#[test]
fn titles_are_text_whatever_they_contain() {
    for svg in pages() {
        let document = Document::parse(&svg).unwrap();
        let title = document.descendants().find(|node| node.has_tag_name("title")).unwrap();
        assert_eq!(title.text().map(str::trim), Some("Everything & <more>"));
        for class in ["ownership", "intersection", "volumes", "schedule"] {
            assert_eq!(of_class(&document, class).len(), 1, "{class}");
        }
    }
}

#[test]
fn pages_are_small_whatever_the_array() {
    for svg in pages() {
        let document = Document::parse(&svg).unwrap();
        let rectangles = document.descendants().filter(|node| node.has_tag_name("rect")).count();
        assert!(
            rectangles < 5000 && svg.len() < 600_000,
            "{rectangles} rectangles, {} bytes",
            svg.len()
        );
    }
}

#[test]
fn nothing_is_drawn_outside_the_page_or_at_no_number() {
    for svg in pages() {
        assert!(!svg.contains("NaN") && !svg.contains("inf\""));
        let document = Document::parse(&svg).unwrap();
        let width = attribute(&document.root_element(), "width");
        for node in document
            .descendants()
            .filter(|node| node.has_tag_name("rect") && node.has_attribute("x"))
        {
            let left = attribute(&node, "x") + shift(&node).0;
            assert!(left >= 20.0 && left + attribute(&node, "width") <= width - 20.0, "{node:?}");
        }
    }
}
