use crate::plan::{Class, Plan};

/// Returns the plan. Panics if an item's text names other classes of its dimensions; in a constant,
/// that is a compile error.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_classes_are_refused() {
        let plan = Plan::<1>::parse([90], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap();
        let right = Class::KrToR { k: 5, r: 2 };
        assert_eq!(checked(plan, [right]).axis(0).class(), right);
        let (k, r) = (5, 2);
        let of_form = [Class::KrToR { k: 4, r }, Class::KrToR { k, r: 3 }, Class::RToKr { k, r }];
        for class in of_form.into_iter().chain([Class::General, Class::Identity]) {
            assert!(std::panic::catch_unwind(|| checked(plan, [class])).is_err(), "{class:?}");
        }
    }
}
