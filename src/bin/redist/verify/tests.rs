//! Wrong packing and unpacking are found.

use super::programs::{CheckedPrograms, Library, WithTables};
use super::prove;
use redist::program::Envelope;
use redist::{Plan, Redistribution, Side, TypedPlan};
use redist_files::Dealt;

type Real = Library<'static, TypedPlan<u32, 2>, 2>;

/// A source of many words.
const FROM: &str =
    "(cyclic(3), cyclic(4)) onto (2, 2) ranks 1..5 order col of (20, 30) at (3, 1) storage fortran";

/// A destination of many words.
const TO: &str = "(cyclic(2), *) onto 3 first 1 of (12, 11) at (0, 1) transposed";

fn plan() -> Plan<2> {
    Plan::parse([10, 12], FROM, TO).expect("a plan")
}

fn real() -> Real {
    library(plan())
}

fn library<const D: usize>(plan: Plan<D>) -> Library<'static, TypedPlan<u32, D>, D> {
    Library(Box::leak(Box::new(TypedPlan::from(plan))).binder())
}

struct Broken<F, G>(Real, F, G);

impl<F: Fn(usize, &mut Vec<Envelope>, &mut Vec<u32>), G: Fn(usize, &mut [u32])> CheckedPrograms
    for Broken<F, G>
{
    fn pack(&self, rank: usize, local: &[u32]) -> Result<(Vec<Envelope>, Vec<u32>), usize> {
        let (mut envelopes, mut elements) = self.0.pack(rank, local)?;
        (self.1)(rank, &mut envelopes, &mut elements);
        Ok((envelopes, elements))
    }

    fn unpack(&self, rank: usize, local: &mut [u32]) -> Result<Vec<Envelope>, usize> {
        let envelopes = self.0.unpack(rank, local)?;
        (self.2)(rank, local);
        Ok(envelopes)
    }
}

fn fault_of_packing(change: impl Fn(&mut Vec<Envelope>, &mut Vec<u32>)) -> String {
    let change = |rank: usize, envelopes: &mut Vec<Envelope>, elements: &mut Vec<u32>| {
        if rank == 3 {
            change(envelopes, elements)
        }
    };
    prove(&plan(), &Broken(real(), change, |_, _: &mut [u32]| ())).expect_err("a broken program")
}

fn fault_of_unpacking(change: impl Fn(&mut [u32])) -> String {
    let change = |rank: usize, local: &mut [u32]| {
        if rank == 2 {
            change(local)
        }
    };
    let unchanged = |_: usize, _: &mut Vec<Envelope>, _: &mut Vec<u32>| ();
    prove(&plan(), &Broken(real(), unchanged, change)).expect_err("a broken program")
}

// feature: every element of a plan compared = `redist verify`
#[test]
fn every_sort_of_layout_passes() {
    for (extents, from, to) in [
        (
            [50, 20],
            "(cyclic(16), cyclic(16)) onto (2, 2) of [128, 64] at [37, 5]",
            "(cyclic(7), cyclic(4)) onto (3, 2) first (1, 1) of [60, 20] at [3, 0]",
        ),
        (
            [60, 60],
            "(gen_block([10, 0, 50]), *) onto 3 first 1",
            "(block, block) onto (2, 2) ranks 3..7",
        ),
        ([7, 0], "(block, *) onto 3", "(*, cyclic) onto 2"),
        ([40, 25], "scalapack(4, 3, 2, 3, 1, 2)", "(cyclic(5), cyclic(2)) onto (3, 2) axes (1, 0)"),
        ([10, 12], FROM, TO),
    ] {
        let plan = Plan::<2>::parse(extents, from, to).expect("a plan");
        let tally = prove(&plan, &library(plan));
        assert_eq!(
            tally.map(|tally| tally.elements),
            Ok(extents[0] * extents[1]),
            "{from} -> {to}"
        );
        if let Some(tables) = WithTables::of(plan) {
            assert!(prove(&plan, &Library(tables.binder())).is_ok(), "{from} -> {to}");
        }
    }
}

/// Asserts that work on eight times the ranks takes less than 24 times as long: a rank that looked at
/// the blocks of all would take 64 times as long.
pub fn grows_with([few, many]: [usize; 2], work: impl Fn(usize)) {
    assert_eq!(8 * few, many);
    // Nanoseconds that this thread has run: other programs do not count.
    let ran = || {
        let times = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
        times.split(' ').next()?.parse::<u64>().ok()
    };
    let taken = |ranks| {
        let began = ran();
        work(ranks);
        ran().zip(began).map(|(now, began)| now - began)
    };
    let Some((few, many)) = taken(few).zip(taken(many)) else { return };
    // The system counts by ticks of some milliseconds.
    let few = few.max(10_000_000);
    assert!(many < 24 * few, "{many} ns against {few} for an eighth of the ranks");
}

/// A plan with a list of as many parts as there are ranks, which own them in another order.
fn listed(ranks: usize, kind: usize) -> Plan<1> {
    let sizes = move || (0..ranks).map(|number| 1 + number % 3);
    let extent = sizes().sum::<usize>();
    let text = |numbers: &mut dyn Iterator<Item = usize>| {
        numbers.map(|number| number.to_string()).collect::<Vec<_>>().join(", ")
    };
    let mut end = 0;
    let cuts = text(&mut sizes().take(ranks - 1).map(|size| {
        end += size;
        end
    }));
    let others = text(&mut (0..ranks).map(|number| (7 * number + 3) % ranks));
    let (sizes, pairs) = (text(&mut sizes()), ranks / 2);
    let from = match kind {
        0 => format!("gen_block([{sizes}]) onto {ranks} first 1"),
        1 => format!("rows([{sizes}], cyclic) onto {pairs}"),
        2 => format!("rows([{sizes}], block, points(2)) onto {ranks}"),
        3 => format!("blocks([{cuts}], [{others}]) onto {ranks}"),
        _ => format!("block onto {ranks} ranks [{others}]"),
    };
    Plan::parse([extent], &from, "block onto 30").expect("a plan")
}

#[test]
fn proofs_and_explanations_take_time_in_proportion_to_the_ranks() {
    for kind in 0..5 {
        // Ranks of which 7 is no factor.
        grows_with([2_000, 16_000], |ranks| {
            let plan = listed(ranks, kind);
            let tally = prove(&plan, &library(plan)).expect("a right plan");
            assert_eq!(tally.elements, plan.elements());
        });
        grows_with([2_000, 16_000], |ranks| {
            assert!(listed(ranks, kind).explain().contains("elements"));
        });
    }
}

#[test]
fn given_blocks_are_dealt_in_proportion_to_them() {
    grows_with([4_000, 32_000], |ranks| {
        let to = format!("gen_block([3 x {ranks}]) onto {ranks}");
        let plan = Plan::<1>::parse([3 * ranks], "*", &to).expect("a plan");
        for _ in 0..5 {
            let dealt = Dealt::of(&plan, Side::Destination);
            for number in 0..ranks {
                assert_eq!(dealt.line(0, number).indices.len(), 3);
                assert_eq!(dealt.held_below(0, number, 3 * ranks), 3);
            }
        }
    });
}

#[test]
fn wrong_packing_is_found() {
    let swapped = fault_of_packing(|_, elements| elements.swap(0, 1));
    assert!(
        swapped.starts_with("rank 3 sends element") && swapped.ends_with("too late"),
        "{swapped}"
    );
    let twice = fault_of_packing(|_, elements| elements[1] = elements[0]);
    assert!(twice.ends_with("too late"), "{twice}");
    let elsewhere = fault_of_packing(|envelopes, _| envelopes[0].rank += 5);
    assert!(elsewhere.contains(", but it belongs to rank "), "{elsewhere}");
    let outside = fault_of_packing(|_, elements| elements[0] = 0);
    assert!(outside.ends_with("but it is not moved"), "{outside}");
    let short = fault_of_packing(|envelopes, elements| {
        elements.pop();
        envelopes.last_mut().expect("a message").len -= 1;
    });
    assert!(short.starts_with("rank 3 sends ") && short.ends_with("of its own"), "{short}");
    let torn = fault_of_packing(|envelopes, _| {
        let last = envelopes.last_mut().expect("a message");
        last.len -= 1;
        let rank = last.rank;
        envelopes.push(Envelope { rank, len: 1 });
    });
    assert!(torn.starts_with("rank 3 has two messages with rank"), "{torn}");
}

#[test]
fn wrong_unpacking_is_found() {
    let moved = |local: &[u32]| {
        local.iter().position(|number| *number == 0).expect("the first of the messages")
    };
    let swapped = fault_of_unpacking(|local| local.swap(moved(local), moved(local) + 1));
    assert!(swapped.starts_with("rank 2 writes element"), "{swapped}");
    let missing = fault_of_unpacking(|local| local[moved(local)] = u32::MAX);
    assert!(missing.starts_with("rank 2 does not write element"), "{missing}");
    let outside = fault_of_unpacking(|local| {
        let place = local
            .iter()
            .position(|number| *number == u32::MAX)
            .expect("something that is not moved");
        local[place] = 0;
    });
    assert!(outside.ends_with("of its own"), "{outside}");
}

#[test]
fn programs_of_another_plan_are_found() {
    let other = Plan::parse([10, 12], "(cyclic(3), *) onto 2 ranks 1..3", "(cyclic(2), *) onto 3")
        .expect("a plan");
    let fault = prove(&plan(), &library(other)).expect_err("another plan");
    assert!(
        fault.ends_with("but its program is for 72") && fault.starts_with("rank 1 holds"),
        "{fault}"
    );
}
