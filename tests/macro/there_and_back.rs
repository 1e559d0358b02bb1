//! Inverses of plans of every tier bring an array back.

use redist::exec::Kernel;
use redist::exec::Tier;
use redist::layout::Dist;
use redist::threads::{self, Rank};
use redist::{Element, Error, Layout, Redistribution, Side, TypedPlan, redistribute};

const NB: usize = 10;
const ROWS: Layout<2> = Layout::new([Dist::Cyclic(3), Dist::Collapsed], [4, 1]);

redistribute! {
    struct Kr: [u64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }
    struct General: [u64; 1000] { from: cyclic(4) onto 3, to: cyclic(6) onto 5 first 2 }
    struct Wide: [u64; 3000] { from: cyclic(12) onto 3, to: cyclic(18) onto 5 first 2 }
    struct Bytes: [u8; 2000] { from: cyclic(4) onto 3, to: cyclic(6) onto 5 first 2 }
    struct BytesKr: [u8; 2000] { from: cyclic(12) onto 5, to: cyclic(3) onto 4 }
    struct BytesRk: [u8; 2000] { from: cyclic(5) onto 3, to: cyclic(NB) onto 3 }
    struct Long: [u64; 100_000] { from: cyclic(301) onto 2, to: cyclic(300) onto 3 }
    struct Given: [u64; 12] { from: gen_block([3, 0, 4, 5]) onto 4, to: cyclic(2) onto 3 }
    struct Sections: [u64; 50, 20] {
        from: (cyclic(16), cyclic(8)) onto (2, 2) of [128, 64] at [37, 5],
        to:   (cyclic(7), cyclic(4)) onto (3, 2) first (1, 1) ranks 2..8 of [30, 60] at [7, 3] storage fortran transposed,
    }
    struct Axes: [u64; 6, 90, 14] {
        from: (cyclic(2), *, block) onto (2, 2) storage fortran order col,
        to:   (*, cyclic(5), cyclic(4)) onto (2, 2) axes (2, 0, 1),
    }
    struct Constants: [u64; 1000] { from: cyclic(NB) onto 3, to: cyclic(NB / 2) onto 4 }
    struct Value: [u64; 60, 40] { from: ROWS, to: (*, cyclic(NB)) onto 3 }
    struct Turned: [u64; 60, 40] { from: (cyclic(NB), cyclic(5)) onto (3, 2), to: ROWS.axes([1, 0]) }
    struct Generic<T: Element, const B: usize>: [T; 1000] { from: cyclic(B) onto 3, to: cyclic(B + 2) onto 4 }
    struct Parameters(m: usize, nb: usize): [u64; m, 60] {
        from: (cyclic(NB), cyclic(nb)) onto (2, 2),
        to:   (cyclic(nb), cyclic(NB + 5)) onto (2, 3) transposed,
    }
    struct Couple(peer: Layout<2>): [u64; 60, 50] { from: (cyclic(NB), *) onto 2, to: peer }
}

trait Tagged: Element + PartialEq + core::fmt::Debug {
    fn tag(number: usize) -> Self;
}

impl Tagged for u64 {
    fn tag(number: usize) -> Self {
        number as Self
    }
}

impl Tagged for u8 {
    fn tag(number: usize) -> Self {
        (number % 251) as Self
    }
}

/// Elements outside of a section stay.
fn there_and_back<T: Tagged, const D: usize>(there: &(impl Redistribution<D, Element = T> + Sync)) {
    let back = there.inverse();
    assert_eq!(back.plan(), there.plan().inverse());
    assert_eq!(back.name(), format!("inverse of {}", there.name()));
    assert_eq!(back.tier(), there.tier());
    let run = |rank: &Rank, in_messages| {
        let (mut away, mut home) = (there.bind(rank)?, back.bind(rank)?);
        let number = |index: [usize; D]| {
            T::tag(index.iter().fold(1, |number, index| 1009 * number + *index))
        };
        let source: Vec<T> = away.global_indices(Side::Source).map(number).collect();
        let outside = T::tag(usize::MAX);
        let mut moved = vec![outside; away.local_len(Side::Destination)];
        let mut again = vec![outside; home.local_len(Side::Destination)];
        if in_messages {
            away.start(&source, &mut moved)?.finish()?;
            home.start(&moved, &mut again)?.finish()?;
        } else {
            away.run(&source, &mut moved)?;
            home.run(&moved, &mut again)?;
        }
        let of = away.plan().descriptor(Side::Source).layout();
        let inside = |index: [usize; D]| {
            (0..D).all(|axis| {
                (of.at[axis]..of.at[axis] + away.plan().extents()[axis]).contains(&index[axis])
            })
        };
        for (index, (before, after)) in
            home.global_indices(Side::Destination).zip(source.iter().zip(&again))
        {
            assert_eq!(
                *after,
                if inside(index) { *before } else { outside },
                "{index:?} of {}",
                there.name()
            );
        }
        Ok::<_, Error>(())
    };
    for in_messages in [false, true] {
        threads::run(there.plan().ranks(), |rank| run(rank, in_messages)).unwrap();
    }
}

#[test]
fn arrays_come_back() -> Result<(), Error> {
    there_and_back(&Kr::new());
    there_and_back(&General::new());
    there_and_back(&Bytes::new());
    there_and_back(&BytesKr::new());
    there_and_back(&BytesRk::new());
    there_and_back(&Given::new());
    there_and_back(&Wide::new());
    there_and_back(&Long::new());
    there_and_back(&Sections::new());
    there_and_back(&Axes::new());
    there_and_back(&Constants::new());
    there_and_back(&Value::new());
    there_and_back(&Turned::new());
    there_and_back(&Generic::<u64, 6>::new());
    there_and_back(&Parameters::new(70, 4)?);
    there_and_back(&Couple::new("(block, *) onto 3 transposed".parse().unwrap())?);
    there_and_back(
        &TypedPlan::<u64, 1>::parse([100], "cyclic(10) onto 3", "block onto 4").unwrap(),
    );
    Ok(())
}

/// Checks the inverse's table, if any. Returns the number of pieces in the binary.
fn tabulated<const D: usize>(there: &impl Redistribution<D>) -> usize {
    let (plan, back) = (there.plan(), there.inverse());
    for dimension in 0..D {
        let (own, table) = (plan.destination_axis(dimension), there.windows()[dimension].pieces());
        assert_eq!(
            back.report()[own].table,
            table.len(),
            "dimension {dimension} of {}",
            there.name()
        );
        let expected = back.plan().axis(own).window_walk().take(table.len());
        assert!(
            back.windows()[own].pieces().iter().copied().eq(expected),
            "dimension {dimension} of {}",
            there.name()
        );
    }
    back.windows().into_iter().map(|table| table.pieces().len()).sum()
}

#[test]
fn tables_are_in_the_binary_for_either_way() -> Result<(), Error> {
    assert_eq!(tabulated(&Kr::new()), 0);
    assert_eq!(tabulated(&General::new()), 4);
    assert_eq!(tabulated(&Long::new()), 600);
    assert_eq!(tabulated(&Sections::new()), 0);
    assert_eq!(tabulated(&Axes::new()), 4);
    assert_eq!(tabulated(&Constants::new()), 0);
    assert_eq!(tabulated(&Value::new()), 0);
    assert_eq!(tabulated(&Turned::new()), 7);
    assert_eq!(tabulated(&Generic::<u8, 6>::new()), 6);
    assert_eq!(tabulated(&Parameters::new(70, 4)?), 4);
    Ok(())
}

#[test]
fn an_inverse_says_who_planned_it() -> Result<(), Error> {
    assert_eq!(General::new().inverse().tier(), Tier::Literal);
    // The inverse counts in the destination's axes.
    let tiers = Parameters::new(70, 4)?.inverse().tiers();
    assert_eq!(tiers.map(|(tier, _)| tier), [Tier::RunTime, Tier::Constant]);
    assert!(
        tiers[0].1.contains("the parameter `nb`") && tiers[1].1.contains("the parameter `m`"),
        "{tiers:?}"
    );
    let text = General::new().inverse().explain();
    for words in
        ["inverse of General", "planned by the macro; a table of 4 pieces is in the binary"]
    {
        assert!(text.contains(words), "{text}");
    }
    Ok(())
}

#[test]
fn code_is_there_for_either_way() {
    assert_eq!(Kr::new().kernels().exist(), [true, true]);
    assert_eq!(Kr::new().inverse().kernels().exist(), [true, true]);
    assert_eq!(General::new().inverse().kernels().exist(), [true, true]);
    // Packed in runs for all peers in turn, so long that moves copy as fast.
    assert!(!Wide::new().inverse().kernels().exist()[0]);
    assert_eq!(Constants::new().inverse().kernels().exist(), [true, true]);
    let (unpacking, packing) = (
        BytesKr::new().inverse().binder().unpacking(0),
        BytesRk::new().inverse().binder().packing(0),
    );
    for choice in [unpacking.kernel(), packing.kernel()] {
        assert!(matches!(choice.kernel, Kernel::Compiled { .. }), "{choice}");
    }
}

#[test]
fn the_inverse_of_the_inverse_is_the_plan_itself() {
    let (plan, again) = (Axes::new(), Axes::new().inverse().inverse());
    assert_eq!((again.plan(), again.plan().digest()), (plan.plan(), plan.plan().digest()));
    assert_eq!(
        (again.name(), again.windows(), again.tiers()),
        (plan.name(), plan.windows(), plan.tiers())
    );
    assert_eq!(again.kernels().exist(), plan.kernels().exist());
    let run_time =
        TypedPlan::<f32, 1>::parse([100], "cyclic(7) onto 2", "cyclic(3) onto 3").unwrap();
    assert_eq!(run_time.inverse().inverse().plan(), run_time.plan());
}
