//! Moves of the feature matrix that take calls of their own.

use super::planned::{EXTENTS, Planned, plan_of};
use super::play::{Actor, Play, Played, Trouble, gap, kept, same, value};
use super::sides::{Shape, Sides};
use super::{RANKS, World};
use crate::strategies::Case;
use crate::written::Numbered;
use redist::exec::{Batch, BatchArrays, PlanWithCopies, Tier};
use redist::layout::Layout;
use redist::{Redistribution, Side, WithCopies, redistribute};

redistribute! {
    struct Copies: [u64; 24, 20] {
        from: (cyclic(4), *) onto 2 copies 2,
        to: (*, *) storage fortran copies 4,
    }
    struct CopiesOf<const N: usize, const K: usize>: [u64; 24, 20] {
        from: (cyclic(N), *) onto 2 copies K,
        to: (*, *) storage fortran copies RANKS,
    }
    struct CoupledCopies: [u64; 24, 20] {
        from: (*, *) copies 2,
        to: (*, *) ranks 2..3 storage fortran copies 2,
    }
    struct CoupledCopiesOf<const K: usize>: [u64; 24, 20] {
        from: (*, *) copies K,
        to: (*, *) ranks K.. storage fortran copies K,
    }
}

struct Held<T> {
    before: Vec<T>,
    untouched: Vec<T>,
    after: Vec<T>,
}

fn held<T: Numbered>(case: &Case<2>, ranks: [usize; 2]) -> Held<T> {
    let sides = Sides::of(case);
    let [from, to] = ranks.map(|rank| (rank, Shape::Dense));
    let untouched = sides.untouched(to, gap(), kept::<T>());
    let after = sides.after(to, untouched.clone(), |_| true, |at, _| value(at));
    Held { before: sides.before(from, gap(), value::<T>), untouched, after }
}

impl<A: Actor> Play<'_, A> {
    pub(super) fn ndarrays(&self) -> Played {
        let Planned { plan, case } = plan_of::<u64>(self.cell);
        let Held { before, untouched, after } = held(&case, [self.rank(); 2]);
        let mut bound = self.bind(&plan, &Sides::of(&case))?;
        let array = |side, values: Vec<u64>| {
            let mut array = bound.array(side, 0)?;
            let memory = array.as_slice_memory_order_mut();
            let memory = memory.ok_or_else(|| Trouble::Wrong("the array has gaps".into()))?;
            same(&vec![(); memory.len()], &vec![(); values.len()])?;
            memory.copy_from_slice(&values);
            Ok::<_, Trouble>(array)
        };
        let source = array(Side::Source, before)?;
        let mut destination = array(Side::Destination, untouched)?;
        bound.run_arrays(&source, &mut destination)?;
        same(destination.as_slice_memory_order().unwrap_or_default(), &after)
    }

    pub(super) fn in_place(&self) -> Played {
        let Planned { plan, case } = plan_of::<u64>(self.cell);
        let Held { before: mut array, after, .. } = held(&case, [self.rank(); 2]);
        self.bind(&plan, &Sides::of(&case))?.run_in_place(&mut array)?;
        same(&array, &after)
    }

    pub(super) fn batch(&self) -> Played {
        let (one, other) = (plan_of::<u64>(self.cell), plan_of::<[u8; 5]>(self.cell));
        let mut batch = Batch::new();
        batch.add(&one.plan);
        batch.add(&other.plan);
        let mut bound = batch.bind(self.actor.ranks())?;
        let ranks = [self.rank(); 2];
        let (mut one, mut other) = (held::<u64>(&one.case, ranks), held(&other.case, ranks));
        bound.run(&mut [
            BatchArrays::new(&one.before, &mut one.untouched),
            BatchArrays::new::<[u8; 5]>(&other.before, &mut other.untouched),
        ])?;
        same(&one.untouched, &one.after)?;
        same(&other.untouched, &other.after)
    }

    /// Moves two copies on two ranks each to a copy on each rank; of a coupling, two on one each.
    pub(super) fn with_copies(&self) -> Played {
        let layout = |text: &str| text.parse::<Layout<2>>().expect("the notation is right");
        let is_coupled = self.cell.world == World::Coupling;
        let (from, to, to_copies) = match is_coupled {
            false => (layout("(cyclic(4), *) onto 2"), layout("(*, *) storage fortran"), RANKS),
            true => (layout("(*, *)"), layout("(*, *) ranks 2..3 storage fortran"), 2),
        };
        let with_copies = match (self.cell.tier, is_coupled) {
            (Tier::Literal, false) => Copies::new().with_copies(),
            (Tier::Literal, true) => CoupledCopies::new().with_copies(),
            (Tier::Constant, false) => CopiesOf::<4, 2>::new().with_copies(),
            (Tier::Constant, true) => CoupledCopiesOf::<2>::new().with_copies(),
            (Tier::RunTime, _) => {
                PlanWithCopies::new(EXTENTS, &from.copies(2), &to.copies(to_copies))
            }
        };
        let mut bound = with_copies?.bind(self.actor.ranks())?;
        // The rank of the first copy that has the same part.
        let rank = self.rank();
        let has = [rank < 2, rank >= 2].map(|has| has || !is_coupled);
        let like = if is_coupled { [0, 2] } else { [rank % 2, 0] };
        let case = Case { extents: EXTENTS, from, to };
        let mut held =
            held::<u64>(&case, [0, 1].map(|side| if has[side] { like[side] } else { RANKS }));
        bound.run(&held.before, &mut held.untouched)?;
        same(&held.untouched, &held.after)
    }

    /// Unpacks all ranks' packed messages for this rank: nothing is sent.
    pub(super) fn packs(&self) -> Played {
        let Planned { plan, case } = plan_of::<u64>(self.cell);
        let unpacking = plan.binder().unpacking(self.rank());
        let mut held_here = held::<u64>(&case, [self.rank(); 2]);
        for rank in 0..RANKS {
            let (packing, held) = (plan.binder().packing(rank), held::<u64>(&case, [rank; 2]));
            let envelopes = packing.envelopes();
            let mut messages: Vec<_> = envelopes.iter().map(|to| vec![0; to.len]).collect();
            let mut slices: Vec<_> = messages.iter_mut().map(Vec::as_mut_slice).collect();
            packing.pack(&held.before, &mut slices);
            let Some(to_me) = envelopes.iter().position(|to| to.rank == self.rank()) else {
                continue;
            };
            let number = unpacking.envelopes().iter().position(|from| from.rank == rank);
            let number = number.ok_or_else(|| Trouble::Wrong("a message too many".into()))?;
            unpacking.unpack_message(&mut held_here.untouched, number, &messages[to_me]);
        }
        same(&held_here.untouched, &held_here.after)
    }
}
