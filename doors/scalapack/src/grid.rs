//! The processes of a grid, as ranks of the context of a call.

use redist_mpi::{Attribute, Communicator, Error, Key};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

/// A grid's ranks are kept for so many contexts.
const CONTEXTS: usize = 4;

/// The attribute of communicators that holds their grid.
static KEY: Key<Grid> = Key::new();

/// The processes of a context: their ranks in `MPI_COMM_WORLD`. Processes of a context that reaches
/// other worlds are known only by the number of its communicator.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Processes {
    OfTheWorld(Vec<usize>),
    OfCommunicator(u64),
}

impl Processes {
    /// Returns the processes of a context with this number. Local.
    pub fn of(context: &Communicator, serial: u64) -> Result<Self, Error> {
        let ranks = redist_mpi::world()?.ranks_of(context)?;
        let of_the_world: Option<Vec<usize>> = ranks.into_iter().collect();
        Ok(of_the_world.map_or(Self::OfCommunicator(serial), Self::OfTheWorld))
    }
}

/// A grid's communicator: its number, and its processes as ranks of other contexts.
pub(crate) struct Grid {
    /// Unique among this process's communicators, freed ones too.
    pub serial: u64,
    /// Its processes, once a call has had it for its context.
    pub processes: OnceLock<Arc<Processes>>,
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
        let new = Self { serial, processes: OnceLock::new(), ranks: Mutex::default() };
        let new = Arc::new(new);
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
