//! Ranks that bind and move in different orders: every rank gets an error, and the next common call
//! works.

use redist::threads::{self, Rank};
use redist::transport::Route;
use redist::{Bound, Error, Redistribution, Side, TypedPlan};
use redist_testing::drawn;
use std::panic::{AssertUnwindSafe, catch_unwind};

const ROUTES: [Route; 2] = [Route::Automatic, Route::Messages];

fn bind(rank: &Rank, route: Route) -> Result<Bound<u32, 1>, Error> {
    let plan = TypedPlan::parse([99], "cyclic(2) onto 3", "cyclic(5) onto 3").unwrap();
    plan.binder().route(route).bind(rank)
}

struct Arrays {
    source: Vec<u32>,
    destination: Vec<u32>,
}

impl Arrays {
    fn of(bound: &Bound<u32, 1>) -> Self {
        let len = |side| bound.local_len(side);
        Self { source: vec![7; len(Side::Source)], destination: vec![0; len(Side::Destination)] }
    }

    fn run(&mut self, bound: &mut Bound<u32, 1>) -> Result<(), Error> {
        bound.run(&self.source, &mut self.destination)
    }

    fn fail(&mut self, bound: &mut Bound<u32, 1>) {
        let moved = self.run(bound);
        assert!(matches!(moved, Err(Error::DifferentMoves { .. })), "{moved:?}");
        assert!(self.destination.iter().all(|value| *value == 0), "nothing may move");
    }
}

fn on_every_rank(what: impl Fn(&Rank, Route) -> Result<(), Error> + Sync) {
    for route in ROUTES {
        // Many times, because threads meet in any order.
        for _ in 0..drawn::some(50) {
            threads::run(3, |rank| what(rank, route)).unwrap();
        }
    }
}

#[test]
fn runs_in_another_order_fail_on_every_rank() {
    for odd in 0..3 {
        on_every_rank(|rank, route| {
            let mut bound = [bind(rank, route)?, bind(rank, route)?];
            if rank.rank() == odd {
                bound.reverse();
            }
            for bound in &mut bound {
                let mut arrays = Arrays::of(bound);
                arrays.fail(bound);
                arrays.fail(bound);
            }
            // Another plan can be bound, and moves.
            let mut another = bind(rank, route)?;
            let mut arrays = Arrays::of(&another);
            arrays.run(&mut another)?;
            assert!(arrays.destination.iter().all(|value| *value == 7));
            // The plans themselves move again, in one order.
            if rank.rank() == odd {
                bound.reverse();
            }
            for bound in &mut bound {
                Arrays::of(bound).run(bound)?;
            }
            Ok(())
        });
    }
}

/// Started moves need no rank to wait: both have all their ranks in the end.
#[test]
fn starts_in_another_order_fail_on_every_rank() {
    on_every_rank(|rank, route| {
        let (mut a, mut b) = (bind(rank, route)?, bind(rank, route)?);
        let (mut first, mut second) = (&mut a, &mut b);
        if rank.rank() == 1 {
            (first, second) = (second, first);
        }
        let mut arrays = [Arrays::of(first), Arrays::of(second)];
        let [to_first, to_second] = &mut arrays;
        let one = first.start(&to_first.source, &mut to_first.destination);
        let two = second.start(&to_second.source, &mut to_second.destination);
        for started in [one, two] {
            let moved = started.and_then(|started| started.finish());
            assert!(matches!(moved, Err(Error::DifferentMoves { .. })), "{moved:?}");
        }
        assert!(arrays.iter().all(|arrays| arrays.destination.iter().all(|value| *value == 0)));
        Ok(())
    });
}

#[test]
fn a_move_where_others_bind_fails_on_every_rank() {
    on_every_rank(|rank, route| {
        let mut bound = bind(rank, route)?;
        let mut arrays = Arrays::of(&bound);
        if rank.rank() == 2 {
            arrays.fail(&mut bound);
        } else {
            let another = bind(rank, route).map(drop);
            assert!(matches!(another, Err(Error::DifferentMoves { .. })), "{another:?}");
        }
        Ok(())
    });
}

/// A rank panics before a move, catches that, and goes on with the next. It lacks the last move.
#[test]
fn a_move_that_one_rank_leaves_out_fails_on_every_rank() {
    on_every_rank(|rank, route| {
        let mut bound = [bind(rank, route)?, bind(rank, route)?];
        for (number, bound) in bound.iter_mut().enumerate() {
            let left_out = number == 0 && rank.rank() == 0;
            let mut arrays = Arrays::of(bound);
            let moved = catch_unwind(AssertUnwindSafe(|| {
                assert!(!left_out, "something else goes wrong");
                let moved = arrays.run(bound);
                let is_over = rank.rank() != 0 && number == 1;
                match moved {
                    Err(Error::RankEnded { rank: 0, .. }) if is_over => {}
                    Err(Error::DifferentMoves { .. }) if !is_over => {}
                    moved => panic!("{moved:?}"),
                }
                assert!(arrays.destination.iter().all(|value| *value == 0), "nothing may move");
            }));
            assert_eq!(moved.is_err(), left_out);
        }
        Ok(())
    });
}

#[test]
fn ends_in_any_order_are_no_other_order() {
    on_every_rank(|rank, route| {
        let (mut a, mut b) = (bind(rank, route)?, bind(rank, route)?);
        for round in 0..6 {
            let (mut to_a, mut to_b) = (Arrays::of(&a), Arrays::of(&b));
            let started_a = a.start(&to_a.source, &mut to_a.destination)?;
            let started_b = b.start(&to_b.source, &mut to_b.destination)?;
            match (rank.rank() + round) % 3 {
                0 => started_a.finish().and(started_b.finish())?,
                1 => started_b.finish().and(started_a.finish())?,
                // Both are dropped.
                _ => {}
            }
            Arrays::of(&b).run(&mut b)?;
        }
        Ok(())
    });
}
