//! Checks as `plan.rs` does, without a fuzzer: `plan-checks CHECKS [SECONDS [THREADS [SEED]]]`.

use redist_fuzz::plan::check_bytes;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

fn main() {
    let numbers: Vec<u64> = std::env::args().skip(1).filter_map(|text| text.parse().ok()).collect();
    let number = |place: usize, default| numbers.get(place).copied().unwrap_or(default);
    let (wanted, limit, threads) = (number(0, 1_000_000), number(1, u64::MAX), number(2, 1));
    let (began, seed) = (Instant::now(), number(3, 1));
    let limit = Duration::from_secs(limit);
    let (checks, cases) = (AtomicU64::new(0), AtomicU64::new(0));
    let go_on = || checks.load(Relaxed) < wanted && began.elapsed() < limit;
    std::thread::scope(|scope| {
        for thread in 0..threads {
            let (checks, cases, go_on) = (&checks, &cases, &go_on);
            scope.spawn(move || {
                let mut random =
                    Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ thread << 32 | 1);
                while go_on() {
                    checks.fetch_add(check_bytes(&random.bytes()).unwrap_or(0), Relaxed);
                    cases.fetch_add(1, Relaxed);
                }
            });
        }
    });
    let (checks, cases, took) = (checks.into_inner(), cases.into_inner(), began.elapsed());
    println!(
        "{checks} checks of {cases} redistributions in {:.1} s, all right",
        took.as_secs_f64()
    );
    if checks < wanted {
        eprintln!("the time was over before {wanted} checks");
        std::process::exit(1);
    }
}

/// xorshift64*.
struct Random(u64);

impl Random {
    fn bytes(&mut self) -> [u8; 96] {
        let mut bytes = [0; 96];
        for word in bytes.chunks_mut(8) {
            self.0 ^= self.0 >> 12;
            self.0 ^= self.0 << 25;
            self.0 ^= self.0 >> 27;
            word.copy_from_slice(&self.0.wrapping_mul(0x2545_f491_4f6c_dd1d).to_le_bytes());
        }
        bytes
    }
}
