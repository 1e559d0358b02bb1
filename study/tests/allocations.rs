//! The literature's algorithms allocate nothing if there is room.

use redist::Plan;
use redist_study::baseline::all;
use redist_testing::allocations::{Counting, counted};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn intersecting_allocates_nothing_where_there_is_room() {
    for (from, to) in [
        ("cyclic(7) onto 4", "cyclic(11) onto 3"),
        ("cyclic(30) onto 4", "cyclic(2) onto 4"),
        ("cyclic(2) onto 4", "cyclic(30) onto 3"),
        ("block onto 4", "cyclic onto 4"),
        ("gen_block([100, 900]) onto 2", "cyclic onto 4"),
    ] {
        let axis = Plan::<1>::parse([1000], from, to).unwrap().axis(0);
        let mut found = Vec::with_capacity(1000);
        for algorithm in all().into_iter().filter(|algorithm| algorithm.applies(&axis).is_ok()) {
            let (_, allocations) = counted(|| algorithm.intersect(&axis, 1, &mut found));
            assert_eq!(allocations.number, 0, "{}: {from} to {to}", algorithm.name());
        }
    }
}
