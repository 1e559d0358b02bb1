//! Several programs of one launch, by their numbers.

use crate::apart::{meet, merged};
use crate::coupling::Coupling;
use redist_mpi::AsCommunicator;
use redist_plan::plan::Side;
use redist_runtime::Error;
use redist_runtime::transport::mpi::groups::{OwnCommunicator, duplicate};
use redist_runtime::transport::wire;
use std::ffi::c_int;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Most programs of a launch: their numbers are below this.
const MAX_PROGRAMS: usize = 1 << 20;

/// The programs of one launch: `mpirun -n 3 producer : -n 4 consumer`. See [`Coupling`] for two of
/// them, and [`JoinedParts`](crate::JoinedParts) for all.
#[derive(Debug)]
pub struct Programs {
    pub(crate) world: OwnCommunicator,
    own: OwnCommunicator,
    /// Number of this rank's program.
    program: usize,
    /// Lowest world rank of each program, by its number.
    leaders: Vec<u64>,
}

impl Programs {
    /// Sorts the ranks of the world by program (`MPI_APPNUM`). Collective over all of them.
    ///
    /// # Errors
    /// The MPI library fails, or does not number the programs of a launch.
    pub fn of(world: &impl AsCommunicator) -> Result<Self, Error> {
        let world = duplicate(world)?;
        let program = world.check(world.program())?.ok_or_else(|| {
            let reason = "the launcher does not number the programs of a launch (MPI_APPNUM)";
            Error::Coupling { rank: world.rank(), reason: reason.into() }
        })?;
        Self::sorted(world, program)
    }

    /// Joins programs by numbers of their own: for several launches, or several programs in one
    /// executable. All ranks of a program pass its number. Collective over `communicator`.
    ///
    /// # Errors
    /// The MPI library fails, or a number is 2^20 or more.
    #[doc(hidden)]
    pub fn numbered(communicator: &impl AsCommunicator, program: usize) -> Result<Self, Error> {
        Self::sorted(duplicate(communicator)?, program)
    }

    /// Joins any number of programs of several launches. Collective over `communicator`.
    ///
    /// Each program passes its own number, from 0, and their count. Program `k` meets those before
    /// it at `file` with `.k` appended. The limit applies to each of these steps.
    ///
    /// # Errors
    /// The errors of [`Coupling::rendezvous`]; or a number that is not below the number of
    /// programs.
    pub fn rendezvous(
        communicator: &impl AsCommunicator,
        program: usize,
        programs: usize,
        file: impl AsRef<Path>,
        limit: Duration,
    ) -> Result<Self, Error> {
        let mut joined = duplicate(communicator)?;
        if program >= programs {
            let reason = format!("there is no program {program} of {programs}");
            return Err(Error::Coupling { rank: joined.rank(), reason });
        }
        let place = |number: usize| {
            let mut name = file.as_ref().as_os_str().to_owned();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        if program > 0 {
            joined = meet(&joined, false, &place(program), limit)?;
        }
        for next in program + 1..programs {
            joined = meet(&joined, true, &place(next), limit)?;
        }
        Self::sorted(joined, program)
    }

    fn sorted(world: OwnCommunicator, program: usize) -> Result<Self, Error> {
        // A number past the largest must not pass for a small one.
        let own = split(&world, program.min(MAX_PROGRAMS + 1), world.rank())?;
        let rank = world.rank();
        let [not_last, version, not_version] = {
            let [version, not_version] = wire::version_words();
            world.minima([!(program as u64), version, not_version])?
        };
        wire::same_version(version, not_version).map_err(|error| error.told_by(rank))?;
        let last = wire::at_most("programs", !not_last, MAX_PROGRAMS);
        let last = last.map_err(|error| error.told_by(rank))?;
        let mut leaders = vec![world.size() as u64; last + 1];
        leaders[program] = rank as u64;
        world.minima_of(&mut leaders)?;
        Ok(Self { world, own, program, leaders })
    }

    /// Returns this program's number in the launch, from 0.
    pub fn program(&self) -> usize {
        self.program
    }

    /// Returns the number of programs in the launch.
    pub fn count(&self) -> usize {
        self.leaders.len()
    }

    /// Returns this rank's number in its program.
    pub fn rank(&self) -> usize {
        self.own.rank()
    }

    /// Returns the number of ranks of this program.
    pub fn size(&self) -> usize {
        self.own.size()
    }

    /// Couples this program, in the role of `role`, with a program in the opposite role. Collective
    /// over both. Several couplings in the order of the programs' numbers do not deadlock.
    ///
    /// # Errors
    /// There is no such program, or the MPI library fails.
    pub fn couple(&self, role: Side, program: usize) -> Result<Coupling, Error> {
        let leader = self.leader(program).filter(|_| program != self.program);
        let leader = leader.ok_or_else(|| {
            let (ours, others) = (self.program, self.leaders.len());
            let reason =
                format!("program {ours} cannot be coupled with program {program} of {others}");
            Error::Coupling { rank: self.own.rank(), reason }
        })?;
        let tag = self.program.min(program) * self.leaders.len() + self.program.max(program);
        let tag = c_int::try_from(tag).unwrap_or(c_int::MAX);
        let (own, peers) = (&self.own, &*self.world);
        let both = own.check(own.intercommunicator(peers, leader, tag))?;
        Coupling::merged(merged(both, role == Side::Destination)?, own.size(), role)
    }

    /// Returns the bytes of each program's rank 0 on all ranks; empty without one. Collective.
    pub(crate) fn exchange(&self, ours: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let told = |program| match self.leader(program) {
            Some(leader) => self.world.broadcast_bytes(leader, ours),
            None => Ok(Vec::new()),
        };
        (0..self.leaders.len()).map(told).collect()
    }

    /// Returns the rank of a program's rank 0 in the world; `None` if there is no such program.
    fn leader(&self, program: usize) -> Option<usize> {
        let leader = *self.leaders.get(program)? as usize;
        (leader < self.world.size()).then_some(leader)
    }

    /// Returns this rank's result, or the error of the lowest rank with one. Collective.
    pub(crate) fn agree<T>(&self, mine: Result<T, Error>) -> Result<T, Error> {
        let failed = mine.is_err().then_some(self.world.rank() as u64);
        // Ranks are numbered by an `int`; MPICH takes larger numbers than 2^63 for negative ones.
        let [rank] = self.world.minima([failed.unwrap_or(NO_RANK)])?;
        if rank == NO_RANK {
            return mine;
        }
        Err(self.world.failure_of(rank as usize, mine.as_ref().err())?)
    }

    /// Couples this program with that of `pair`; each program is in one pair at most. Collective
    /// over all ranks of all programs.
    pub(crate) fn couple_pair(&self, pair: Option<Pair>) -> Result<Option<Coupling>, Error> {
        let color = pair.map_or(0, |pair| 1 + pair.number);
        let behind = pair.map_or(0, |pair| match pair.role {
            Side::Source => 0,
            Side::Destination => pair.producers,
        });
        let ranks = split(&self.world, color, behind + self.own.rank())?;
        pair.map(|pair| Coupling::of(ranks, pair.role, pair.producers)).transpose()
    }
}

fn split(own: &OwnCommunicator, color: usize, order: usize) -> Result<OwnCommunicator, Error> {
    own.check(own.split(color, order)).map(OwnCommunicator::adopt)
}

/// Stands for "no rank" where the lowest rank at fault is sought.
const NO_RANK: u64 = i64::MAX as u64;

/// One of several couplings that are made together, as this program sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    /// Number of the pair among all pairs of the round.
    pub number: usize,
    /// This program's side.
    pub role: Side,
    /// Ranks of the pair's producer.
    pub producers: usize,
}
