//! Plans of the feature matrix, by every tier.

use super::{Cell, Feature, World};
use crate::strategies::Case;
use redist::exec::{Inverse, Tier};
use redist::layout::Layout;
use redist::{Element, Plan, Redistribution, Side, TypedPlan, redistribute};

/// A plan with its code and tables, of one type for any item.
pub struct Planned<T> {
    pub plan: Inverse<T, 2>,
    pub case: Case<2>,
}

pub const EXTENTS: [usize; 2] = [24, 20];

fn planned<T: Element>(
    item: &impl Redistribution<2, Element = T>,
    tier: Tier,
    [from, to]: [&str; 2],
) -> Planned<T> {
    assert_eq!(item.tier(), tier, "{from} -> {to}");
    let plan = item.inverse().inverse();
    assert_eq!((plan.plan(), plan.tier()), (item.plan(), tier), "{from} -> {to}");
    let layout = |text: &str| text.parse::<Layout<2>>().expect("the notation is right");
    Planned { plan, case: Case { extents: EXTENTS, from: layout(from), to: layout(to) } }
}

macro_rules! layouts {
    ($($name:ident: ($($from:tt)*) with N = $n:literal in ($($open:tt)*) to ($($to:tt)*);)*) => {$(
        fn $name<T: Element>(tier: Tier) -> Planned<T> {
            redistribute! {
                struct OfLiterals<T: Element>: [T; 24, 20] { from: $($from)*, to: $($to)* }
                struct OfConstants<T: Element, const N: usize>: [T; 24, 20] {
                    from: $($open)*,
                    to: $($to)*,
                }
            }
            let texts = [stringify!($($from)*), stringify!($($to)*)];
            match tier {
                Tier::Literal => planned(&OfLiterals::<T>::new(), tier, texts),
                Tier::Constant => planned(&OfConstants::<T, $n>::new(), tier, texts),
                Tier::RunTime => {
                    let plan = TypedPlan::<T, 2>::parse(EXTENTS, texts[0], texts[1]);
                    planned(&plan.expect("the notation is right"), tier, texts)
                }
            }
        }
    )*};
}

// Of a coupling, the producer has ranks 0 and 1, the consumer ranks 2 and 3.
layouts! {
    plain: ((cyclic(4), *) onto 3) with N = 4 in ((cyclic(N), *) onto 3)
        to ((*, cyclic(3)) onto 3 ranks 1..4);
    coupled_plain: ((cyclic(4), *) onto 2) with N = 4 in ((cyclic(N), *) onto 2)
        to ((*, cyclic(3)) onto 2 ranks 2..4);
    rank_maps: ((cyclic(4), *) onto 3 ranks [3, 0, 2])
        with N = 4 in ((cyclic(N), *) onto 3 ranks [N - 1, 0, 2])
        to ((*, block) onto 3 ranks [2, 1, 3]);
    coupled_rank_maps: ((cyclic(4), *) onto 2 ranks [1, 0])
        with N = 4 in ((cyclic(N), *) onto 2 ranks [N - 3, 0])
        to ((*, block) onto 2 ranks [3, 2]);
    sections: ((cyclic(4), *) onto 3 of [30, 23] at [5, 2])
        with N = 4 in ((cyclic(N), *) onto 3 of [30, 23] at [N + 1, 2])
        to ((*, cyclic(3)) onto 3 ranks 1..4 of [26, 25] at [1, 4]);
    coupled_sections: ((cyclic(4), *) onto 2 of [30, 23] at [5, 2])
        with N = 4 in ((cyclic(N), *) onto 2 of [30, 23] at [N + 1, 2])
        to ((*, cyclic(3)) onto 2 ranks 2..4 of [26, 25] at [1, 4]);
    transposition: ((cyclic(4), *) onto 3) with N = 4 in ((cyclic(N), *) onto 3)
        to ((cyclic(3), *) onto 3 ranks 1..4 storage fortran axes (1, 0));
    coupled_transposition: ((cyclic(4), *) onto 2) with N = 4 in ((cyclic(N), *) onto 2)
        to ((cyclic(3), *) onto 2 ranks 2..4 storage fortran axes (1, 0));
    gen_blocks: ((gen_block([10, 0, 14]), *) onto 3)
        with N = 14 in ((gen_block([10, 0, N]), *) onto 3)
        to ((*, gen_block([3, 12, 5])) onto 3 ranks 1..4);
    coupled_gen_blocks: ((gen_block([10, 14]), *) onto 2)
        with N = 14 in ((gen_block([10, N]), *) onto 2)
        to ((*, gen_block([3, 17])) onto 2 ranks 2..4);
    balanced: ((block balanced, *) onto 4 of [25, 20] at [1, 0])
        with N = 25 in ((block balanced, *) onto 4 of [N, 20] at [1, 0])
        to ((*, block balanced last) onto 3 ranks 1..4);
    coupled_balanced: ((block balanced last, *) onto 2 of [25, 20] at [1, 0])
        with N = 25 in ((block balanced last, *) onto 2 of [N, 20] at [1, 0])
        to ((*, block balanced last) onto 2 ranks 2..4 of [24, 21] at [0, 1]);
    listed: ((blocks([5, 11, 11, 14], [1, 0, 2, 1, 0]), *) onto 3)
        with N = 11 in ((blocks([5, N, N, N + 3], [1, 0, 2, 1, 0]), *) onto 3)
        to ((*, blocks([2, 9, 15], [2, 0, 2, 1])) onto 3 ranks 1..4);
    coupled_listed: ((blocks([5, 11], [1, 0, 1]), *) onto 2)
        with N = 11 in ((blocks([5, N], [1, 0, 1]), *) onto 2)
        to ((*, blocks([2, 9, 15], [1, 0, 1, 0])) onto 2 ranks 2..4);
    split: ((split([4, 6], cyclic, *), *) onto 3)
        with N = 4 in ((split([N, N + 2], cyclic, *), *) onto 3)
        to ((*, split([2, 5, 2], *, block onto 3, *)) onto 3 ranks 1..4);
    coupled_split: ((split([8, 3], cyclic onto 2, *), *) onto 2)
        with N = 8 in ((split([N, 3], cyclic onto 2, *), *) onto 2)
        to ((*, split([4, 5], *, block balanced last)) onto 2 ranks 2..4);
    reduced_grids: ((rows([3, 5, 8, 5, 3], cyclic), *) onto 3)
        with N = 3 in ((rows([N, 5, N + 5, 5, N], cyclic), *) onto 3)
        to ((*, points([2, 4, 8, 4, 2])) onto 3 ranks 1..4);
    coupled_reduced_grids: ((rows([3, 5, 8, 5, 3], cyclic(2)), *) onto 2)
        with N = 3 in ((rows([N, 5, N + 5, 5, N], cyclic(2)), *) onto 2)
        to ((*, points([2, 4, 8, 4, 2])) onto 2 ranks 2..4);
}

macro_rules! relabelled {
    ($($name:ident: ($($from:tt)*) to ($($to:tt)*);)*) => {$(
        fn $name<T: Element>(tier: Tier) -> Planned<T> {
            redistribute! {
                struct OfLiterals<T: Element>: [T; 24, 20] {
                    from: $($from)*,
                    to: $($to)*,
                    relabel: to,
                }
            }
            let texts = [stringify!($($from)*), stringify!($($to)*)];
            let plan = Plan::parse(EXTENTS, texts[0], texts[1]).expect("the notation is right");
            let best = plan.relabelled().expect("few ranks");
            assert!(best.stays().value > plan.stays().value, "nothing to relabel");
            let layouts = [Side::Source, Side::Destination]
                .map(|side| best.descriptor(side).layout().to_string());
            let texts = [&*layouts[0], &*layouts[1]];
            match tier {
                Tier::Literal => planned(&OfLiterals::<T>::new(), tier, texts),
                _ => planned(&TypedPlan::<T, 2>::from(best), tier, texts),
            }
        }
    )*};
}

relabelled! {
    relabelled: ((cyclic(3), *) onto 4) to ((cyclic(5), *) onto 4);
}

pub fn plan_of<T: Element>(cell: Cell) -> Planned<T> {
    let plans: [fn(Tier) -> Planned<T>; 2] = match cell.feature {
        Feature::RankMaps => [rank_maps, coupled_rank_maps],
        Feature::Sections => [sections, coupled_sections],
        Feature::Transposition => [transposition, coupled_transposition],
        Feature::GenBlock => [gen_blocks, coupled_gen_blocks],
        Feature::Balanced => [balanced, coupled_balanced],
        Feature::Listed => [listed, coupled_listed],
        Feature::Split => [split, coupled_split],
        Feature::ReducedGrids => [reduced_grids, coupled_reduced_grids],
        Feature::Relabelling => return relabelled(cell.tier),
        _ => [plain, coupled_plain],
    };
    plans[usize::from(cell.world == World::Coupling)](cell.tier)
}

pub fn inverse_of<T: Element>(cell: Cell) -> Planned<T> {
    let Planned { plan, case } = plan_of::<T>(cell);
    let back = Case { extents: case.extents, from: case.to, to: case.from };
    Planned { plan: plan.inverse(), case: back }
}
