//! Schedules of several dimensions.

use super::support::{Random, checked};
use proptest::prelude::*;
use redist::layout::{Dist, RankOrder};
use redist::plan::schedule::{CostModel, Method, ScheduleError, Schedules};
use redist::{Layout, Plan};
use redist_testing::strategies::{Case, cases, config};

/// The smallest product of two shortest schedules that is not the shortest: 8 steps against 4.
#[test]
fn bottlenecks_on_different_sides() {
    // (P, k, Q) = (1, 1, 2) and (4, 1, 1).
    let plan = Plan::<2>::parse(
        [8, 8],
        "(cyclic(1), cyclic(1)) onto (1, 4)",
        "(cyclic(1), cyclic(1)) onto (2, 1)",
    );
    let plan = plan.unwrap();
    let steps = |method| checked(&plan, method).unwrap().steps;
    assert_eq!((steps(Method::Circulant), steps(Method::Koenig)), (8, 4));
    let choice = plan.choose_steps(&CostModel::NETWORK, 8);
    assert_eq!((choice.method, choice.least_steps), (Method::Koenig, Some(4)));
    let startups_only = CostModel { startup: 0.0, per_byte: 0.0, contention: 0.0 };
    let circulant = plan.choose_steps(&startups_only, 8);
    assert_eq!(circulant.method, Method::Circulant);
    assert!(circulant.reason.contains("bottlenecks on different sides"), "{}", circulant.reason);
}

/// Lengths of circulant schedules multiply, and are the shortest if the same side is the
/// bottleneck.
#[test]
fn the_product_rule() {
    let mut random = Random::new(6);
    let (mut shortest, mut longer) = (0, 0);
    for _ in 0..400 {
        let mut dimension = || (random.up_to(4), random.up_to(4), random.up_to(4));
        let ((p, k, q), (r, l, s)) = (dimension(), dimension());
        let extents = [num_integer::lcm(p, k * q), num_integer::lcm(r, l * s)];
        let from = Layout::new([Dist::Cyclic(1), Dist::Cyclic(1)], [p, r]);
        let to = Layout::new([Dist::Cyclic(k), Dist::Cyclic(l)], [q, s]).order(RankOrder::Col);
        let plan = Plan::new(extents, from, to).unwrap();
        let product = checked(&plan, Method::Circulant).unwrap();
        let koenig = checked(&plan, Method::Koenig).unwrap();
        assert_eq!(koenig.steps, koenig.least_steps);
        if (p <= q && r <= s) || (p >= q && r >= s) {
            assert_eq!(product.steps, product.least_steps, "{plan}");
            shortest += 1;
        } else {
            longer += usize::from(product.steps > product.least_steps);
        }
    }
    assert!(shortest > 200 && longer > 20, "{shortest} {longer}");
}

/// x → kx in one dimension, s → t in the second.
#[test]
fn mixed_dimensions_count_as_the_closed_form() {
    let plan = Plan::<2>::parse(
        [48, 36],
        "(cyclic(2), cyclic(6)) onto (2, 2)",
        "(cyclic(8), cyclic(9)) onto (3, 2)",
    );
    let plan = plan.unwrap();
    assert_eq!(
        plan.schedule(Method::Circulant).unwrap_err(),
        ScheduleError::NotMultiples { dimension: 1, from: 6, to: 9 }
    );
    let closed = checked(&plan, Method::ClosedForm).unwrap();
    assert_eq!((closed.steps, closed.elements), (closed.least_steps, closed.least_elements));
}

/// The circulant has other steps than the closed form for this dimension kr → r, and is chosen.
#[test]
fn mixed_dimensions_take_the_circulant_where_it_applies() {
    let line = Plan::<1>::parse([97], "cyclic(6) onto 3", "cyclic(3) onto 8").unwrap();
    let [circulant, closed] = [Method::Circulant, Method::ClosedForm]
        .map(|method| line.schedule(method).unwrap().unwrap());
    let plan = Plan::<2>::parse(
        [97, 36],
        "(cyclic(6), cyclic(6)) onto (3, 2)",
        "(cyclic(3), cyclic(9)) onto (8, 2)",
    );
    let product = plan.unwrap().schedule(Method::ClosedForm).unwrap().unwrap();
    let inner = product.steps() / circulant.steps();
    let mut differ = 0;
    for (step, source) in (0..product.steps()).flat_map(|step| (0..6).map(move |rank| (step, rank)))
    {
        if let Some(destination) = product.destination(step, source) {
            let along = (step / inner, source / 2);
            assert_eq!(Some(destination / 2), circulant.destination(along.0, along.1));
            differ += usize::from(Some(destination / 2) != closed.destination(along.0, along.1));
        }
    }
    assert!(differ > 0);
}

/// The reason names the irregular blocks.
#[test]
fn given_blocks_and_rows_are_told_apart() {
    let why = |from: &str| {
        let plan = Plan::<1>::parse([12], from, "cyclic(2) onto 2").unwrap();
        let [circulant, closed] = [Method::Circulant, Method::ClosedForm]
            .map(|method| plan.schedule(method).unwrap_err().to_string());
        assert_eq!(circulant.split_once(':').unwrap().1, closed.split_once(':').unwrap().1);
        circulant
    };
    let given = why("gen_block([5, 7]) onto 2");
    assert!(given.contains("dimension 0: the source has the blocks of a `gen_block`"), "{given}");
    for rows in ["rows([2, 4, 4, 2], cyclic) onto 2", "points([2, 4, 4, 2]) onto 2"] {
        let rows = why(rows);
        assert!(rows.contains("the source has rows of given lengths (`rows`, `points`)"), "{rows}");
    }
}

/// Transposition, another order of ranks, shifted and overlapping ranks, sections, given blocks.
#[test]
fn whatever_a_layout_says() {
    let cases = [
        (
            "(cyclic(4), cyclic(3)) onto (2, 3)",
            "(cyclic(1), cyclic(2)) onto (3, 2) transposed",
            true,
        ),
        (
            "(cyclic(4), cyclic(3)) onto (2, 3) order col",
            "(cyclic(1), cyclic(2)) onto (3, 2) transposed",
            true,
        ),
        ("(cyclic(2), *) onto 6", "(*, cyclic(2)) onto 4 ranks 6..10", true),
        ("(cyclic(2), *) onto 6 ranks 2..8", "(*, cyclic(2)) onto 4 ranks 6..10", true),
        (
            "(cyclic(2), cyclic(2)) onto (2, 2) of [90, 90] at [3, 5]",
            "(cyclic(4), cyclic(2)) onto (2, 2) of [70, 70] at [1, 9]",
            true,
        ),
        (
            "(cyclic(2), cyclic(2)) onto (2, 2) of [90, 90] at [3, 5]",
            "(cyclic(4), cyclic(2)) onto (2, 2)",
            false,
        ),
        ("(gen_block([20, 0, 28]), *) onto 3", "(cyclic(4), *) onto 5", false),
        ("(rows([4, 20 x 2, 4], cyclic), *) onto 3", "(points([4, 20 x 2, 4]), *) onto 5", false),
    ];
    for (from, to, closed) in cases {
        let plan = Plan::<2>::parse([48, 48], from, to).unwrap();
        assert_eq!(checked(&plan, Method::Circulant).is_ok(), closed, "{from} {to}");
        assert_eq!(checked(&plan, Method::ClosedForm).is_ok(), closed, "{from} {to}");
        let koenig = checked(&plan, Method::Koenig).unwrap();
        assert_eq!(koenig.steps, koenig.least_steps);
        checked(&plan, Method::Caterpillar).unwrap();
    }
}

/// The choice is the cheapest, has the stated cost, and its reason begins with its name.
fn keeps_its_word<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let plan = case.plan();
    for choice in [plan.choose(&CostModel::NETWORK, 8), plan.choose_steps(&CostModel::NETWORK, 8)] {
        let listed: Vec<Method> =
            choice.candidates.iter().map(|candidate| candidate.method).collect();
        prop_assert_eq!(&listed[..], &Method::ALL[..]);
        let estimate = |method: Method| {
            choice
                .candidates
                .iter()
                .find(|candidate| candidate.method == method)
                .unwrap()
                .estimate
                .clone()
        };
        let own = estimate(choice.method).unwrap();
        let rivals = Method::ALL
            .iter()
            .filter(|method| choice.schedule.is_none() || **method != Method::AllAtOnce);
        for other in rivals.filter_map(|method| estimate(*method).ok()) {
            prop_assert!(own.seconds <= other.seconds);
        }
        prop_assert!(choice.reason.starts_with(&choice.method.to_string()));
        if choice.method != Method::AllAtOnce {
            let checked = checked(&plan, choice.method).unwrap();
            prop_assert_eq!((checked.steps, checked.elements), (own.steps, own.elements));
            prop_assert_eq!(choice.least_steps, Some(checked.least_steps));
        }
    }
    let shared = plan.choose(&CostModel::SHARED_MEMORY, 8);
    prop_assert_eq!(shared.method, Method::AllAtOnce);
    Ok(())
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn the_choice_in_one_dimension(case in cases::<1>()) {
        keeps_its_word(&case)?;
    }

    #[test]
    fn the_choice_in_two_dimensions(case in cases::<2>()) {
        keeps_its_word(&case)?;
    }
}
