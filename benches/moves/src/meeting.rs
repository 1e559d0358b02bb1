//! A barrier for moves of some microseconds.

use std::hint::spin_loop;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::yield_now;
use std::time::Instant;

/// Turns of a loop after which a waiting thread yields.
const PATIENCE: usize = 4096;

/// A spinning barrier, as for moves of some microseconds; the standard library's sleeps. With fewer
/// cores than threads, a thread that waits long yields.
#[derive(Debug)]
pub struct Meeting {
    /// Threads that meet.
    threads: usize,
    arrived: AtomicUsize,
    /// Bits of the last work's time, in seconds.
    seconds: AtomicU64,
}

impl Meeting {
    pub const fn new(threads: usize) -> Self {
        Self { threads, arrived: AtomicUsize::new(0), seconds: AtomicU64::new(0) }
    }

    pub fn wait(&self) {
        let number = self.arrived.fetch_add(1, Ordering::AcqRel);
        let all = (number / self.threads + 1) * self.threads;
        let mut turns = 0;
        while self.arrived.load(Ordering::Acquire) < all {
            turns += 1;
            if turns % PATIENCE == 0 { yield_now() } else { spin_loop() }
        }
    }

    /// Returns seconds from the last arrival to the last end, the same on all threads, one of which
    /// is the `first`.
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

    /// The last thread sleeps after the first has begun, whose time includes the sleep.
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
