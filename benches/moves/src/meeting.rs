//! A barrier of threads, and the time of the work between two of its waits.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::yield_now;
use std::time::Instant;

/// Turns of a loop after which a thread that waits lets others run.
const PATIENCE: usize = 4096;

/// A barrier that spins, as one would write for moves of some microseconds, because that of the
/// standard library sleeps. With fewer cores than threads, a thread that waits long gives way.
#[derive(Debug)]
pub struct Meeting {
    threads: usize,
    arrived: AtomicUsize,
    seconds: AtomicU64,
}

impl Meeting {
    /// For as many threads.
    pub const fn new(threads: usize) -> Self {
        Self { threads, arrived: AtomicUsize::new(0), seconds: AtomicU64::new(0) }
    }

    /// Waits for all.
    pub fn wait(&self) {
        let number = self.arrived.fetch_add(1, Ordering::AcqRel);
        let all = (number / self.threads + 1) * self.threads;
        let mut turns = 0;
        while self.arrived.load(Ordering::Acquire) < all {
            turns += 1;
            if turns % PATIENCE == 0 { yield_now() } else { spin_loop() }
        }
    }

    /// Seconds from when all have come to when the last is done, the same on all threads. One of
    /// them has to be the `first`.
    ///
    /// # Errors
    /// Fails as `work` does on this thread.
    pub fn timed<E>(&self, first: bool, work: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
        self.wait();
        let start = Instant::now();
        let result = work();
        self.wait();
        if first {
            self.seconds.store(start.elapsed().as_secs_f64().to_bits(), Ordering::Relaxed);
        }
        self.wait();
        result.map(|()| f64::from_bits(self.seconds.load(Ordering::Relaxed)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;
    use std::thread::{scope, sleep};
    use std::time::Duration;

    /// The last thread rests after the first has begun, so that the first measures all of the rest.
    #[test]
    fn all_threads_see_the_time_of_the_slowest() {
        let (meeting, begun) = (Meeting::new(3), AtomicUsize::new(0));
        let rest = Duration::from_millis(5);
        let work = |thread: usize, round: usize| {
            if thread == 0 {
                begun.store(round + 1, Ordering::Release);
            } else if thread == 2 {
                while begun.load(Ordering::Acquire) <= round {
                    yield_now();
                }
                sleep(rest);
            }
            Ok::<_, Infallible>(())
        };
        let seconds = |thread: usize| {
            (0..3)
                .map(|round| meeting.timed(thread == 0, || work(thread, round)).unwrap())
                .collect()
        };
        let all: Vec<Vec<f64>> = scope(|scope| {
            let threads: Vec<_> =
                (0..3).map(|thread| scope.spawn(move || seconds(thread))).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        assert_eq!(all[0], all[1]);
        assert_eq!(all[0], all[2]);
        assert!(all[0].iter().all(|seconds| *seconds >= rest.as_secs_f64()), "{all:?}");
    }
}
