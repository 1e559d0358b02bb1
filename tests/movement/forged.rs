//! Plans that safe code writes by hand: what their hidden methods return is proved where it is used.

use redist::exec::{Batch, BatchArrays};
use redist::plan::WindowTable;
use redist::{Element, Error, Piece, Plan, Redistribution, Side, TypedPlan, threads};
use std::marker::PhantomData;
use std::panic::catch_unwind;

/// A plan that brings a table of its own.
struct Forged<T> {
    plan: Plan<1>,
    table: WindowTable<'static>,
    element: PhantomData<fn() -> T>,
}

impl<T: Element> Redistribution<1> for Forged<T> {
    type Element = T;

    fn name(&self) -> &str {
        "forged"
    }

    fn plan(&self) -> Plan<1> {
        self.plan
    }

    fn windows(&self) -> [WindowTable<'static>; 1] {
        [self.table]
    }
}

const fn piece(source: (usize, usize), destination: (usize, usize), len: usize) -> Piece {
    Piece::new(source, destination, len)
}

/// Blocks of 3 to blocks of 2; the right lengths are 2, 1, 1, 2.
static OF_NUMBERS: [Piece; 4] = [
    piece((0, 0), (0, 0), 1),
    piece((0, 1), (1, 0), 2),
    piece((1, 0), (1, 1), 1),
    piece((1, 1), (2, 0), 2),
];

/// Blocks of 9 to blocks of 6; the right lengths are 6, 3, 3, 6.
static OF_CHARS: [Piece; 4] = [
    piece((0, 0), (0, 0), 8),
    piece((0, 8), (1, 0), 1),
    piece((1, 0), (1, 3), 3),
    piece((1, 3), (2, 0), 6),
];

fn numbers() -> Plan<1> {
    Plan::parse([6], "cyclic(3) onto 2", "cyclic(2) onto 2 ranks 1..3").expect("a plan")
}

fn chars() -> Plan<1> {
    Plan::parse([18], "cyclic(9) onto 2", "cyclic(6) onto 2 ranks 1..3").expect("a plan")
}

/// Packing by these tables would put bytes of numbers where a batch has characters.
#[test]
fn no_table_of_other_pieces_can_be_made() {
    for (plan, pieces) in [(numbers(), &OF_NUMBERS), (chars(), &OF_CHARS)] {
        let made = catch_unwind(|| WindowTable::of(&plan.axis(0), pieces));
        let told = made.expect_err("a forged table is refused");
        let told = told.downcast_ref::<&str>().expect("words");
        assert!(told.contains("other pieces than the window of its blocks"), "{told}");
    }
}

/// A right table of other blocks could serve the same end.
#[test]
fn a_batch_refuses_tables_of_other_blocks() {
    fn window(plan: &Plan<1>) -> WindowTable<'static> {
        let pieces: Vec<Piece> = plan.axis(0).window_walk().collect();
        WindowTable::of(&plan.axis(0), pieces.leak())
    }
    let moved = |swapped: bool| {
        threads::run(3, |rank| {
            let mut batch = Batch::new();
            let (mut of_numbers, mut of_chars) = (window(&numbers()), window(&chars()));
            if swapped && rank.rank() == 0 {
                std::mem::swap(&mut of_numbers, &mut of_chars);
            }
            if rank.rank() == 0 {
                let element = PhantomData;
                batch.add(&Forged::<u64> { plan: numbers(), table: of_numbers, element });
                let element = PhantomData;
                batch.add(&Forged::<char> { plan: chars(), table: of_chars, element });
            } else {
                batch.add(&TypedPlan::<u64, 1>::from(numbers()));
                batch.add(&TypedPlan::<char, 1>::from(chars()));
            }
            let mut bound = batch.bind(rank)?;
            let len = |array, side| bound.local_len(array, side);
            let a = vec![u64::MAX; len(0, Side::Source)];
            let b = vec!['x'; len(1, Side::Source)];
            let mut c = vec![0; len(0, Side::Destination)];
            let mut d = vec!['a'; len(1, Side::Destination)];
            bound.run(&mut [BatchArrays::new(&a, &mut c), BatchArrays::new(&b, &mut d)])?;
            Ok::<_, Error>((c, d))
        })
    };
    let of_ranks = moved(false).expect("right tables move");
    for (numbers, chars) in of_ranks {
        assert!(numbers.iter().all(|number| *number == u64::MAX), "{numbers:?}");
        assert!(chars.iter().all(|char| *char == 'x'), "{chars:?}");
    }
    assert!(moved(true).is_err(), "tables of other blocks move nothing");
}
