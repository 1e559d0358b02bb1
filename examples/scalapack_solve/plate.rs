//! A unit square at potential 1, and its panels' influence on each other.
//!
//! Harrington's method of moments: constant charge densities on the panels, prescribed potentials
//! in their midpoints. Lengths are in sides of the plate, charges in 4πε₀ × volts × side.

use std::f64::consts::PI;

/// Cut into panels that become narrower towards the edges, where the charge is.
pub struct Plate {
    /// The edges of the panels, along either side.
    edges: Vec<f64>,
}

impl Plate {
    pub fn new(panels: usize) -> Result<Self, String> {
        if !(1..=200).contains(&panels) {
            return Err(format!(
                "{panels} panels along a side: 1 to 200, please; the matrix has PANELS^4 elements"
            ));
        }
        let edge = |k: usize| (1.0 - (PI * k as f64 / panels as f64).cos()) / 2.0;
        Ok(Self { edges: (0..=panels).map(edge).collect() })
    }

    pub fn equations(&self) -> usize {
        self.panels().pow(2)
    }

    /// Returns element (i, j): the potential in panel i's middle of a unit charge density on j.
    pub fn potential(&self, i: usize, j: usize) -> f64 {
        let ([[left, right], [low, high]], [x, y]) = (self.sides(j), self.middle(i));
        let [left, right, low, high] = [left - x, right - x, low - y, high - y];
        corner(right, high) - corner(left, high) - corner(right, low) + corner(left, low)
    }

    pub fn capacitance(&self, densities: &[f64]) -> f64 {
        densities.iter().enumerate().map(|(panel, density)| density * self.area(panel)).sum()
    }

    fn panels(&self) -> usize {
        self.edges.len() - 1
    }

    fn sides(&self, panel: usize) -> [[f64; 2]; 2] {
        [panel % self.panels(), panel / self.panels()].map(|k| [self.edges[k], self.edges[k + 1]])
    }

    fn middle(&self, panel: usize) -> [f64; 2] {
        self.sides(panel).map(|[begin, end]| (begin + end) / 2.0)
    }

    fn area(&self, panel: usize) -> f64 {
        self.sides(panel).iter().map(|[begin, end]| end - begin).product()
    }
}

/// An antiderivative of 1 / sqrt(x² + y²) in both, without the cancellation of ln(y + sqrt(x² +
/// y²)) for y < 0. No midpoint lies on the line through an edge, so neither is 0.
fn corner(x: f64, y: f64) -> f64 {
    x * (y / x.abs()).asinh() + y * (x / y.abs()).asinh()
}
