//! Local arrays with gaps, differently on every rank, against the simulator.

use proptest::prelude::*;
use redist::exec::Binder;
use redist::layout::StorageOrder;
use redist::{Error, Layout, Plan, Redistribution, Side, TypedPlan, threads};
use redist_testing::array::messages;
use redist_testing::strategies::{Case, cases, config, one_in};

const GAP: u64 = u64::MAX;

const UNTOUCHED: u64 = u64::MAX - 1;

const SIDES: [Side; 2] = [Side::Source, Side::Destination];

#[derive(Clone, Copy, Debug)]
enum Choice {
    Dense,
    Leading(usize),
    Within([[usize; 4]; 2]),
    /// Additions along each dimension, in an order of their own.
    Strides([usize; 4], usize),
}

#[derive(Clone, Debug)]
struct Chosen<const D: usize> {
    choice: Choice,
    strides: [usize; D],
    first: usize,
    len: usize,
}

fn choices() -> impl Strategy<Value = Choice> {
    prop_oneof![
        1 => Just(Choice::Dense),
        1 => (0..5usize).prop_map(Choice::Leading),
        2 => [[0..3usize, 0..3usize, 0..3usize, 0..3usize], [0..3, 0..3, 0..3, 0..3]]
            .prop_map(Choice::Within),
        2 => ([0..4usize, 0..3usize, 0..3usize, 0..2usize], 0..24usize)
            .prop_map(|(gaps, order)| Choice::Strides(gaps, order)),
    ]
}

fn stored<const D: usize>(storage: StorageOrder) -> [usize; D] {
    std::array::from_fn(|step| if storage == StorageOrder::C { D - 1 - step } else { step })
}

fn dense<const D: usize>(order: [usize; D], extents: [usize; D]) -> [usize; D] {
    let (mut strides, mut stride) = ([0; D], 1);
    for dimension in order {
        strides[dimension] = stride;
        stride *= extents[dimension];
    }
    strides
}

impl<const D: usize> Chosen<D> {
    fn new(layout: &Layout<D>, extents: [usize; D], choice: Choice) -> Self {
        let order = stored(layout.storage);
        let (strides, first, allocated) = match choice {
            Choice::Dense => (dense(order, extents), 0, 0),
            Choice::Leading(more) => {
                let mut padded = extents;
                padded[order[0]] = (extents[order[0]] + more).max(1);
                (dense(order, padded), 0, 0)
            }
            Choice::Within([before, after]) => {
                let allocated = std::array::from_fn(|d| before[d] + extents[d] + after[d]);
                let strides = dense(order, allocated);
                let first = (0..D).map(|d| before[d] * strides[d]).sum();
                (strides, first, allocated.iter().product())
            }
            Choice::Strides(gaps, number) => {
                let mut order = order;
                order.rotate_left(number % D);
                if number >= 12 {
                    order.reverse();
                }
                let (mut strides, mut span) = ([0; D], 1);
                for (dimension, gap) in order.into_iter().zip(gaps) {
                    strides[dimension] = span + gap;
                    span += strides[dimension] * extents[dimension].saturating_sub(1);
                }
                (strides, 0, 0)
            }
        };
        let holds = !extents.contains(&0);
        let last: usize = (0..D).map(|d| strides[d] * extents[d].saturating_sub(1)).sum();
        let len = allocated.max(if holds { first + last + 1 } else { 0 });
        Self { choice, strides, first, len }
    }

    fn place(&self, layout: &Layout<D>, extents: [usize; D], offset: usize) -> usize {
        let mut rest = offset;
        let place = |dimension: usize| {
            let index = rest % extents[dimension];
            rest /= extents[dimension];
            index * self.strides[dimension]
        };
        self.first + stored::<D>(layout.storage).into_iter().map(place).sum::<usize>()
    }

    fn say<'a, R: Redistribution<D> + ?Sized>(
        &self,
        binder: Binder<'a, R, D>,
        (side, layout): (Side, &Layout<D>),
        extents: [usize; D],
    ) -> Binder<'a, R, D> {
        let fastest = stored::<D>(layout.storage)[0];
        match self.choice {
            Choice::Dense => binder,
            Choice::Leading(more) => {
                binder.leading_dimension(side, (extents[fastest] + more).max(1))
            }
            Choice::Within([before, after]) => binder.within(
                side,
                std::array::from_fn(|d| before[d] + extents[d] + after[d]),
                std::array::from_fn(|d| before[d]),
            ),
            Choice::Strides(..) => binder.strides(side, self.strides),
        }
    }
}

struct Scene<const D: usize> {
    plan: Plan<D>,
    chosen: Vec<[Chosen<D>; 2]>,
    sources: Vec<Vec<u64>>,
    expected: Vec<Vec<u64>>,
}

impl<const D: usize> Scene<D> {
    fn new(case: &Case<D>, choices: &[[Choice; 2]]) -> Self {
        let plan = case.plan();
        let chosen = |rank: usize| {
            SIDES.map(|side| {
                let array = plan.descriptor(side);
                let extents = array.local_extents(rank).unwrap_or([0; D]);
                let choice = choices[rank % choices.len()][side as usize];
                Chosen::new(array.layout(), extents, choice)
            })
        };
        let len = |side, rank| plan.descriptor(side).local_len(rank);
        let tag = |rank: usize, offset: usize| (rank << 32 | offset) as u64;
        let ranks = 0..plan.ranks();
        let source = |rank| (0..len(Side::Source, rank)).map(|offset| tag(rank, offset)).collect();
        let mut expected: Vec<Vec<u64>> =
            ranks.clone().map(|rank| vec![UNTOUCHED; len(Side::Destination, rank)]).collect();
        for ((p, q), message) in messages(case.extents, &case.from, &case.to) {
            for (source, destination) in message {
                expected[q][destination] = tag(p, source);
            }
        }
        Self {
            plan,
            chosen: ranks.clone().map(chosen).collect(),
            sources: ranks.map(source).collect(),
            expected,
        }
    }

    fn padded(&self, side: Side, rank: usize, dense: &[u64], more: usize) -> Vec<u64> {
        let (array, chosen) = (self.plan.descriptor(side), &self.chosen[rank][side as usize]);
        let more = if matches!(chosen.choice, Choice::Dense) { 0 } else { more };
        let mut padded = vec![GAP; chosen.len + more];
        let extents = array.local_extents(rank).unwrap_or([0; D]);
        for (offset, value) in dense.iter().enumerate() {
            padded[chosen.place(array.layout(), extents, offset)] = *value;
        }
        padded
    }

    fn binder<'a, R: Redistribution<D> + ?Sized>(
        &self,
        redistribution: &'a R,
        rank: usize,
    ) -> Binder<'a, R, D> {
        SIDES.into_iter().fold(redistribution.binder(), |binder, side| {
            let array = self.plan.descriptor(side);
            let extents = array.local_extents(rank).unwrap_or([0; D]);
            self.chosen[rank][side as usize].say(binder, (side, array.layout()), extents)
        })
    }

    fn arrays(&self, rank: usize, more: usize) -> [Vec<u64>; 3] {
        let untouched = vec![UNTOUCHED; self.expected[rank].len()];
        [
            self.padded(Side::Source, rank, &self.sources[rank], more),
            self.padded(Side::Destination, rank, &untouched, more),
            self.padded(Side::Destination, rank, &self.expected[rank], more),
        ]
    }
}

fn threads_move_it<const D: usize>(
    case: &Case<D>,
    choices: &[[Choice; 2]],
) -> Result<(), TestCaseError> {
    let scene = Scene::new(case, choices);
    let plan = TypedPlan::<u64, D>::from(scene.plan);
    let found = threads::run(scene.plan.ranks(), |world| {
        let rank = world.rank();
        let mut bound = scene.binder(&plan, rank).bind(world)?;
        let mut found = Vec::new();
        for (round, starts) in [(0, false), (3, true), (1, false), (2, rank % 2 == 1)] {
            let [source, mut destination, expected] = scene.arrays(rank, round);
            if starts {
                bound.start(&source, &mut destination)?.finish()?;
            } else {
                bound.run(&source, &mut destination)?;
            }
            found.push((destination, expected));
        }
        let lens = SIDES.map(|side| (bound.local_len(side), scene.chosen[rank][side as usize].len));
        let places = SIDES.iter().all(|&side| {
            let local = bound.local(side);
            local.global_indices().all(|index| {
                let offset = local.offset_of(index).expect("it is here");
                local.global_index(offset) == index && offset < bound.local_len(side)
            })
        });
        Ok::<_, Error>((found, lens, places))
    });
    for (rank, (found, lens, places)) in found.expect("all arrays fit").into_iter().enumerate() {
        for (round, (found, expected)) in found.into_iter().enumerate() {
            prop_assert_eq!(found, expected, "rank {}, round {}", rank, round);
        }
        prop_assert!(lens.iter().all(|(found, expected)| found == expected), "{lens:?}");
        prop_assert!(places);
    }
    Ok(())
}

fn packed_and_unpacked<const D: usize>(
    case: &Case<D>,
    choices: &[[Choice; 2]],
) -> Result<(), TestCaseError> {
    let scene = Scene::new(case, choices);
    let plan = TypedPlan::<u64, D>::from(scene.plan);
    let mut sent = std::collections::BTreeMap::new();
    for rank in 0..scene.plan.ranks() {
        let packing = scene.binder(&plan, rank).packing(rank);
        let mut packed: Vec<_> = packing.envelopes().iter().map(|to| vec![0; to.len]).collect();
        let mut slices: Vec<_> = packed.iter_mut().map(Vec::as_mut_slice).collect();
        packing.pack(&scene.arrays(rank, 0)[0], &mut slices);
        sent.extend(packing.envelopes().iter().map(|to| (rank, to.rank)).zip(packed));
    }
    for rank in 0..scene.plan.ranks() {
        let unpacking = scene.binder(&plan, rank).unpacking(rank);
        let [_, mut together, expected] = scene.arrays(rank, 0);
        let mut alone = together.clone();
        let slices: Vec<&[u64]> =
            unpacking.envelopes().iter().map(|from| &sent[&(from.rank, rank)][..]).collect();
        unpacking.unpack(&mut together, &slices);
        for (number, slice) in slices.iter().enumerate().rev() {
            unpacking.unpack_message(&mut alone, number, slice);
        }
        prop_assert_eq!(&together, &expected, "rank {}", rank);
        prop_assert_eq!(&alone, &expected, "rank {}", rank);
    }
    Ok(())
}

fn of_ranks() -> impl Strategy<Value = Vec<[Choice; 2]>> {
    prop::collection::vec([choices(), choices()], 1..7)
}

macro_rules! for_dimensions {
    ($name:ident, $dimensions:literal) => {
        mod $name {
            use super::*;

            proptest! {
                #![proptest_config(config())]

                #[test]
                fn packed_and_unpacked(case in cases::<$dimensions>(), choices in of_ranks()) {
                    super::packed_and_unpacked(&case, &choices)?;
                }
            }

            proptest! {
                #![proptest_config(one_in(4))]

                #[test]
                fn threads_move_it(case in cases::<$dimensions>(), choices in of_ranks()) {
                    super::threads_move_it(&case, &choices)?;
                }
            }
        }
    };
}

for_dimensions!(one_dimension, 1);
for_dimensions!(two_dimensions, 2);
for_dimensions!(three_dimensions, 3);
for_dimensions!(four_dimensions, 4);
