//! Plans of each list of processes, and the communicator that they are bound to, kept for all
//! contexts of the list until the program ends. Unsafe, because each call may be made by a
//! different thread.

use crate::fault::Fault;
use crate::grid::{Grid, Processes};
use crate::moves::{Move, Own};
use crate::plans::{MOST_BYTES, Plans};
use crate::told::Told;
use redist_mpi::{Communicator, Error, Operation};
use std::sync::{Arc, Mutex, MutexGuard, TryLockError};

/// A list's plans and its communicator.
pub(crate) struct Group {
    /// Shared with each context that lives.
    processes: Arc<Processes>,
    /// Made with the first plan.
    own: Option<Own>,
    plans: Plans<Move>,
    /// Plans made since the last time that all processes dropped theirs: the same on all.
    made: u64,
}

/// All lists, in the order of their first calls.
pub(crate) struct Groups(Vec<Group>);

// SAFETY: plans and communicators are used by the thread that has locked `GROUPS`, which orders its
// uses after uses of other threads. `Own` lets redist use them on any thread. MPI may be called on
// that thread, which `redist_mpi` has checked when the call got its context's communicator.
unsafe impl Send for Groups {}

static GROUPS: Mutex<Groups> = Mutex::new(Groups(Vec::new()));

/// Returns the lists for one call. Fails if another thread is in a call.
pub(crate) fn groups() -> Result<MutexGuard<'static, Groups>, Fault> {
    match GROUPS.try_lock() {
        Ok(groups) => Ok(groups),
        Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
        Err(TryLockError::WouldBlock) => Err(Fault::from(
            "another thread of this process is in such a routine: call BLACS and the routines that \
             use it from one thread at a time"
                .to_owned(),
        )),
    }
}

impl Groups {
    /// Returns the list of a context's processes. Local.
    pub fn of(&mut self, context: &Communicator) -> Result<&mut Group, Error> {
        let grid = Grid::of(context)?;
        let processes = match grid.processes.get() {
            Some(processes) => Arc::clone(processes),
            None => {
                let found = self.known(Processes::of(context, grid.serial)?);
                Arc::clone(grid.processes.get_or_init(|| found))
            }
        };
        self.trim(&processes);
        let at = self.0.iter().position(|group| group.processes == processes);
        let at = at.unwrap_or_else(|| {
            self.0.push(Group { processes, own: None, plans: Plans::new(), made: 0 });
            self.0.len() - 1
        });
        Ok(&mut self.0[at])
    }

    fn known(&self, processes: Processes) -> Arc<Processes> {
        let found = self.0.iter().find(|group| *group.processes == processes);
        found.map_or_else(|| Arc::new(processes), |group| Arc::clone(&group.processes))
    }

    /// Drops plans of lists without a context, except for `used`, until these plans move few
    /// enough bytes. Other processes may keep theirs: [`Group::common_bits`] finds that out.
    fn trim(&mut self, used: &Arc<Processes>) {
        let is_idle =
            |group: &Group| Arc::strong_count(&group.processes) == 1 && group.processes != *used;
        let bytes = |groups: &Self| {
            let idle = groups.0.iter().filter(|group| is_idle(group));
            idle.map(|group| group.plans.bytes()).fold(0, u64::saturating_add)
        };
        while bytes(self) > MOST_BYTES {
            let heavy = self.0.iter_mut().find(|group| is_idle(group) && group.plans.bytes() > 0);
            heavy.expect("their bytes are more than none").forget();
        }
    }
}

impl Group {
    fn forget(&mut self) {
        (self.plans, self.made) = (Plans::new(), 0);
    }

    /// Returns the bits of the plans that fit what every process knows. Collective over the context's
    /// processes. If one has dropped its plans, all drop theirs.
    pub fn common_bits(&mut self, told: &Told, context: &Communicator) -> Result<u64, Error> {
        let mine = [self.plans.that_fit(told), self.made, !self.made];
        if context.size() == 1 {
            return Ok(mine[0]);
        }
        let mut common = mine;
        context.allreduce(&mine, &mut common, Operation::BitAnd)?;
        if common[1] == !common[2] {
            return Ok(common[0]);
        }
        self.forget();
        Ok(0)
    }

    /// Returns the plan whose bit all processes have set.
    pub fn found(&mut self, common: u64) -> Option<&mut Move> {
        self.plans.found(common)
    }

    /// Returns the communicator to bind a plan of so many bytes to, for which this makes room.
    /// Collective over the context's processes.
    pub fn own(&mut self, bytes: u64, context: &Communicator) -> Result<&Own, redist::Error> {
        self.plans.make_room(bytes);
        if self.own.is_none() {
            self.own = Some(Own::new(context)?);
        }
        Ok(self.own.as_ref().expect("made just now"))
    }

    /// Keeps a plan, for which there is room.
    pub fn keep(&mut self, told: Told, bytes: u64, plan: Move) -> &mut Move {
        self.made += 1;
        self.plans.keep(told, bytes, plan)
    }
}
