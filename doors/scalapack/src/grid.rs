//! The processes of a grid, as ranks of the context that a call is made in.

use crate::attribute::Key;
use crate::communicator::Communicator;
use std::cell::RefCell;
use std::rc::Rc;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many contexts a grid's ranks are remembered for.
const CONTEXTS: usize = 4;

static KEY: Key<Grid> = Key::new();

/// What is kept on a grid's communicator.
pub(crate) struct Grid {
    /// No other communicator of this process has it, nor had.
    serial: u64,
    /// Its ranks in the contexts that were last asked for, by their serial numbers.
    ranks: RefCell<Vec<(u64, Ranks)>>,
}

/// The rank of each process, row by row of the grid; or the number of a process that is not in the
/// context.
pub(crate) type Ranks = Result<Rc<[usize]>, usize>;

impl Grid {
    fn of(communicator: Communicator) -> Rc<Self> {
        static SERIALS: AtomicU64 = AtomicU64::new(0);
        let new = || {
            let serial = SERIALS.fetch_add(1, Ordering::Relaxed);
            KEY.keep(communicator, Self { serial, ranks: RefCell::default() })
        };
        KEY.kept(communicator).unwrap_or_else(new)
    }
}

/// The ranks of a grid in a context. BLACS numbers a grid's processes row by row. Local.
pub(crate) fn ranks(grid: Communicator, context: Communicator) -> Ranks {
    let (kept, serial) = (Grid::of(grid), Grid::of(context).serial);
    if let Some((_, ranks)) = kept.ranks.borrow().iter().find(|(of, _)| *of == serial) {
        return ranks.clone();
    }
    let translated = context.ranks_of(grid);
    let ranks = match translated.iter().position(Option::is_none) {
        Some(outside) => Err(outside),
        None => Ok(translated.into_iter().flatten().collect()),
    };
    let mut all = kept.ranks.borrow_mut();
    all.truncate(CONTEXTS - 1);
    all.insert(0, (serial, ranks.clone()));
    ranks
}
