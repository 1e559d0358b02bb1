//! Prints the solution and its times.

use crate::NB;
use std::fmt;
use std::time::Duration;

/// HPL's bound for the scaled residual of a correct solution.
const BOUND: f64 = 16.0;

/// The limit of the capacitance with more panels, in units of 4πε₀ × side.
const LIMIT: f64 = 0.3668;

/// 4πε₀, in pF/m.
const PICOFARADS: f64 = 111.265;

/// The outcome of a solution.
pub struct Report {
    /// Panels along a side of the plate.
    pub panels: usize,
    /// Number of ranks.
    pub ranks: usize,
    /// Rows and columns of processes.
    pub grid: [usize; 2],
    pub times: Times,
    /// Scaled residual.
    pub residual: f64,
    /// Capacitance in units of 4πε₀ × side.
    pub capacitance: f64,
}

/// Of the slowest rank.
pub struct Times {
    pub assemble: Duration,
    pub bind: Duration,
    pub to_tiles: Duration,
    pub solve: Duration,
    pub to_rows: Duration,
}

impl Report {
    pub fn passed(&self) -> bool {
        self.residual < BOUND
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { panels, ranks, grid: [p, q], times, residual, capacitance } = self;
        let n = panels * panels;
        writeln!(
            f,
            "a conducting square plate in {panels} x {panels} panels: {n} equations, ranks: {ranks}"
        )?;
        writeln!(
            f,
            "(block, *) onto {ranks} → scalapack({NB}, {NB}, {p}, {q}) → (block, *) onto {ranks}\n"
        )?;
        write!(f, "{times}")?;
        let verdict = if self.passed() { "passed" } else { "FAILED" };
        writeln!(
            f,
            "\n‖Ax - b‖ / (‖A‖ ‖x‖ n eps) = {residual:.1e}, which must be less than {BOUND}: {verdict}"
        )?;
        let picofarads = capacitance * PICOFARADS;
        write!(f, "capacitance: {capacitance:.5} × 4πε₀ × side (more panels: {LIMIT}), ")?;
        write!(f, "{picofarads:.1} pF for a side of 1 m")
    }
}

impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let moved = self.to_tiles + self.to_rows;
        let mut line = |what: &str, time: Duration| {
            writeln!(f, "{what:<34}{:>10.2} ms", time.as_secs_f64() * 1e3)
        };
        line("assemble rows", self.assemble)?;
        line("plan and bind", self.bind)?;
        line("rows → tiles, A and b", self.to_tiles)?;
        line("solve (pdgesv)", self.solve)?;
        line("tiles → rows, x", self.to_rows)?;
        let share = 100.0 * moved.as_secs_f64() / (moved + self.solve).as_secs_f64();
        writeln!(f, "redistribution takes {share:.1} % of the time of redistribution and solution")
    }
}
