use crate::plan::{Axis, Class};

/// Returns the class of a dimension as it is written. Panics if the planner finds another one; in a
/// constant, that is a compile error.
///
/// ```compile_fail,E0080
/// use redist::exec::generated::{Class, class};
/// use redist::plan::Axis;
///
/// const _: Class = class(&Axis::of_blocks(10, 2), Class::KrToR { k: 4, r: 2 }); // k is 5
/// ```
pub const fn class(axis: &Axis, written: Class) -> Class {
    let is_same = match (axis.class(), written) {
        (Class::KrToR { k, r }, Class::KrToR { k: other_k, r: other_r })
        | (Class::RToKr { k, r }, Class::RToKr { k: other_k, r: other_r }) => {
            k == other_k && r == other_r
        }
        (Class::General, Class::General) | (Class::Identity, Class::Identity) => true,
        _ => false,
    };
    assert!(is_same, "redistribute!: a class is not that of the plan");
    written
}
