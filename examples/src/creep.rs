//! Soil creep.

use crate::adi::Sweep;
use crate::dem::Dem;

/// Soil creep over a number of time steps.
///
/// Creep carries soil downhill in proportion to the slope, so elevation obeys the heat equation
/// `∂z/∂t = κ ∇²z` (W. E. H. Culling, "Analytical theory of erosion", Journal of Geology 68 (1960)
/// 336–344). No soil crosses the border of the model, so the mean elevation stays.
pub struct Creep {
    pub rows: Sweep,
    pub columns: Sweep,
    /// Time steps.
    pub steps: u64,
    /// `κ Δt`, in square metres.
    diffused: f64,
}

impl Creep {
    /// `κ`, in square metres a year: a usual figure for soil-mantled hillslopes.
    pub const DIFFUSIVITY: f64 = 0.01;

    /// Takes `steps` steps on a model, each twice as long as an explicit method's longest.
    pub fn new(dem: &Dem, steps: u64) -> Self {
        let (east, north) = (dem.spacing.east.powi(2), dem.spacing.north.powi(2));
        // An explicit method blows up above half of this: its limit is κ Δt (1/Δx² + 1/Δy²) ≤ 1/2.
        let diffused = 1.0 / (1.0 / east + 1.0 / north);
        let [rows, columns] = dem.extents;
        Self {
            rows: Sweep::new(columns, diffused / east),
            columns: Sweep::new(rows, diffused / north),
            steps,
            diffused,
        }
    }

    /// Returns the years of one step.
    pub fn years(&self) -> f64 {
        self.diffused / Self::DIFFUSIVITY
    }
}
