//! The processes of a grid, as ranks of the context of a call.

use redist_mpi::{Attribute, Communicator, Error, Key};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Contexts for which a grid's ranks are kept.
const CONTEXTS: usize = 4;

static KEY: Key<Grid> = Key::new();

/// The value that a grid's communicator keeps.
pub(crate) struct Grid {
    /// Unique among this process's communicators, earlier ones included.
    pub serial: u64,
    /// Its ranks in the last used contexts, by their serial numbers.
    ranks: Mutex<Vec<(u64, Ranks)>>,
}

impl Attribute for Grid {}

/// The rank of each process, row by row of the grid; or the number of one outside of the context.
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

/// Returns the ranks of a grid in a context. BLACS numbers a grid's processes row by row. Local.
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
