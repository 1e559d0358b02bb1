//! The closed forms against König's colouring and lower bounds.

use super::support::{Line, Random, checked, period, plan_of, whole};
use redist::plan::schedule::{CostModel, Method, ScheduleError, Schedules};
use redist_testing::drawn;

const CASES: u32 = 10_000;

#[test]
fn the_circulant_cannot_be_beaten() {
    let mut random = Random::new(1);
    for case in 0..drawn::some(CASES) {
        let (x, k, sources, destinations) =
            (random.up_to(3), random.up_to(21), random.up_to(8), random.up_to(8));
        let line = if case % 2 == 0 {
            (x, sources, k * x, destinations)
        } else {
            (k * x, sources, x, destinations)
        };
        let plan = whole(line);
        let circulant = checked(&plan, Method::Circulant).unwrap();
        let koenig = checked(&plan, Method::Koenig).unwrap();
        assert_eq!(
            (circulant.steps, koenig.steps),
            (circulant.least_steps, circulant.least_steps),
            "{line:?}"
        );
        assert_eq!(circulant.elements, circulant.least_elements, "{line:?}");
        assert_eq!(
            plan.schedule(Method::Circulant).unwrap().unwrap().steps(),
            circulant.steps,
            "{line:?}"
        );
    }
}

/// Returns `true` between the bottlenecks, where the closed form may be too long.
fn in_between((s, sources, t, destinations): Line) -> bool {
    if sources == 1 || destinations == 1 {
        return false;
    }
    let unit = num_integer::gcd(s, t);
    let common = num_integer::gcd(s / unit * sources, t / unit * destinations);
    let swapped = num_integer::gcd(s / unit, common) != 1;
    let (t, sources, destinations) =
        if swapped { (s, destinations, sources) } else { (t, sources, destinations) };
    let h = num_integer::gcd(t / unit, common);
    let (a, b) = (sources / common, destinations * h / common);
    b < h * a && a < b
}

/// Optimal in steps and cost if one side is the bottleneck.
#[test]
fn the_general_closed_form_against_koenig() {
    let (mut random, cases) = (Random::new(2), drawn::some(CASES));
    let (mut applied, mut between, mut longer) = (0, 0, 0);
    for _ in 0..cases {
        let line = (random.up_to(24), random.up_to(9), random.up_to(24), random.up_to(9));
        let plan = whole(line);
        let closed = match checked(&plan, Method::ClosedForm) {
            Ok(closed) => closed,
            Err(error) => {
                assert!(matches!(error, ScheduleError::NoClosedForm { .. }), "{error}");
                continue;
            }
        };
        let koenig = checked(&plan, Method::Koenig).unwrap();
        assert_eq!(koenig.steps, koenig.least_steps);
        applied += 1;
        if in_between(line) {
            between += 1;
            longer += u32::from(closed.steps > koenig.steps);
        } else {
            assert_eq!(
                (closed.steps, closed.elements),
                (koenig.steps, koenig.least_elements),
                "{line:?}"
            );
        }
    }
    println!(
        "{applied} with a closed form, {between} in between, {longer} of them longer than König"
    );
    assert!(applied > cases * 8 / 10 && between > cases / 100, "{applied} {between}");
    assert!(longer * 50 < between, "{longer} of {between}");
}

/// The smallest known case in which the closed form is a step too long.
#[test]
fn between_the_bottlenecks_koenig_may_be_shorter() {
    let plan = whole((5, 36, 3, 33));
    let steps = |method| checked(&plan, method).unwrap().steps;
    assert_eq!((steps(Method::ClosedForm), steps(Method::Koenig)), (34, 33));
    let choice = plan.choose_steps(&CostModel { startup: 1.0, per_byte: 0.0, contention: 1.0 }, 8);
    assert_eq!((choice.method, choice.least_steps), (Method::Koenig, Some(33)));
}

#[test]
fn short_and_uneven_extents() {
    let mut random = Random::new(3);
    for _ in 0..drawn::some(2_000) {
        let line = (random.up_to(9), random.up_to(9), random.up_to(9), random.up_to(9));
        let extent = random.up_to(2 * period(line) + 10) - 1;
        let first = (random.up_to(line.1) - 1, random.up_to(line.3) - 1);
        let plan = plan_of(extent, line, first);
        for method in [Method::Circulant, Method::ClosedForm, Method::Koenig, Method::Caterpillar] {
            match checked(&plan, method) {
                Ok(checked) => {
                    assert!(
                        checked.steps >= checked.least_steps
                            && checked.elements >= checked.least_elements
                    )
                }
                Err(ScheduleError::NotMultiples { .. } | ScheduleError::NoClosedForm { .. }) => {}
                Err(error) => panic!("{error}"),
            }
        }
        if extent >= period(line) && checked(&plan, Method::Circulant).is_ok() {
            let circulant = checked(&plan, Method::Circulant).unwrap();
            assert_eq!(circulant.steps, circulant.least_steps, "{extent} {line:?}");
        }
    }
}

/// As good as whole arrays if boundaries meet, declined if not.
#[test]
fn sections_shift_the_origins() {
    let (mut random, cases) = (Random::new(4), drawn::some(2_000));
    let (mut met, mut declined) = (0, 0);
    for _ in 0..cases {
        let (s, sources, t, destinations) =
            (random.up_to(12), random.up_to(8), random.up_to(12), random.up_to(8));
        let (at, to_at) = (random.up_to(40) - 1, random.up_to(40) - 1);
        let extent = 2 * period((s, sources, t, destinations));
        let layout = |block, ranks, at| {
            format!("cyclic({block}) onto {ranks} first {} of {} at {at}", ranks - 1, extent + 40)
        };
        let plan = redist::Plan::<1>::parse(
            [extent],
            &layout(s, sources, at),
            &layout(t, destinations, to_at),
        )
        .unwrap();
        match checked(&plan, Method::ClosedForm) {
            Ok(closed) => {
                met += 1;
                if !in_between((s, sources, t, destinations)) {
                    assert_eq!(
                        (closed.steps, closed.elements),
                        (closed.least_steps, closed.least_elements),
                        "{plan}"
                    );
                }
            }
            Err(ScheduleError::NotAligned { common, .. }) => {
                assert_ne!(at % common, to_at % common);
                declined += 1;
            }
            Err(error) => assert!(matches!(error, ScheduleError::NoClosedForm { .. }), "{error}"),
        }
        if let Ok(circulant) = checked(&plan, Method::Circulant) {
            assert_eq!(
                (circulant.steps, circulant.elements),
                (circulant.least_steps, circulant.least_elements)
            );
        }
    }
    assert!(met > cases / 2 && declined > cases / 10, "{met} {declined}");
}
