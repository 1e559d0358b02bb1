//! What all pictures are made of: areas, rectangles, text, scales.

use super::palette::{INK, PAPER, QUIET, text_on};
use std::ops::Range;
use svg::Node;
use svg::node::element::{Group, Line, Rectangle, Text, Title};

/// Width of every picture, in pixels of the SVG.
pub const WIDTH: f64 = 920.0;
/// Sizes of text: headings, what is read, and numbers on axes and in cells.
pub const HEADING: f64 = 16.0;
/// See [`HEADING`].
pub const BODY: f64 = 12.5;
/// See [`HEADING`].
pub const SMALL: f64 = 10.5;

/// Width of a digit in heights of its font: 0.56 in Helvetica, 0.64 in DejaVu Sans.
const DIGIT: f64 = 0.62;
/// Width of a letter, on average, in the same fonts: 0.48 and 0.53.
const LETTER: f64 = 0.54;

/// How wide a number is.
pub fn width_of(number: &str, size: f64) -> f64 {
    number.chars().count() as f64 * DIGIT * size
}

/// How wide a sentence is.
pub fn width_of_words(words: &str, size: f64) -> f64 {
    words.chars().count() as f64 * LETTER * size
}

/// Breaks a text into at most `most` lines between words; what is left over ends in an ellipsis.
pub fn wrapped(text: &str, size: f64, width: f64, most: usize) -> Vec<String> {
    let mut lines = vec![String::new()];
    for word in text.split(' ') {
        let line = lines.last_mut().expect("it begins with a line");
        if line.is_empty() {
            line.push_str(word);
        } else if width_of_words(line, size) + width_of_words(word, size) + LETTER * size <= width {
            line.push(' ');
            line.push_str(word);
        } else {
            lines.push(word.to_owned());
        }
    }
    let cut = lines.len() > most;
    lines.truncate(most);
    for (number, line) in lines.iter_mut().enumerate() {
        let left = (width / (LETTER * size)) as usize;
        if line.chars().count() > left || (cut && number + 1 == most) {
            *line = line.chars().take(left.saturating_sub(2)).chain(['…']).collect();
        }
    }
    lines
}

/// A rectangle, in pixels.
#[derive(Clone, Copy, Debug)]
pub struct Area {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// To the right.
    pub width: f64,
    /// Downwards.
    pub height: f64,
}

impl Area {
    /// The stretch of `scale` that `range` is, in a row of this height.
    pub fn in_row(scale: &Scale, range: &Range<usize>, y: f64, height: f64) -> Self {
        Self { x: scale.at(range.start), y, width: scale.at(range.end) - scale.at(range.start), height }
    }

    /// The same for rows and columns of a matrix.
    pub fn in_matrix(rows: (&Scale, &Range<usize>), columns: (&Scale, &Range<usize>)) -> Self {
        let y = rows.0.at(rows.1.start);
        Self::in_row(columns.0, columns.1, y, rows.0.at(rows.1.end) - y)
    }

    /// Whether a text fits, with some air.
    pub fn fits(&self, text: &str, size: f64) -> bool {
        self.height >= size * 1.1 && self.width >= width_of(text, size) + 3.0
    }
}

/// A linear map from indices to pixels.
#[derive(Clone, Debug)]
pub struct Scale {
    indices: Range<usize>,
    pixels: (f64, f64),
}

impl Scale {
    /// Spreads `indices` over the pixels from `start`, `length` of them.
    pub fn new(indices: Range<usize>, start: f64, length: f64) -> Self {
        Self { indices, pixels: (start, length) }
    }

    /// Where an index begins.
    pub fn at(&self, index: usize) -> f64 {
        let fraction = (index - self.indices.start) as f64 / self.indices.len().max(1) as f64;
        self.pixels.0 + fraction * self.pixels.1
    }

    /// The first index and the end, each with its pixel.
    pub fn ends(&self) -> ((usize, f64), (usize, f64)) {
        let ((start, length), Range { start: first, end }) = (self.pixels, self.indices.clone());
        ((first, start), (end, start + length))
    }

    /// Round indices for an axis: multiples of `unit`, at most `most` of them.
    pub fn ticks(&self, unit: usize, most: usize) -> Vec<usize> {
        let Range { start, end } = self.indices;
        let enough = (self.indices.len() / most.max(1)).div_ceil(unit.max(1)).max(1);
        let magnitude = 10usize.pow(enough.ilog10());
        let factor = [1, 2, 5].map(|digit| digit * magnitude).into_iter().find(|factor| *factor >= enough);
        let step = factor.unwrap_or(magnitude.saturating_mul(10)).saturating_mul(unit.max(1));
        let first = start.div_ceil(step);
        (first..=end / step).map(|number| number * step).collect()
    }
}

/// Which point of a text its position is.
#[derive(Clone, Copy, Debug)]
pub enum Anchor {
    /// Its left.
    Start,
    /// Its middle.
    Middle,
    /// Its right.
    End,
}

/// One picture: its origin is the upper left corner; it grows downwards.
#[derive(Debug)]
pub struct Canvas {
    group: Group,
    /// How far down it is used.
    pub bottom: f64,
}

impl Canvas {
    /// A picture with a heading, and lines of explanation below it.
    pub fn new(class: &str, heading: &str, notes: &[String]) -> Self {
        let mut canvas = Self { group: Group::new().set("class", class), bottom: HEADING };
        for line in wrapped(heading, HEADING, WIDTH, 2) {
            canvas.group.append(text(&line, (0.0, canvas.bottom), HEADING, Anchor::Start).set("font-weight", 600));
            canvas.bottom += HEADING * 1.35;
        }
        for line in notes.iter().flat_map(|note| wrapped(note, BODY, WIDTH, 3)) {
            canvas.label(&line, (0.0, canvas.bottom), BODY, Anchor::Start);
            canvas.bottom += BODY * 1.45;
        }
        canvas.bottom += 6.0;
        canvas
    }

    /// Puts anything on it.
    pub fn add(&mut self, node: impl Into<Box<dyn Node>>) {
        self.group.append(node);
    }

    /// Quiet text.
    pub fn label(&mut self, words: &str, at: (f64, f64), size: f64, anchor: Anchor) {
        self.add(text(words, at, size, anchor).set("fill", QUIET));
    }

    /// Lines of quiet text from the picture's bottom on, which moves below them.
    pub fn lines(&mut self, words: &str, x: f64, width: f64) {
        for line in wrapped(words, BODY, width, 3) {
            self.bottom += BODY * 1.45;
            self.label(&line, (x, self.bottom - BODY * 0.45), BODY, Anchor::Start);
        }
    }

    /// A coloured rectangle of a class, with a text inside where it fits, and one that is seen when pointed at.
    pub fn block(&mut self, class: &str, area: Area, fill: &str, inside: &str, pointed_at: &str) {
        let mut block = rectangle(area).set("class", class).set("fill", fill);
        if !pointed_at.is_empty() {
            block.append(Title::new(pointed_at));
        }
        self.add(block);
        self.inside(area, fill, inside);
    }

    /// A text in the middle of an area of a colour, if it fits.
    pub fn inside(&mut self, area: Area, fill: &str, words: &str) {
        if !words.is_empty() && area.fits(words, SMALL) {
            let middle = (area.x + area.width / 2.0, area.y + area.height / 2.0 + SMALL * 0.36);
            self.add(text(words, middle, SMALL, Anchor::Middle).set("fill", text_on(fill)));
        }
    }

    /// A straight line.
    pub fn line(&mut self, from: (f64, f64), to: (f64, f64), color: &str, width: f64) {
        let (from, to) = ((pixel(from.0), pixel(from.1)), (pixel(to.0), pixel(to.1)));
        let line = Line::new().set("x1", from.0).set("y1", from.1).set("x2", to.0).set("y2", to.1);
        self.add(line.set("stroke", color).set("stroke-width", width));
    }

    /// The elements and the height.
    pub fn finish(self) -> (Group, f64) {
        (self.group, self.bottom)
    }
}

/// A rectangle without a colour, in thin white lines: neighbours are told apart by them.
pub fn rectangle(area: Area) -> Rectangle {
    let Area { x, y, width, height } = area;
    let stroke = if width < 3.0 || height < 3.0 { 0.0 } else { 1.0 };
    let rectangle = Rectangle::new().set("x", pixel(x)).set("y", pixel(y));
    let rectangle = rectangle.set("width", pixel(width)).set("height", pixel(height));
    rectangle.set("stroke", PAPER).set("stroke-width", stroke)
}

/// A text.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_multiples_of_the_unit() {
        assert_eq!(Scale::new(0..100, 0.0, 1.0).ticks(10, 10), [0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100]);
        assert_eq!(Scale::new(6..1003, 0.0, 1.0).ticks(64, 8), [128, 256, 384, 512, 640, 768, 896]);
        let huge = isize::MAX as usize;
        assert!(Scale::new(0..huge, 0.0, 1.0).ticks(1, 10).len() <= 11);
        assert_eq!(Scale::new(0..0, 0.0, 1.0).ticks(7, 10), [0]);
    }

    #[test]
    fn long_texts_are_broken_and_cut() {
        let lines = wrapped("a layout of gen_block([1, 2, 3]) and so on and on", 10.0, 120.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines[1].ends_with('…'), "{lines:?}");
        assert!(wrapped(&"x".repeat(500), 10.0, 100.0, 3)[0].chars().count() < 20);
    }
}
