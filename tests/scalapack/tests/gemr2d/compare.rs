//! The comparison, on one rank.

use crate::case::Case;
use crate::random::Random;
use mpi::collective::SystemOperation;
use mpi::environment::Universe;
use mpi::topology::SimpleCommunicator;
use mpi::traits::*;
use redist::{Element, Layout, Redistribution, redistribute};
use redist_scalapack::{Grid, Matrix, Scalar, gemr2d};
use std::process::ExitCode;

redistribute! {
    /// What `p?gemr2d` does: its parameters are two layouts and the extents of the section.
    struct Gemr2d<T: Element>(m: usize, n: usize, a: Layout<2>, b: Layout<2>): [T; m, n] { from: a, to: b }
}

type Failure = Box<dyn std::error::Error>;

const MOVES: &str = " moves compared";

/// The number of moves that a job's output says it compared.
pub fn moves(output: &str) -> Option<usize> {
    output.lines().find_map(|line| line.strip_suffix(MOVES)?.trim().parse().ok())
}

/// Compares all cases there and back in each type, whatever fails on the way.
pub fn all(cases: &[Case], ranks: usize) -> ExitCode {
    let universe = mpi::initialize().expect("MPI is initialised once");
    let world = universe.world();
    assert_eq!(world.size() as usize, ranks, "ranks in MPI_COMM_WORLD: is it the launcher of this MPI?");
    let moves = cases.iter().flat_map(|case| [case.clone(), case.reversed()]);
    let equal: Vec<bool> = moves.flat_map(|case| in_each_type(&universe, &case)).collect();
    let (wrong, mut wrong_anywhere) = (equal.iter().filter(|equal| !**equal).count() as u64, 0);
    world.all_reduce_into(&wrong, &mut wrong_anywhere, SystemOperation::sum());
    if world.rank() == 0 {
        println!("{}{MOVES}", equal.len());
    }
    if wrong_anywhere == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn in_each_type(universe: &Universe, case: &Case) -> [bool; 3] {
    [report::<f64>(universe, case), report::<f32>(universe, case), report::<i32>(universe, case)]
}

fn report<T: Pattern>(universe: &Universe, case: &Case) -> bool {
    let found = compare::<T>(universe, case);
    if let Err(error) = &found {
        eprintln!("rank {}, {}: {case}: {error}", universe.world().rank(), std::any::type_name::<T>());
    }
    found.is_ok()
}

/// Both move the same source to destinations that were the same before.
fn compare<T: Pattern>(universe: &Universe, case: &Case) -> Result<(), Failure> {
    let grids = [&case.sides[0], &case.sides[1]].map(|side| Grid::new(universe, side.grid));
    let everyone = Grid::new(universe, [1, universe.world().size() as usize]);
    let descriptors = [0, 1].map(|side| case.sides[side].descriptor(&grids[side]));
    let [source, before] = [0, 1].map(|side| T::patterns(universe.world().rank(), side, descriptors[side].local_len()));

    let mut theirs = before.clone();
    let from = Matrix { descriptor: &descriptors[0], at: case.sides[0].at, local: &*source };
    let to = Matrix { descriptor: &descriptors[1], at: case.sides[1].at, local: &mut *theirs };
    gemr2d(case.moved, from, to, &everyone);

    let mut ours = before;
    redistribute(&universe.world(), case, &source, &mut ours)?;
    same(&ours, &theirs)
}

fn redistribute<T: Pattern>(world: &SimpleCommunicator, case: &Case, from: &[T], to: &mut [T]) -> Result<(), Failure> {
    let [m, n] = case.moved;
    let plan = Gemr2d::new(m, n, case.sides[0].layout()?, case.sides[1].layout()?)?;
    Ok(crate::exchange::run(&plan, world, from, to))
}

fn same<T: Pattern>(ours: &[T], theirs: &[T]) -> Result<(), Failure> {
    match ours.iter().zip(theirs).position(|(ours, theirs)| ours.bits() != theirs.bits()) {
        None => Ok(()),
        Some(at) => Err(format!("at {at}: {:x} is not ScaLAPACK's {:x}", ours[at].bits(), theirs[at].bits()).into()),
    }
}

/// Elements of which any bits are good, those of numbers that are not numbers, too.
pub trait Pattern: Scalar {
    fn pattern(bits: u64) -> Self;
    fn bits(self) -> u64;

    /// What a rank's local array holds at first: another value in each place of each rank.
    fn patterns(rank: i32, side: usize, len: usize) -> Vec<Self> {
        let mut random = Random((2 * rank as usize + side) as u64);
        (0..len).map(|_| Self::pattern(random.bits())).collect()
    }
}

impl Pattern for f64 {
    fn pattern(bits: u64) -> Self {
        Self::from_bits(bits)
    }

    fn bits(self) -> u64 {
        self.to_bits()
    }
}

impl Pattern for f32 {
    fn pattern(bits: u64) -> Self {
        Self::from_bits(bits as u32)
    }

    fn bits(self) -> u64 {
        self.to_bits().into()
    }
}

impl Pattern for i32 {
    fn pattern(bits: u64) -> Self {
        bits as i32
    }

    fn bits(self) -> u64 {
        u64::from(self as u32)
    }
}
