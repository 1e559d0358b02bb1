//! Any number of ranks computes the same transform.

use super::*;
use redist::{TypedPlan, threads};

/// Rows and columns of the array.
const EXTENTS: [usize; 2] = [70, 430];

redistribute! {
    struct Turn<const RANKS: usize>: [Complex32; 70, 430] {
        from: (cyclic(8), *) onto RANKS,
        to: (*, cyclic(3)) onto RANKS,
    }
    struct ToFirst<const RANKS: usize>: [Complex32; 70, 430] {
        from: (cyclic(8), *) onto RANKS,
        to: (*, *),
    }
}

fn outcomes<T, G>(turn: &T, gather: &G, route: Route) -> Vec<Outcome>
where
    T: Redistribution<2, Element = Complex32> + Sync,
    G: Redistribution<2, Element = Complex32> + Sync,
{
    let task = Task { turn, gather, route, times: 1 };
    let run = threads::run(turn.plan().ranks(), |rank| task.play(rank));
    run.unwrap_or_else(|failure| panic!("{failure}"))
}

fn is_right<const RANKS: usize>() {
    for route in [Route::Automatic, Route::Messages] {
        let outcomes = outcomes(&Turn::<RANKS>::new(), &ToFirst::<RANKS>::new(), route);
        let expected = serial::transformed(EXTENTS);
        let error = serial::largest_error(&outcomes[0].spectrum, &expected).unwrap();
        assert!(error < TOLERANCE, "{RANKS} ranks, {route}: {error}");
        assert!(outcomes[1..].iter().all(|outcome| outcome.spectrum.is_empty()));
        assert_eq!(outcomes.len(), RANKS);
        for outcome in outcomes {
            outcome.check_kernels().unwrap_or_else(|error| panic!("{route}: {error}"));
        }
    }
}

#[test]
fn two_ranks_compute_what_one_does_by_code_for_their_blocks() {
    is_right::<2>();
}

#[test]
fn three_ranks_do() {
    is_right::<3>();
}

#[test]
fn four_ranks_do() {
    is_right::<4>();
}

#[test]
fn a_plan_without_code_of_its_own_is_told() {
    let planned = TypedPlan::from(Turn::<2>::new().plan());
    for outcome in outcomes(&planned, &ToFirst::<2>::new(), Route::Automatic) {
        let error = outcome.check_kernels().unwrap_err().to_string();
        assert!(error.contains("no code for these blocks, but"), "{error}");
    }
}
