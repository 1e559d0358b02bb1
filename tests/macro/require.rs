//! Demands of items hold for their plans.

use redist::layout::{Dist, Ranks};
use redist::plan::Figure;
use redist::{Element, Layout, Plan, Redistribution, redistribute};
use redist_testing::array::messages;

const P: usize = 3;
const TO: Layout<1> = Layout::new([Dist::Cyclic(2)], [P]);

redistribute! {
    struct Literal: [f64; 1003] {
        from: cyclic(10) onto 3,
        to: cyclic(2) onto 3,
        require: static, unrolled, messages <= 2, steps <= 3, stays >= 33%, memory <= 10800,
    }
    struct Constant: [f64; 1003] {
        from: cyclic(10) onto P,
        to: TO,
        require: memory <= 11KiB, stays >= 33%, steps <= 3, messages <= 2, unrolled, tables,
    }
    struct Instance<T: Element, const B: usize>: [T; 1003] {
        from: cyclic(5 * B) onto 3,
        to: cyclic(B) onto 3,
        require: static, unrolled, messages <= 2, steps <= 3, stays >= 33%, memory <= 10800 B,
    }
    struct OfElements<'a, T: Element>: [T; 1003] where T: From<u8> {
        from: cyclic(10) onto 3,
        to: cyclic(2) onto 3,
        require: memory <= 1 GiB, unrolled,
    }
    /// Generic in nothing that its plan or its figures depend on.
    struct Figures<T: Element>: [T; 1003] {
        from: cyclic(10) onto P,
        to: TO,
        require: messages <= 2, steps <= 3, stays >= 33%, memory <= 10800,
    }
    struct Known<T: Element>(n: usize): [T; n] {
        from: cyclic(10) onto 3,
        to: cyclic(2) onto P,
        require: unrolled, tables,
    }
    /// More dimensions than the macro's one plan.
    struct Deep: [u8; 4, 4, 2, 2, 2, 2, 2, 2, 2] {
        from: (block, *, *, *, *, *, *, *, *) onto 4,
        to: (*, block, *, *, *, *, *, *, *) onto 4,
        require: messages <= 3, steps <= 4, stays >= 25%, memory <= 2KiB,
    }
    struct Empty: [f64; 0, 9] {
        from: (block, *) onto 3,
        to: (*, block) onto 3,
        require: messages <= 0, steps <= 0, stays >= 100%, memory <= 0,
    }
    struct Tables: [f64; 1003] {
        from: cyclic(9) onto 3,
        to: cyclic(2) onto 3,
        require: static,
        tables: 20,
    }
}

fn figures<const D: usize>(plan: &Plan<D>) -> [usize; 4] {
    [plan.messages(), plan.steps(), plan.stays(), plan.memory(8)].map(|figure| figure.value)
}

#[test]
fn all_tiers_have_the_same_figures() {
    let expected = [2, 3, 334, 10800];
    assert_eq!(figures(&Literal::new().plan()), expected);
    assert_eq!(figures(&Constant::new().plan()), expected);
    assert_eq!(figures(&Instance::<f64, 2>::new().plan()), expected);
    assert_eq!(figures(&OfElements::<f64>::new().plan()), expected);
    assert_eq!(figures(&Figures::<f64>::new().plan()), expected);
    assert_eq!(figures(&Known::<f32>::new(1003).expect("a plan").plan()), expected);
    assert_eq!(figures(&Literal::new().inverse().plan()), expected);
    assert_eq!(figures(&Deep::new().plan())[..2], [3, 4]);
    assert_eq!(figures(&Empty::new().plan()), [0; 4]);
    assert_eq!(Tables::new().report()[0].table, 10);
}

#[test]
fn what_is_required_to_be_unrolled_is() {
    for explained in [Literal::new().explain(), Known::<f32>::new(1003).expect("a plan").explain()]
    {
        assert!(explained.contains("in the binary: code for these blocks"), "{explained}");
    }
}

#[test]
fn constants_have_the_figures_of_the_simulator() {
    const FROM: Layout<2> =
        Layout::new([Dist::Cyclic(3), Dist::Block], [4, 3]).ranks(Ranks::From(2));
    const TO: Layout<2> = Layout::new([Dist::Cyclic(5), Dist::Cyclic(2)], [3, 5]);
    const PLAN: Plan<2> = Plan::constant([50, 40], FROM, TO);
    const FIGURES: [Figure; 3] = [PLAN.messages(), PLAN.steps(), PLAN.stays()];
    let messages = messages([50, 40], &FROM, &TO);
    let most = |with_own: bool| {
        let of = |rank, end: fn(&(usize, usize)) -> usize| {
            messages
                .keys()
                .filter(|ends| end(ends) == rank && (with_own || ends.0 != ends.1))
                .count()
        };
        (0..20).map(|rank| of(rank, |ends| ends.0).max(of(rank, |ends| ends.1))).max()
    };
    let kept = messages.iter().filter(|(ends, _)| ends.0 == ends.1).map(|(_, found)| found.len());
    assert_eq!(
        FIGURES.map(|figure| Some(figure.value)),
        [most(false), most(true), Some(kept.sum())]
    );
    assert!(FIGURES.iter().all(|figure| figure.is_exact));
}
