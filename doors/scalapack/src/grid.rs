//! The processes of a grid, as ranks of the context of a call.

use redist_mpi::{Attribute, Communicator, Error, Key};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A grid's ranks are kept for so many contexts.
const CONTEXTS: usize = 4;

static KEY: Key<Grid> = Key::new();

pub(crate) struct Grid {
    /// Unique among this process's communicators, freed ones too.
    pub serial: u64,
    /// In the last used contexts, by serial number.
    ranks: Mutex<Vec<(u64, Ranks)>>,
}

impl Attribute for Grid {}

/// Row by row of the grid; or the number of a process outside of the context.
pub(crate) type Ranks = Result<Arc<[usize]>, usize>;

impl Grid {
    pub fn of(communicator: &Communicator) -> Result<Arc<Self>, Error> {
        static SERIALS: AtomicU64 = AtomicU64::new(0);
        if let Some(kept) = KEY.kept(communicator)? {
            return Ok(kept);
        }
        let serial = SERIALS.fetch_add(1, Ordering::Relaxed);
        let new = Arc::new(Self { serial, ranks: Mutex::default() });
        KEY.keep(communicator, Arc::clone(&new))?;
        Ok(new)
    }
}

pub(crate) fn ranks(grid: &Communicator, context: &Communicator) -> Result<Ranks, Error> {
    let (kept, serial) = (Grid::of(grid)?, Grid::of(context)?.serial);
    let mut all = kept.ranks.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, ranks)) = all.iter().find(|(of, _)| *of == serial) {
        return Ok(ranks.clone());
    }
    let translated = context.ranks_of(grid)?;
    let ranks = match translated.iter().position(Option::is_none) {
        Some(outside) => Err(outside),
        None => Ok(translated.into_iter().flatten().collect()),
    };
    all.truncate(CONTEXTS - 1);
    all.insert(0, (serial, ranks.clone()));
    Ok(ranks)
}
