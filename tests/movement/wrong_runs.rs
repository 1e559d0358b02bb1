//! Wrong runs by the dozen: each error says what was found, on which rank, and what to write.

use redist::exec::{Batch, Route};
use redist::threads::{self, Failure, Rank};
use redist::{Bound, Error, Layout, Redistribution, Side, TypedPlan, redistribute};

type Moves = TypedPlan<f64, 2>;

redistribute! {
    struct Blocks(b: usize, n: usize): [f64; n] { from: cyclic(b) onto 4, to: block onto 4 }
}

fn parsed(from: &str) -> Result<Moves, redist::plan::ParsePlanError> {
    Moves::parse([12, 8], from, "(*, block) onto 4")
}

fn rows() -> Moves {
    parsed("(block, *) onto 4").unwrap()
}

fn turns() -> Moves {
    parsed("(cyclic, *) onto 4").unwrap()
}

fn arrays(bound: &Bound<f64, 2>) -> [Vec<f64>; 2] {
    [Side::Source, Side::Destination].map(|side| vec![1.0; bound.local_len(side)])
}

/// Runs rows to columns on four ranks, with the arrays and the rank's own changes to them.
fn run(rank: &Rank, change: impl Fn(&mut [Vec<f64>; 2])) -> Result<(), Error> {
    let mut bound = rows().bind(rank)?;
    let mut brought = arrays(&bound);
    if rank.rank() == 1 {
        change(&mut brought);
    }
    let [source, mut destination] = brought;
    bound.run(&source, &mut destination)
}

/// Asserts that all ranks, or those that do not end, are told these words.
fn told(ranks: usize, words: &[&str], run: impl Fn(&Rank) -> Result<(), Error> + Sync) {
    let all = threads::run(ranks, |rank| Ok::<_, Error>(run(rank).err())).unwrap();
    let texts: Vec<String> = all.into_iter().flatten().map(|error| error.to_string()).collect();
    assert!(texts.len() + 1 >= ranks, "{texts:?}");
    for text in texts {
        assert!(words.iter().all(|words| text.contains(words)), "{text} lacks some of {words:?}");
    }
}

/// By rank 1 alone, another plan or other options.
fn bound_by_one(words: &[&str], other: impl Fn(&Rank) -> Result<(), Error> + Sync) {
    let bind = |rank: &Rank| match rank.rank() {
        1 => other(rank),
        _ => rows().bind(rank).map(drop),
    };
    told(4, &[words, &["rank 1", "rank 0", "all ranks must"]].concat(), bind);
}

#[test]
fn wrong_plans_on_ranks() {
    told(
        3,
        &["needs 4 ranks, but the communicator has 3; use more ranks or smaller grids"],
        |rank| rows().bind(rank).map(drop),
    );
    bound_by_one(&["`from` differs", "(block(3), *) onto 4", "(cyclic, *) onto 4"], |rank| {
        turns().bind(rank).map(drop)
    });
    bound_by_one(&["of type f32", "of type f64"], |rank| {
        TypedPlan::<f32, 2>::from(rows().plan()).bind(rank).map(drop)
    });
    bound_by_one(&["the route whole messages", "with automatic"], |rank| {
        rows().binder().route(Route::Messages).bind(rank).map(drop)
    });
    bound_by_one(&["collectively"], |rank| rows().binder().collectively().bind(rank).map(drop));
    bound_by_one(&["in 101 bytes"], |rank| rows().binder().max_bytes(101).bind(rank).map(drop));
    told(4, &["4 bytes of a rank (`max_bytes`), but one element alone needs 8; allow"], |rank| {
        rows().binder().max_bytes(4).bind(rank).map(drop)
    });
    told(4, &["the route `chunks` cannot be had", "use `Route::Automatic`"], |rank| {
        rows().binder().route(Route::Chunks).bind(rank).map(drop)
    });
    told(
        4,
        &["dimension 0 has stride 4", "takes 8 elements; give it a stride of at least 8"],
        |rank| rows().binder().strides(Side::Source, [4, 1]).bind(rank).map(drop),
    );
}

#[test]
fn wrong_arrays_on_ranks() {
    let len = "see `Bound::local_len`";
    told(4, &["rank 1: the local source array must hold 24 elements, found 23", len], |rank| {
        run(rank, |[source, _]| source.truncate(23))
    });
    told(
        4,
        &["rank 1: the local destination array must hold 24 elements, found 25", len],
        |rank| run(rank, |[_, destination]| destination.push(0.0)),
    );
    told(4, &["rank 1: the local source array must hold 24 elements, found 0", len], |rank| {
        run(rank, |[source, _]| source.clear())
    });
    told(4, &["the batch has 1 array, found 0; bring each, in the order of `add`"], |rank| {
        let (plan, mut batch) = (rows(), Batch::new());
        batch.add(&plan);
        batch.bind(rank)?.run(&mut [])
    });
    told(4, &["rank 1: the local source array must hold 24 elements, found 23", len], |rank| {
        let mut bound = rows().bind(rank)?;
        bound.run_in_place(&mut vec![0.0; 24 - usize::from(rank.rank() == 1)])
    });
}

#[test]
fn exchanged_arrays_on_ranks() {
    let gather =
        |rank: &Rank| Moves::parse([12, 8], "(block, *) onto 4", "(*, *) ranks 1..")?.bind(rank);
    let exchanged = "the arrays seem exchanged, so bring the source first";
    let words = [
        "rank 1: the local source array must hold 24 elements, found 96, which fits the destination: ",
        exchanged,
        "see `Bound::local_len`",
    ];
    for starts in [false, true] {
        let told = threads::run(4, |rank| {
            let mut bound = gather(rank)?;
            let [mut source, mut destination] = arrays(&bound);
            let told = match (rank.rank(), starts) {
                (1, false) => bound.run(&destination, &mut source),
                (1, true) => bound.start(&destination, &mut source).map(drop),
                _ => bound.run(&source, &mut destination),
            };
            let [source, mut destination] = arrays(&bound);
            bound.run(&source, &mut destination)?;
            Ok::<_, Error>(told.err().map(|error| error.to_string()))
        });
        let told = told.unwrap()[1].clone().unwrap();
        assert!(words.iter().all(|words| told.contains(words)), "{told}");
    }
    // One wrong array is not told as two that are exchanged.
    let one = threads::run(4, |rank| {
        let mut bound = gather(rank)?;
        let [mut source, mut destination] = arrays(&bound);
        source.resize(if rank.rank() == 1 { 96 } else { source.len() }, 0.0);
        Ok::<_, Error>(bound.run(&source, &mut destination).err().map(|error| error.to_string()))
    });
    let told = one.unwrap()[1].clone().unwrap();
    assert!(told.contains("found 96; see") && !told.contains(exchanged), "{told}");
    // Padded arrays may be longer than they must be.
    let padded = threads::run(4, |rank| {
        let plan = Moves::parse([12, 8], "(block, *) onto 4", "(*, *) ranks 1..")?;
        let binder = plan.binder().leading_dimension(Side::Source, 9);
        let mut bound = binder.leading_dimension(Side::Destination, 9).bind(rank)?;
        let [mut source, mut destination] = arrays(&bound);
        let told = match rank.rank() {
            1 => bound.run(&destination, &mut source),
            _ => bound.run(&source, &mut destination),
        };
        Ok::<_, Error>(told.err().map(|error| error.to_string()))
    });
    let told = padded.unwrap()[1].clone().unwrap();
    assert!(told.contains("rank 1: the local destination array must hold at least"), "{told}");
    assert!(told.contains(exchanged), "{told}");
}

#[test]
fn calls_that_ranks_do_not_make_alike() {
    told(4, &["rank 3 returned while rank ", "; all ranks make each call of a plan"], |rank| {
        if rank.rank() == 3 { Ok(()) } else { run(rank, |_| ()) }
    });
    told(4, &["rank 3 returned while rank ", "; all ranks make each call of a plan"], |rank| {
        if rank.rank() == 3 { Ok(()) } else { rows().bind(rank).map(drop) }
    });
    let words = [
        "in different orders, or one of them more often",
        "run them in one order and equally often",
    ];
    for again in [false, true] {
        told(4, &words, |rank| {
            let (mut first, mut second) = (rows().bind(rank)?, turns().bind(rank)?);
            let [source, mut to] = arrays(&first);
            if rank.rank() == 1 && !again {
                (first, second) = (second, first);
            }
            first.run(&source, &mut to)?;
            if rank.rank() == 1 && again {
                first.run(&source, &mut to)?;
            }
            second.run(&source, &mut to)
        });
    }
    let panicked = threads::run(4, |rank| {
        assert_ne!(rank.rank(), 1, "a mistake of the caller");
        run(rank, |_| ())
    });
    let Err(failure @ Failure::Panic { .. }) = panicked else { panic!("{panicked:?}") };
    assert!(failure.to_string().contains("rank 1 panicked"), "{failure}");
}

#[test]
fn wrong_values_and_texts() {
    let told =
        |found: Result<Moves, redist::plan::ParsePlanError>| found.err().unwrap().to_string();
    let new = |b, n| Blocks::new(b, n).err().unwrap().to_string();
    for (text, words) in [
        (new(0, 10), "a block must hold at least 1 element, found 0 (given by `b`)"),
        (new(1, usize::MAX), "an extent must be at most 9223372036854775807, found"),
        (
            "(blok, *) onto 4".parse::<Layout<2>>().err().unwrap().to_string(),
            "did you mean `block`?",
        ),
        (told(parsed("(block, block) onto 4")), "`onto` takes 2 numbers, found 1"),
        (told(parsed("(block, *) onto 4 copies 2")), "or by `PlanWithCopies::parse`"),
        (
            told(parsed("block onto 4")),
            "the array has 2 dimensions, but the layout has 1 distribution; give",
        ),
        (
            told(parsed("(block, *) onto 4 of (10, 8)")),
            "past the stored extent 10; move it or make it shorter",
        ),
        (told(parsed("(block, *) onto 4 ranks 1..3")), "the grid has 4 ranks; write `ranks 1..5`"),
        (
            told(parsed("(gen_block([1, 2, 3, 4]), *) onto 4")),
            "add up to 10, 2 less than the extent 12; they must",
        ),
    ] {
        assert!(text.contains(words), "{text} lacks {words}");
    }
}
