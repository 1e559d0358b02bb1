//! A printed layout is read back as the same; other text is a layout, or an error with its place.

use proptest::prelude::*;
use redist::layout::{Dist, MAX_EXTENT, Ranks};
use redist::{Layout, Plan};
use redist_testing::strategies::{Case, cases, config};

fn survives<const D: usize>(layout: &Layout<D>) -> Result<(), TestCaseError> {
    let text = layout.to_string();
    let read = text.parse::<Layout<D>>();
    prop_assert_eq!(read.as_ref(), Ok(layout), "{}", &text);
    let shouted = text.to_uppercase().parse::<Layout<D>>();
    prop_assert_eq!(shouted.as_ref(), Ok(layout), "{} in capitals", &text);
    Ok(())
}

fn both_survive<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    survives(&case.from)?;
    survives(&case.to)
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn one_dimension(case in cases::<1>()) {
        both_survive(&case)?;
    }

    #[test]
    fn two_dimensions(case in cases::<2>()) {
        both_survive(&case)?;
    }

    #[test]
    fn three_dimensions(case in cases::<3>()) {
        both_survive(&case)?;
    }

    #[test]
    fn four_dimensions(case in cases::<4>()) {
        both_survive(&case)?;
    }

    /// Errors may print numbers that no descriptor accepts.
    #[test]
    fn large_numbers(
        block in 0..=MAX_EXTENT, grid in 1..=1usize << 31, first in 0..=MAX_EXTENT, at in 0..=MAX_EXTENT,
    ) {
        let layout = Layout::new([Dist::Cyclic(block), Dist::BlockOf(block)], [grid, grid]);
        survives(&layout.first([first, 0]).of([MAX_EXTENT, at]).at([at, 0]))?;
        survives(&layout.ranks(Ranks::From(first / 2)))?;
    }

    #[test]
    fn mistakes_have_a_place(
        noise in "[ a-z0-9(),.*\\[\\]é]{0,40}", case in cases::<2>(), at in any::<prop::sample::Index>(),
    ) {
        has_a_place(&noise)?;
        let text = case.to.to_string();
        let (before, after) = text.split_at(at.index(text.len()));
        has_a_place(&format!("{before}{noise}{after}"))?;
        has_a_place(before)?;
    }

    // feature: plans in files = feature `serde`
    #[test]
    fn plans_are_read_as_they_were_written(case in cases::<2>()) {
        let plan = case.plan();
        let text = serde_json::to_string(&plan).expect("texts and numbers are JSON");
        prop_assert_eq!(serde_json::from_str::<Plan<2>>(&text).ok(), Some(plan), "{}", text);
    }

    #[test]
    fn ranks_are_as_many_as_the_grid_has(start in 0..9usize, end in 0..9usize) {
        let text = format!("(block, *) onto 4 ranks {start}..{end}");
        prop_assert_eq!(text.parse::<Layout<2>>().is_ok(), end == start + 4, "{}", text);
        has_a_place(&text)?;
    }
}

fn has_a_place(text: &str) -> Result<(), TestCaseError> {
    if let Err(error) = text.parse::<Layout<2>>() {
        prop_assert!(text.get(error.span.clone()).is_some(), "{:?} of {:?}", error, text);
        prop_assert!(!error.message.is_empty());
    }
    Ok(())
}
