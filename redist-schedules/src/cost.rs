//! The cost model of schedules.

/// A linear model of a message: a startup, and a time for every byte; ranks have one port.
///
/// A step costs its longest message, a schedule its steps (Park, Prasanna and Raghavendra). All at
/// once costs the busiest rank's startups, and its bytes `1 + contention` times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CostModel {
    /// Seconds before the first byte of a message.
    pub startup: f64,
    /// Seconds for a byte.
    pub per_byte: f64,
    /// How much longer a byte takes where messages meet, as a fraction.
    pub contention: f64,
}

impl CostModel {
    /// Ranks that share memory: their copies do not contend.
    pub const SHARED_MEMORY: CostModel =
        CostModel { startup: 2e-7, per_byte: 1e-10, contention: 0.0 };

    /// Assumed, not measured: 2 µs a message, 10 GB/s, and a quarter more for bytes that meet.
    pub const NETWORK: CostModel = CostModel { startup: 2e-6, per_byte: 1e-10, contention: 0.25 };

    /// Returns the seconds for `startups` messages one after the other, with `bytes` in all.
    pub fn seconds(&self, startups: usize, bytes: f64) -> f64 {
        self.startup * startups as f64 + self.per_byte * bytes
    }
}
