//! The elevation model, kept as a picture: a grey pixel for each elevation.

use crate::Fallible;
use crate::transpose::transposed;
use png::{BitDepth, ColorType};
use std::fs::File;
use std::io::BufReader;
use std::path::{Path, PathBuf};

/// Elevations on a grid.
pub struct Dem {
    /// In metres, row by row, the northernmost row first.
    pub elevation: Vec<f64>,
    /// Rows and columns.
    pub extents: [usize; 2],
    pub spacing: Spacing,
}

/// Distances of neighbouring elevations.
#[derive(Clone, Copy)]
pub struct Spacing {
    /// Metres from column to column.
    pub east: f64,
    /// Metres from row to row.
    pub north: f64,
}

impl Spacing {
    /// The spacing of the shipped model.
    pub const SHIPPED: Self = Self { east: 74.5, north: 92.7 };
}

impl Dem {
    /// Returns the file of the shipped model, the Jacksboro fault in Tennessee.
    pub fn shipped() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("data/jacksboro_fault_dem.png")
    }

    /// Reads a PNG file of grey pixels of whole metres, with 8 or 16 bits each.
    ///
    /// # Errors
    /// The file cannot be read, or is another sort of picture.
    pub fn read(path: &Path, spacing: Spacing) -> Fallible<Self> {
        let told = |error| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(|error| told(error.into()))?;
        let (elevation, extents) = grey_pixels(BufReader::new(file)).map_err(told)?;
        Ok(Self { elevation, extents, spacing })
    }

    /// Multiplies the rows and columns, by cubic interpolation.
    pub fn refined(&self, times: usize) -> Self {
        let [rows, columns] = self.extents;
        let wide = interpolated(&self.elevation, columns, times);
        let turned = transposed(&wide, [rows, times * columns]);
        let fine = interpolated(&turned, rows, times);
        let Spacing { east, north } = self.spacing;
        Self {
            elevation: transposed(&fine, [times * columns, times * rows]),
            extents: [times * rows, times * columns],
            spacing: Spacing { east: east / times as f64, north: north / times as f64 },
        }
    }

    pub fn lowest(&self) -> f64 {
        self.elevation.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub fn highest(&self) -> f64 {
        self.elevation.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

fn grey_pixels(file: BufReader<File>) -> Fallible<(Vec<f64>, [usize; 2])> {
    let mut picture = png::Decoder::new(file).read_info()?;
    let mut bytes =
        vec![0; picture.output_buffer_size().ok_or("the picture does not fit into memory")?];
    let frame = picture.next_frame(&mut bytes)?;
    let values = match (frame.color_type, frame.bit_depth) {
        (ColorType::Grayscale, BitDepth::Eight) => {
            bytes.iter().map(|byte| f64::from(*byte)).collect()
        }
        (ColorType::Grayscale, BitDepth::Sixteen) => {
            bytes.as_chunks().0.iter().map(|pair| f64::from(u16::from_be_bytes(*pair))).collect()
        }
        (color, depth) => {
            let found = format!("found {color:?} with {} bits", depth as u8);
            return Err(
                format!("an elevation model is grey, with 8 or 16 bits a pixel; {found}").into()
            );
        }
    };
    Ok((values, [frame.height as usize, frame.width as usize]))
}

/// Interpolates each line by the spline of Catmull and Rom through the nearest four. An element is
/// the middle of its cell; the first and the last go on beyond the ends.
fn interpolated(lines: &[f64], len: usize, times: usize) -> Vec<f64> {
    let mut finer = Vec::with_capacity(times * lines.len());
    for line in lines.chunks_exact(len) {
        let at = |index: isize| line[index.clamp(0, len as isize - 1) as usize];
        for index in 0..times * len {
            let place = (index as f64 + 0.5) / times as f64 - 0.5;
            let (below, t) = (place.floor() as isize, place - place.floor());
            let [a, b, c, d] = [-1, 0, 1, 2].map(|offset| at(below + offset));
            let (slope_b, slope_c, rise) = ((c - a) / 2.0, (d - b) / 2.0, c - b);
            let cubic = slope_b + slope_c - 2.0 * rise;
            finer.push(b + t * (slope_b + t * (rise - slope_b - cubic + t * cubic)));
        }
    }
    finer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_shipped_model_is_the_one_of_the_survey() {
        let dem = Dem::read(&Dem::shipped(), Spacing::SHIPPED).expect("it is shipped");
        assert_eq!((dem.extents, dem.lowest(), dem.highest()), ([344, 403], 236.0, 1076.0));
        // Whole numbers, so the sum is exact.
        assert_eq!(dem.elevation.iter().sum::<f64>(), 73_617_913.0);
    }

    #[test]
    fn a_plane_stays_a_plane_when_it_is_refined() {
        let (rows, columns, times) = (6, 7, 4);
        let height = |row: f64, column: f64| 3.0 * row - 2.0 * column + 10.0;
        let cells = (0..rows).flat_map(|row| {
            (0..columns).map(move |column| height(f64::from(row), f64::from(column)))
        });
        let extents = [rows as usize, columns as usize];
        let coarse =
            Dem { elevation: cells.collect(), extents, spacing: Spacing { east: 8.0, north: 4.0 } };
        let fine = coarse.refined(times);
        assert_eq!((fine.extents, fine.spacing.east, fine.spacing.north), ([24, 28], 2.0, 1.0));
        let place = |index: usize| (index as f64 + 0.5) / times as f64 - 0.5;
        // Away from the border, beyond which the outermost elevations are repeated.
        for row in 8..16 {
            for column in 8..20 {
                let expected = height(place(row), place(column));
                assert!(
                    (fine.elevation[row * 28 + column] - expected).abs() < 1e-12,
                    "{row} {column}"
                );
            }
        }
    }

    #[test]
    fn refined_once_it_is_the_same() {
        let elevation = vec![1.5, -2.0, 3.25, 8.0, 0.0, 7.0];
        let dem = Dem { elevation, extents: [2, 3], spacing: Spacing::SHIPPED };
        assert_eq!(dem.refined(1).elevation, dem.elevation);
    }
}
