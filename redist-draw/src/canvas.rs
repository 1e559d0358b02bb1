//! Pictures: groups of shapes and text that grow downwards.

use super::metrics::{BODY, HEADING, SMALL, wrapped};
use super::palette::{INK, PAPER, QUIET, text_on};
use super::scale::Area;
use redist_plan::plan::Side;
use svg::Node;
use svg::node::element::{Group, Line, Rectangle, Text, Title};

/// Width of a picture, in pixels.
pub const WIDTH: f64 = 920.0;

/// The width of each of two pictures side by side.
pub const HALF: f64 = (WIDTH - 40.0) / 2.0;

/// The point of a text that its position names.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// Left end.
    Start,
    /// Middle.
    Middle,
    /// Right end.
    End,
}

/// One picture. Its origin is the upper left corner.
#[derive(Debug)]
pub struct Canvas {
    group: Group,
    /// Pixels that are used, from the top.
    pub bottom: f64,
}

impl Canvas {
    pub fn new(class: &str, heading: &str, notes: &[String]) -> Self {
        let mut canvas = Self { group: Group::new().set("class", class), bottom: HEADING };
        for line in wrapped(heading, HEADING, WIDTH, 2) {
            canvas.group.append(
                text(&line, (0.0, canvas.bottom), HEADING, Anchor::Start).set("font-weight", 600),
            );
            canvas.bottom += HEADING * 1.35;
        }
        for line in notes.iter().flat_map(|note| wrapped(note, BODY, WIDTH, 3)) {
            canvas.label(&line, (0.0, canvas.bottom), BODY, Anchor::Start);
            canvas.bottom += BODY * 1.45;
        }
        canvas.bottom += 6.0;
        canvas
    }

    pub fn add(&mut self, node: impl Into<Box<dyn Node>>) {
        self.group.append(node);
    }

    pub fn label(&mut self, words: &str, at: (f64, f64), size: f64, anchor: Anchor) {
        self.add(text(words, at, size, anchor).set("fill", QUIET));
    }

    /// Writes lines of quiet text from the picture's bottom on, which moves below them.
    pub fn lines(&mut self, words: &str, x: f64, width: f64) {
        for line in wrapped(words, BODY, width, 3) {
            self.bottom += BODY * 1.45;
            self.label(&line, (x, self.bottom - BODY * 0.45), BODY, Anchor::Start);
        }
    }

    pub fn fill(&mut self, class: &str, area: Area, color: &str) {
        self.add(rectangle(area).set("class", class).set("fill", color));
    }

    /// Draws a rectangle, with a text inside if it fits, and one under the pointer.
    pub fn block(&mut self, class: &str, area: Area, fill: &str, inside: &str, pointed_at: &str) {
        let block = rectangle(area).set("class", class).set("fill", fill);
        self.add(block.add(Title::new(pointed_at)));
        self.inside(area, fill, inside);
    }

    pub fn inside(&mut self, area: Area, fill: &str, words: &str) {
        if !words.is_empty() && area.fits(words, SMALL) {
            let middle = (area.x + area.width / 2.0, area.y + area.height / 2.0 + SMALL * 0.36);
            self.add(text(words, middle, SMALL, Anchor::Middle).set("fill", text_on(fill)));
        }
    }

    /// Draws both sides from one height on, down to the lower end.
    pub fn side_by_side(&mut self, mut draw: impl FnMut(&mut Self, Side, f64)) {
        let top = self.bottom;
        let bottoms = [(Side::Source, 0.0), (Side::Destination, WIDTH - HALF)].map(|(side, x)| {
            self.bottom = top;
            draw(self, side, x);
            self.bottom
        });
        self.bottom = bottoms[0].max(bottoms[1]);
    }

    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str, width: f64) {
        let (from, to) = ((pixel(from.0), pixel(from.1)), (pixel(to.0), pixel(to.1)));
        let line = Line::new().set("x1", from.0).set("y1", from.1).set("x2", to.0).set("y2", to.1);
        self.add(line.set("stroke", color).set("stroke-width", width));
    }

    pub fn finish(self) -> (Group, f64) {
        (self.group, self.bottom)
    }
}

pub fn rectangle(area: Area) -> Rectangle {
    let Area { x, y, width, height } = area;
    let stroke = if width < 3.0 || height < 3.0 { 0.0 } else { 1.0 };
    let rectangle = Rectangle::new().set("x", pixel(x)).set("y", pixel(y));
    let rectangle = rectangle.set("width", pixel(width)).set("height", pixel(height));
    rectangle.set("stroke", PAPER).set("stroke-width", stroke)
}

pub fn text(words: &str, at: (f64, f64), size: f64, anchor: Anchor) -> Text {
    let anchor = match anchor {
        Anchor::Start => "start",
        Anchor::Middle => "middle",
        Anchor::End => "end",
    };
    let text = Text::new(words).set("x", pixel(at.0)).set("y", pixel(at.1)).set("font-size", size);
    text.set("text-anchor", anchor).set("fill", INK)
}

/// A hundredth of a pixel is exact enough, and keeps files short.
fn pixel(length: f64) -> f64 {
    (length * 100.0).round() / 100.0
}
