//! Shades a landscape.

use crate::dem::Dem;

/// Brightness of each cell, and its place between a reference model's lowest and highest, 0 to 1.
pub struct Relief {
    /// Brightness of each cell, 0 to 1.
    pub shade: Vec<f64>,
    /// Height of each cell, 0 to 1.
    pub height: Vec<f64>,
    /// Rows and columns of cells.
    pub extents: [usize; 2],
}

/// Direction of the sun, by the custom of maps: from the north-west, half-way up.
const AZIMUTH_DEGREES: f64 = 315.0;
/// Height of the sun above the horizon.
const ALTITUDE_DEGREES: f64 = 45.0;
/// Slopes of this terrain are gentle; steeper ones throw clearer shades.
const EXAGGERATION: f64 = 2.5;

/// From the lowest to the highest: valley green, pasture, straw, brown, pale rock.
const TINTS: [[f64; 3]; 5] = [
    [92.0, 140.0, 98.0],
    [158.0, 184.0, 120.0],
    [228.0, 214.0, 158.0],
    [190.0, 148.0, 108.0],
    [240.0, 234.0, 228.0],
];

impl Relief {
    /// `reference` sets the colours' scale: two models can be compared by eye.
    pub fn new(dem: &Dem, reference: &Dem) -> Self {
        let (lowest, range) =
            (reference.lowest(), (reference.highest() - reference.lowest()).max(f64::MIN_POSITIVE));
        let height = dem.elevation.iter().map(|elevation| (elevation - lowest) / range).collect();
        let [rows, columns] = dem.extents;
        let shade = (0..rows)
            .flat_map(|row| (0..columns).map(move |column| shade(dem, row, column)))
            .collect();
        Self { shade, height, extents: dem.extents }
    }

    pub fn color(shade: f64, height: f64) -> [f64; 3] {
        let place = height.clamp(0.0, 1.0) * (TINTS.len() - 1) as f64;
        let below = (place as usize).min(TINTS.len() - 2);
        let part = place - below as f64;
        let light = 0.35 + 0.75 * shade;
        std::array::from_fn(|band| {
            light * (TINTS[below][band] * (1.0 - part) + TINTS[below + 1][band] * part)
        })
    }
}

/// Returns the cosine between the sun and the slope's normal. The slope is Horn's, from the eight
/// neighbours (B. K. P. Horn, "Hill shading and the reflectance map", Proceedings of the IEEE 69
/// (1981) 14–47); beyond the border the border is repeated.
fn shade(dem: &Dem, row: usize, column: usize) -> f64 {
    let [rows, columns] = dem.extents;
    let (up, down) = (row.saturating_sub(1), (row + 1).min(rows - 1));
    let (left, right) = (column.saturating_sub(1), (column + 1).min(columns - 1));
    let at = |row: usize, column: usize| dem.elevation[row * columns + column];
    let side = |column| at(up, column) + 2.0 * at(row, column) + at(down, column);
    let edge = |row| at(row, left) + 2.0 * at(row, column) + at(row, right);
    let east = EXAGGERATION * (side(right) - side(left)) / (8.0 * dem.spacing.east);
    let north = EXAGGERATION * (edge(up) - edge(down)) / (8.0 * dem.spacing.north);
    let (azimuth, altitude) = (AZIMUTH_DEGREES.to_radians(), ALTITUDE_DEGREES.to_radians());
    let toward_sun = altitude.cos() * (azimuth.sin() * east + azimuth.cos() * north);
    ((altitude.sin() - toward_sun) / (1.0 + east * east + north * north).sqrt()).max(0.0)
}
