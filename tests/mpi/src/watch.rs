//! Ends hanging cells: a thread of each rank watches the clock.

use crate::note::{Note, Place};
use crate::rank;
use std::path::PathBuf;
use std::process;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Time for the harness and the launcher to end the job before the rank ends itself.
const GRACE: Duration = Duration::from_secs(5);

#[derive(Clone)]
pub(crate) struct Watch(Arc<(Mutex<Watched>, Condvar)>);

#[derive(Clone, Copy)]
struct Watched {
    cell: usize,
    limit: Duration,
    since: Instant,
}

impl Watch {
    pub fn new(limit: Duration, job: PathBuf) -> Self {
        let first = Watched { cell: 0, limit, since: Instant::now() };
        let watch = Self(Arc::new((Mutex::new(first), Condvar::new())));
        let watching = watch.clone();
        thread::spawn(move || watching.bite(job));
        watch
    }

    pub fn begin(&self, cell: usize, limit: Duration) {
        let (watched, changed) = &*self.0;
        let next = Watched { cell, limit, since: Instant::now() };
        *watched.lock().unwrap_or_else(PoisonError::into_inner) = next;
        changed.notify_one();
    }

    pub fn cell(&self) -> usize {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).cell
    }

    fn bite(&self, job: PathBuf) {
        let Watched { cell, limit, .. } = self.overdue();
        let (place, rank) = (Place { job: &job, cell }, rank::number());
        if Note::read(place, rank).is_none() {
            let doing = rank::what_it_does();
            eprintln!("rank {rank} is still running after {limit:?}{doing}");
            Note::Failed(format!("still running after {limit:?}{doing}")).write(place, rank);
        }
        thread::sleep(GRACE);
        process::abort();
    }

    fn overdue(&self) -> Watched {
        let (watched, changed) = &*self.0;
        let mut now = watched.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let left = now.limit.saturating_sub(now.since.elapsed());
            if left.is_zero() {
                return *now;
            }
            let waited = changed.wait_timeout(now, left);
            now = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
