//! Plants a slowdown, to show that the guard finds it.

use std::hint::spin_loop;
use std::sync::LazyLock;
use std::time::Instant;

/// The environment's variable with the factor of all work's time.
pub const PLANT: &str = "REDIST_PLANTED_FACTOR";

/// Factor of all work's time, if one is planted.
static FACTOR: LazyLock<Option<f64>> = LazyLock::new(|| std::env::var(PLANT).ok()?.parse().ok());

/// Does the work, and spins after it if a slowdown is planted.
pub fn perhaps_slower<R>(work: impl FnOnce() -> R) -> R {
    match *FACTOR {
        Some(factor) => slower(factor, work),
        None => work(),
    }
}

fn slower<R>(factor: f64, work: impl FnOnce() -> R) -> R {
    let start = Instant::now();
    let result = work();
    let end = start.elapsed().mul_f64(factor);
    while start.elapsed() < end {
        spin_loop();
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn work_takes_as_many_times_as_long() {
        let start = Instant::now();
        slower(3.0, || std::thread::sleep(Duration::from_millis(20)));
        assert!(start.elapsed() >= Duration::from_millis(60));
    }
}
