//! Compares moves with ScaLAPACK's, element by element.

use crate::case::Case;
use crate::draw::Draw;
use crate::literal;
use crate::pattern::Pattern;
use redist::layout::RankOrder;
use redist::mpi::Communicator;
use redist::plan::{Diag, Uplo};
use redist::{Element, Redistribution, redistribute};
use redist_mpi_tests::Outcome;
use redist_scalapack::{Descriptor, Grid, Matrix, gemr2d, trmr2d};
use std::any::type_name;

redistribute! {
    struct Gemr2d<T: Element>(m: usize, n: usize, a: redist::Layout<2>, b: redist::Layout<2>): [T; m, n] { from: a, to: b }
}

/// Compares cases there and back, in all types or drawn ones: the matrix, and a trapezoid.
pub fn all(world: &Communicator, cases: &[Case], draw: &mut Draw) -> Outcome {
    const TYPES: [fn(&Communicator, &Case) -> Outcome; 3] =
        [named::<f64>, named::<f32>, named::<i32>];
    for case in cases.iter().flat_map(|case| [case.clone(), case.reversed()]) {
        for compare in draw.some(1, TYPES) {
            compare(world, &case)?;
        }
    }
    Ok(())
}

fn named<T: Pattern>(world: &Communicator, case: &Case) -> Outcome {
    compare::<T>(world, case)
        .map_err(|error| format!("{}, {case}: {error}", type_name::<T>()).into())
}

fn compare<T: Pattern>(world: &Communicator, case: &Case) -> Outcome {
    let grids = case.sides.each_ref().map(|side| Grid::new(world, side.grid, side.order));
    let everyone = Grid::new(world, [1, world.size()], RankOrder::Row);
    let descriptors = [0, 1].map(|side| case.sides[side].descriptor(&grids[side], world.rank()));
    let [source, before] =
        [0, 1].map(|side| T::patterns(world.rank(), side, descriptors[side].local_len()));

    let mut theirs = before.clone();
    let from = Matrix { descriptor: &descriptors[0], at: case.sides[0].at, local: &*source };
    let to = Matrix { descriptor: &descriptors[1], at: case.sides[1].at, local: &mut *theirs };
    gemr2d(case.moved, from, to, &everyone);

    let ([m, n], [a, b]) = (case.moved, case.sides.each_ref());
    let plan = Gemr2d::new(m, n, a.layout()?, b.layout()?)?;
    let mut ours = before.clone();
    let [from, to] = descriptors.each_ref().map(Descriptor::leading_dimension);
    let binder = plan.binder().leading_dimension(redist::Side::Source, from);
    let mut bound = binder.leading_dimension(redist::Side::Destination, to).bind(world)?;
    bound.run(&source, &mut ours)?;
    same(&ours, &theirs)?;
    trapezoid(world, case, &grids, (&source, &before))?;

    let Some(number) = case.literal else { return Ok(()) };
    let mut ours = before;
    if !literal::run(world, number, &source, &mut ours)? {
        return Ok(());
    }
    same(&ours, &theirs).map_err(|error| format!("planned by the macro: {error}").into())
}

/// All four occur equally often.
fn part(case: &Case) -> (Uplo, Diag) {
    let [a, b] = case.sides.each_ref().map(|side| side.blocks[0] + side.at[1] + side.grid[1]);
    let number = case.moved[0] + 3 * case.moved[1] + 5 * a + 7 * b;
    let uplo = if number.is_multiple_of(2) { Uplo::Upper } else { Uplo::Lower };
    (uplo, if (number / 2).is_multiple_of(2) { Diag::NonUnit } else { Diag::Unit })
}

fn trapezoid<T: Pattern>(
    world: &Communicator,
    case: &Case,
    grids: &[Grid; 2],
    (source, before): (&[T], &[T]),
) -> Outcome {
    let everyone = Grid::new(world, [1, world.size()], RankOrder::Row);
    let descriptors = [0, 1].map(|side| case.sides[side].descriptor(&grids[side], world.rank()));
    let (mut ours, mut theirs) = (before.to_vec(), before.to_vec());
    let from = Matrix { descriptor: &descriptors[0], at: case.sides[0].at, local: source };
    let to = Matrix { descriptor: &descriptors[1], at: case.sides[1].at, local: &mut *theirs };
    let (uplo, diag) = part(case);
    trmr2d((uplo, diag), case.moved, from, to, &everyone);

    let ([m, n], [a, b]) = (case.moved, case.sides.each_ref());
    let plan = Gemr2d::new(m, n, a.layout()?, b.layout()?)?;
    let [from, to] = descriptors.each_ref().map(Descriptor::leading_dimension);
    let binder = plan.binder().leading_dimension(redist::Side::Source, from);
    let binder = binder.leading_dimension(redist::Side::Destination, to);
    binder.trapezoid(uplo, diag).bind(world)?.run(source, &mut ours)?;
    same(&ours, &theirs).map_err(|error| format!("{uplo:?}, {diag:?}: {error}").into())
}

fn same<T: Pattern>(ours: &[T], theirs: &[T]) -> Outcome {
    match ours.iter().zip(theirs).position(|(ours, theirs)| ours.bits() != theirs.bits()) {
        None => Ok(()),
        Some(at) => Err(format!(
            "at {at}: {:x} is not ScaLAPACK's {:x}",
            ours[at].bits(),
            theirs[at].bits()
        )
        .into()),
    }
}
