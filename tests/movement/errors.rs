//! Errors of ranks that disagree, and the rank whose error counts.

use redist::threads::{self, Failure, Rank};
use redist::{Bound, Error, Redistribution, Side, TypedPlan};
use std::thread;
use std::time::Duration;

type Moves = TypedPlan<u64, 1>;

fn bind(rank: &Rank) -> Result<Bound<u64, 1>, Error> {
    Moves::parse([1003], "cyclic(10) onto 3", "cyclic(2) onto 2 ranks 1..3").unwrap().bind(rank)
}

#[test]
fn ranks_with_different_plans_fail_together() {
    let errors = threads::run(3, |rank| {
        let to = if rank.rank() == 2 { "cyclic(3) onto 3" } else { "cyclic(2) onto 3" };
        let plan = TypedPlan::<u64, 1>::parse([30], "block onto 3", to).unwrap();
        Ok::<_, Error>(plan.bind(rank).map(drop).unwrap_err())
    });
    for error in errors.unwrap() {
        assert!(matches!(error, Error::DifferentPlan { rank: 2, here: 0, .. }), "{error}");
        assert_eq!(
            error.to_string(),
            "rank 2 bound another plan than rank 0: `to` differs; all ranks must bind the same\n  \
               rank 0: to cyclic(2) onto 3\n  \
               rank 2: to cyclic(3) onto 3\n                    \
                                 ^"
        );
    }
}

#[test]
fn what_differs_between_plans_is_named_and_marked() {
    let told = |extent: usize, from: &str, to: &str| {
        let errors = threads::run(2, |rank| {
            let (extent, from, to) = if rank.rank() == 0 {
                (30, "block onto 2", "cyclic(4) onto 2")
            } else {
                (extent, from, to)
            };
            let plan = TypedPlan::<u64, 1>::parse([extent], from, to).unwrap();
            Ok::<_, Error>(plan.bind(rank).map(drop).unwrap_err().to_string())
        });
        let errors = errors.unwrap();
        assert_eq!(errors[0], errors[1]);
        errors[0].clone()
    };
    // The same blocks in other words are no difference, and are not mentioned.
    let same_from = told(30, "cyclic(15) onto 2", "cyclic(4) onto 2 storage fortran");
    assert!(same_from.contains(": `to` differs;") && same_from.lines().count() == 4, "{same_from}");
    let lines: Vec<&str> = same_from.lines().collect();
    assert_eq!(
        &lines[2][lines[3].find('^').unwrap()..=lines[3].rfind('^').unwrap()],
        "storage fortran"
    );
    let longer = told(31, "block onto 2", "cyclic(4) onto 2");
    assert!(longer.contains(": `array` and `from` differ"), "{longer}");
    assert!(longer.contains("rank 0: array [30]\n  rank 1: array [31]"), "{longer}");
    let other_dimensions = threads::run(2, |rank| {
        Ok::<_, Error>(match rank.rank() {
            0 => bind_of([30], "block onto 2", rank),
            _ => bind_of([5, 6], "(block, *) onto 2", rank),
        })
    });
    assert!(other_dimensions.unwrap()[0].contains("rank 1: array [5, 6]"));
}

fn bind_of<const D: usize>(extents: [usize; D], layout: &str, rank: &Rank) -> String {
    TypedPlan::<u64, D>::parse(extents, layout, layout)
        .unwrap()
        .bind(rank)
        .map(drop)
        .unwrap_err()
        .to_string()
}

#[test]
fn the_culprit_comes_first() {
    for slow in 0..3 {
        let result = threads::run(3, |rank| {
            let mut bound = bind(rank)?;
            let source = vec![0; bound.local_len(Side::Source) - usize::from(rank.rank() == 2)];
            let moved = bound.run(&source, &mut vec![0; bound.local_len(Side::Destination)]);
            if rank.rank() == slow {
                thread::sleep(Duration::from_millis(30));
            }
            moved
        });
        let failure = result.unwrap_err();
        assert!(
            matches!(failure, Failure::Error { rank: 2, error: Error::LocalLength { .. } }),
            "{failure}"
        );
        let expected = "rank 2: the local source array must hold 330 elements, found 329; see `Bound::local_len`";
        assert_eq!(failure.to_string(), expected);
    }
}

#[test]
fn those_who_were_told_are_named_if_the_culprit_goes_on() {
    let result = threads::run(3, |rank| {
        let plan = Moves::parse([1003], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap();
        let mut bound = plan.bind(rank)?;
        let source = vec![0; bound.local_len(Side::Source) - usize::from(rank.rank() == 2)];
        let moved = bound.run(&source, &mut vec![0; bound.local_len(Side::Destination)]);
        if rank.rank() == 0 { moved } else { Ok(()) }
    });
    let failure = result.unwrap_err();
    assert!(
        matches!(failure, Failure::Error { rank: 0, error: Error::PeerFailed { rank: 2, .. } }),
        "{failure}"
    );
    assert!(failure.to_string().starts_with("rank 2: the local source array"), "{failure}");
}

#[test]
fn the_docs_show_what_is_said() {
    const FROM: &str = "scalapack(64, 64, 2, 3)";
    const TO: &str = "(*, block) onto 6 storage fortran";
    let pages = [include_str!("../../docs/mpi.md"), include_str!("../../docs/internals/moving.md")]
        .concat();
    let bound = |rank: &Rank, to| TypedPlan::<f64, 2>::parse([1000, 600], FROM, to)?.bind(rank);
    let short = threads::run(6, |rank| {
        let mut bound = bound(rank, TO)?;
        let source = vec![0.0; bound.local_len(Side::Source) - usize::from(rank.rank() == 2)];
        let mut destination = vec![0.0; bound.local_len(Side::Destination)];
        bound.run(&source, &mut destination)
    });
    let other = threads::run(6, |rank| {
        let to = if rank.rank() == 2 { "(*, cyclic(100)) onto 5 storage fortran" } else { TO };
        bound(rank, to).map(drop)
    });
    for failure in [short.unwrap_err(), other.unwrap_err()] {
        let shown = format!("```text\nError: {failure:?}\n```");
        assert!(pages.contains(&shown), "{shown}");
    }
}

#[test]
fn errors_are_shown_in_words_either_way() {
    let error = Error::TooFewRanks { needed: 1, size: 0 };
    assert_eq!(
        format!("{error:?}"),
        "the plan needs 1 rank, but the communicator has 0; use more ranks or smaller grids"
    );
    let failure = Failure::Error { rank: 3, error };
    assert_eq!(
        format!("{failure:?}"),
        format!("rank 3 failed: {error:?}", error = Error::TooFewRanks { needed: 1, size: 0 })
    );
    let wrong: Box<dyn std::error::Error> =
        Moves::parse([9], "block onto 2", "blok onto 2").unwrap_err().into();
    assert!(
        format!("{wrong:?}")
            .starts_with("destination layout: unknown distribution `blok`; did you mean `block`?")
    );
}
