//! Draws maps.

use crate::Fallible;
use crate::dem::Spacing;
use crate::relief::Relief;
use std::fs::{self, File};
use std::io::BufWriter;
use std::path::Path;

/// Draws a map under a low sun, whose longer side has this many pixels.
pub fn hillshade(relief: &Relief, spacing: Spacing, longer_side: f64) -> Picture {
    let scale = Scale::new(relief.extents, spacing, longer_side);
    Picture::paint(scale.width, scale.height, |x, y| {
        let place = scale.place(x, y);
        Relief::color(place.sample(&relief.shade), place.sample(&relief.height))
    })
}

/// Pixels, three bytes each, row by row.
pub struct Picture {
    /// Pixels of a row.
    width: u32,
    /// Rows of pixels.
    height: u32,
    /// Red, green and blue of each pixel.
    pixels: Vec<u8>,
}

impl Picture {
    /// Paints with red, green and blue from 0 to 255; other values are cut.
    pub fn paint(width: u32, height: u32, color: impl Fn(u32, u32) -> [f64; 3]) -> Self {
        let line = |y| (0..width).map(move |x| (x, y));
        let pixels = (0..height)
            .flat_map(line)
            .flat_map(|(x, y)| color(x, y))
            .map(|band| band.round() as u8);
        Self { width, height, pixels: pixels.collect() }
    }

    /// Writes a PNG file, and its folder if there is none.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> Fallible<()> {
        self.encode(path).map_err(|error| format!("{}: {error}", path.display()).into())
    }

    fn encode(&self, path: &Path) -> Fallible<()> {
        fs::create_dir_all(path.parent().unwrap_or(path))?;
        let mut encoder =
            png::Encoder::new(BufWriter::new(File::create(path)?), self.width, self.height);
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        let mut writer = encoder.write_header()?;
        writer.write_image_data(&self.pixels)?;
        Ok(writer.finish()?)
    }
}

/// The scale from cells to pixels, with the lengths of the landscape.
pub struct Scale {
    /// Pixels of a row.
    pub width: u32,
    /// Rows of pixels.
    pub height: u32,
    /// Rows and columns of cells.
    extents: [usize; 2],
}

impl Scale {
    /// Fits rows and columns of cells to a picture whose longer side has this many pixels.
    pub fn new(extents: [usize; 2], spacing: Spacing, longer_side: f64) -> Self {
        let (north, east) = (extents[0] as f64 * spacing.north, extents[1] as f64 * spacing.east);
        let pixels = |length: f64| (longer_side * length / north.max(east)).round().max(1.0) as u32;
        Self { width: pixels(east), height: pixels(north), extents }
    }

    /// Returns the place of a pixel's middle among the cells.
    pub fn place(&self, x: u32, y: u32) -> Place {
        let row = Between::new(y, self.height, self.extents[0]);
        let column = Between::new(x, self.width, self.extents[1]);
        Place { row, column, columns: self.extents[1] }
    }
}

/// A pixel's place between cells.
pub struct Place {
    row: Between,
    column: Between,
    /// Columns of cells.
    columns: usize,
}

impl Place {
    /// Interpolates a value of each cell bilinearly.
    pub fn sample(&self, cells: &[f64]) -> f64 {
        let in_row = |row: usize| self.column.mix(|column| cells[row * self.columns + column]);
        self.row.mix(in_row)
    }

    pub fn cell(&self) -> [usize; 2] {
        [self.row.nearest(), self.column.nearest()]
    }
}

/// A place between two neighbouring cells.
struct Between {
    /// The cell before it.
    low: usize,
    /// The cell after it.
    high: usize,
    /// Part of the way from the former to the latter, 0 to 1.
    part: f64,
}

impl Between {
    fn new(pixel: u32, pixels: u32, cells: usize) -> Self {
        let place = (f64::from(pixel) + 0.5) / f64::from(pixels) * cells as f64 - 0.5;
        let place = place.clamp(0.0, (cells - 1) as f64);
        let low = place as usize;
        Self { low, high: (low + 1).min(cells - 1), part: place - low as f64 }
    }

    fn mix(&self, value: impl Fn(usize) -> f64) -> f64 {
        value(self.low) * (1.0 - self.part) + value(self.high) * self.part
    }

    fn nearest(&self) -> usize {
        if self.part < 0.5 { self.low } else { self.high }
    }
}
