//! Arrays of two and three dimensions: the elements of every pair of ranks, and their order.
//! Vectors in another order than the source's storage check the simulator; others, the planner.

use redist::Layout;
use redist::layout::{Dist, RankOrder, StorageOrder};
use redist::plan::{Plan, Side};
use redist_testing::array::{Messages, messages, messages_in_order, planned};
use redist_testing::fnv::Fnv;
use redist_testing::vectors::{Array, Storage, VECTORS};

struct Case<const D: usize> {
    extents: [usize; D],
    from: Layout<D>,
    to: Layout<D>,
    /// Its slowest dimension is the first for C.
    order: StorageOrder,
}

impl<const D: usize> Case<D> {
    fn new(array: &Array) -> Self {
        let pick = |field: usize| core::array::from_fn(|dimension| array.dims[dimension][field]);
        let order = if array.grid == "row" { RankOrder::Row } else { RankOrder::Col };
        let side = |block, ranks, first, storage: Storage| {
            Layout::new(pick(block).map(Dist::Cyclic), pick(ranks))
                .first(pick(first))
                .order(order)
                .storage(storage.into())
        };
        Self {
            extents: pick(0),
            from: side(1, 2, 3, array.sorder),
            to: side(4, 5, 6, array.dorder),
            order: if array.morder == "row" { StorageOrder::C } else { StorageOrder::Fortran },
        }
    }

    fn plan(&self) -> Plan<D> {
        Plan::new(self.extents, self.from, self.to).expect("the vectors keep to the rules")
    }
}

macro_rules! for_each_array {
    ($check:ident) => {
        for (number, array) in VECTORS.arrays.iter().enumerate() {
            match array.dims.len() {
                2 => $check(&Case::<2>::new(array), array, number),
                3 => $check(&Case::<3>::new(array), array, number),
                other => panic!("vector {number} has {other} dimensions"),
            }
        }
    };
}

#[test]
fn every_pair_exchanges_so_many_elements() {
    for_each_array!(check_counts);
}

fn check_counts<const D: usize>(case: &Case<D>, array: &Array, number: usize) {
    let plan = case.plan();
    let volumes: Vec<Vec<usize>> = (0..plan.descriptor(Side::Source).ranks())
        .map(|p| {
            let destinations = 0..plan.descriptor(Side::Destination).ranks();
            destinations.map(|q| plan.volume(p, q)).collect()
        })
        .collect();
    assert_eq!(volumes, array.counts, "vector {number}");
}

#[test]
fn the_simulator_finds_the_same_messages() {
    for_each_array!(check_simulator);
}

fn check_simulator<const D: usize>(case: &Case<D>, array: &Array, number: usize) {
    let messages = messages_in_order(case.extents, &case.from, &case.to, case.order);
    assert_eq!(hash(&messages, array), array.h_msg, "vector {number}");
}

fn hash(messages: &Messages, array: &Array) -> String {
    let mut hash = Fnv::default();
    for (p, row) in array.counts.iter().enumerate() {
        for q in 0..row.len() {
            let message = messages.get(&(p, q)).map_or(&[][..], Vec::as_slice);
            hash.words([p, q, message.len()]);
            hash.words(message.iter().flat_map(|&(source, destination)| [source, destination]));
        }
    }
    hash.hex()
}

#[test]
fn messages_run_in_the_order_of_the_source_s_storage() {
    for_each_array!(check_messages);
}

fn check_messages<const D: usize>(case: &Case<D>, array: &Array, number: usize) {
    let planned = planned(&case.plan());
    assert_eq!(planned, messages(case.extents, &case.from, &case.to), "vector {number}");
    if case.order == case.from.storage {
        assert_eq!(hash(&planned, array), array.h_msg, "vector {number}");
    }
}
