//! `explain` of a bound plan describes the calls of its moves.

use redist::exec::Calls;
use redist::plan::schedule::Method;
use redist::threads::{self, Rank};
use redist::transport::{Route, Way};
use redist::{Bound, Error, Redistribution, Side, TypedPlan};

const RANKS: usize = 3;

fn plan() -> TypedPlan<f64, 1> {
    TypedPlan::parse([3000], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap()
}

fn on_every_rank(check: impl Fn(&Rank) -> Result<(), Error> + Sync) {
    threads::run(RANKS, check).unwrap();
}

fn run_once(bound: &mut Bound<f64, 1>) -> Result<(), Error> {
    let source = vec![1.0; bound.local_len(Side::Source)];
    let mut destination = vec![0.0; bound.local_len(Side::Destination)];
    bound.run(&source, &mut destination)?;
    assert!(destination.iter().all(|element| *element == 1.0));
    Ok(())
}

fn line<'a>(text: &'a str, subject: &str) -> &'a str {
    let prefix = format!("  {subject}: ");
    text.lines()
        .find_map(|line| line.strip_prefix(&prefix))
        .unwrap_or_else(|| panic!("no {subject} in {text}"))
}

#[test]
fn lent_arrays_are_copied_and_nothing_else() {
    on_every_rank(|rank| {
        let mut bound = plan().bind(rank)?;
        assert_eq!((bound.way(), bound.prepared()), (Way::Lent, vec!["divided copies"]));
        let text = bound.explain();
        assert!(text.starts_with(&format!("rank {} of 3\n", rank.rank())), "{text}");
        assert!(line(&text, "way").starts_with("lent arrays: ranks are threads"), "{text}");
        assert!(line(&text, "schedule").starts_with("none"), "{text}");
        assert!(line(&text, "source").starts_with("nothing is packed"), "{text}");
        assert!(line(&text, "destination").starts_with("copied by"), "{text}");
        // Of the five blocks of 2 in each of its blocks of 10, rank 1 keeps one, all other ranks
        // keep two.
        let volumes = match rank.rank() {
            1 => "800 (6400 bytes) leave, 800 (6400 bytes) come, 200 (1600 bytes) stay",
            _ => "600 (4800 bytes) leave, 600 (4800 bytes) come, 400 (3200 bytes) stay",
        };
        assert_eq!(line(&text, "elements"), volumes);
        assert!(line(&text, "memory").starts_with("0 bytes for messages now"), "{text}");
        assert_eq!(line(&text, "first move"), "has nothing to make");
        run_once(&mut bound)?;
        run_once(&mut bound)?;
        assert_eq!(bound.calls(), Calls { shares: 2, ..Calls::default() });
        assert_eq!(bound.prepared(), ["divided copies"]);
        Ok(())
    });
}

#[test]
fn a_move_that_is_started_makes_what_messages_need() {
    on_every_rank(|rank| {
        let mut bound = plan().bind(rank)?;
        let source = vec![1.0; bound.local_len(Side::Source)];
        let mut destination = vec![0.0; bound.local_len(Side::Destination)];
        bound.start(&source, &mut destination)?.finish()?;
        assert_eq!(bound.calls(), Calls { packed: 1, unpacked: 1, ..Calls::default() });
        assert_eq!(bound.prepared(), ["packing", "unpacking", "divided copies"]);
        assert!(!line(&bound.explain(), "memory").starts_with("0 bytes"), "{}", bound.explain());
        Ok(())
    });
}

#[test]
fn messages_are_packed_by_the_kernel_that_is_named() {
    on_every_rank(|rank| {
        let mut bound = plan().binder().route(Route::Messages).bind(rank)?;
        assert_eq!((bound.way(), bound.prepared()), (Way::Messages, vec!["packing", "unpacking"]));
        let text = bound.explain();
        assert_eq!(line(&text, "way"), "packed messages: asked for by the caller");
        assert!(line(&text, "schedule").starts_with("all at once"), "{text}");
        let packed = format!("packed by {}", plan().binder().packing(rank.rank()).kernel());
        let unpacked = format!(
            "unpacked from all messages together by {}",
            plan().binder().unpacking(rank.rank()).kernel()
        );
        assert_eq!(
            (line(&text, "source"), line(&text, "destination")),
            (&packed[..], &unpacked[..])
        );
        assert!(line(&text, "elements").ends_with("; 2 messages out, 2 messages in"), "{text}");
        assert_eq!(line(&text, "first move"), "has to make memory for messages");
        run_once(&mut bound)?;
        assert_eq!(bound.calls(), Calls { packed: 1, unpacked: 1, ..Calls::default() });
        assert_eq!(line(&bound.explain(), "first move"), "has nothing to make");
        Ok(())
    });
}

/// Threads send nothing, so a schedule changes nothing.
#[test]
fn threads_move_alike_with_a_schedule_and_without_one() {
    on_every_rank(|rank| {
        let plan = plan();
        let binder = || plan.binder().method(Method::Caterpillar);
        let mut bound = binder().bind(rank)?;
        assert!(bound.steps().is_some_and(|steps| !steps.is_empty()));
        assert_eq!((bound.method(), bound.way()), (Method::Caterpillar, Way::Lent));
        let said = line(&bound.explain(), "schedule").to_owned();
        assert_eq!(said, "none: with lent arrays there are no messages to order");
        run_once(&mut bound)?;
        assert_eq!(bound.calls(), Calls { shares: 1, ..Calls::default() });
        let mut bound = binder().route(Route::Messages).bind(rank)?;
        let said = line(&bound.explain(), "schedule").to_owned();
        assert_eq!(said, "none: threads hand over all messages at once");
        run_once(&mut bound)?;
        assert_eq!(bound.calls(), Calls { packed: 1, unpacked: 1, ..Calls::default() });
        Ok(())
    });
}

#[test]
fn routes_that_threads_do_not_have_are_refused_on_all_ranks() {
    on_every_rank(|rank| {
        let error = plan().binder().route(Route::Chunks).bind(rank).map(drop).unwrap_err();
        assert!(matches!(error, Error::Unavailable { .. }), "{error}");
        assert!(error.to_string().starts_with("the route `chunks` cannot be had here"), "{error}");
        let route = if rank.rank() == 2 { Route::Messages } else { Route::Automatic };
        let error = plan().binder().route(route).bind(rank).map(drop).unwrap_err();
        assert!(matches!(error, Error::DifferentOptions { rank: 2, .. }), "{error}");
        Ok(())
    });
}

#[test]
fn a_plan_speaks_of_the_plan() {
    let text = plan().explain();
    assert!(text.contains("kr→r, k = 5, r = 2"), "{text}");
    assert!(
        text.contains(
            "1000 elements of 3000 stay on their rank; 9 messages, at most 3 of one rank"
        ),
        "{text}"
    );
    assert!(!text.contains("packs by") && !text.contains("schedule"), "{text}");
}
