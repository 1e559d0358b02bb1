use crate::plan::{Class, Plan};

/// Returns the plan. Panics if an item's text names other classes of its dimensions; in a constant,
/// that is a compile error.
///
/// ```compile_fail,E0080
/// use redist::exec::generated::{Class, checked};
/// use redist::{Dist, Layout, Plan};
///
/// const fn plan() -> Plan<1> {
///     let [from, to] = [Dist::Cyclic(10), Dist::Cyclic(2)];
///     Plan::constant([90], Layout::new([from], [3]), Layout::new([to], [3]))
/// }
/// const _: Plan<1> = checked(plan(), [Class::KrToR { k: 4, r: 2 }]); // k is 5
/// ```
pub const fn checked<const D: usize>(plan: Plan<D>, written: [Class; D]) -> Plan<D> {
    let mut dimension = 0;
    while dimension < D {
        assert!(
            are_same(plan.axis(dimension).class(), written[dimension]),
            "redistribute!: a class is not that of the plan"
        );
        dimension += 1;
    }
    plan
}

const fn are_same(class: Class, other: Class) -> bool {
    match (class, other) {
        (Class::KrToR { k, r }, Class::KrToR { k: other_k, r: other_r })
        | (Class::RToKr { k, r }, Class::RToKr { k: other_k, r: other_r }) => {
            k == other_k && r == other_r
        }
        (Class::General, Class::General) | (Class::Identity, Class::Identity) => true,
        _ => false,
    }
}
