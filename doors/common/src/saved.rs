//! Plans as JSON, which a file or another program keeps: extents, both layouts, and the digest that
//! ranks compare.

use crate::plan::{DoorPlan, MAX_DIMENSIONS};
use redist::Plan;
use serde_json::Value;

/// The reason why a text is no plan.
#[derive(Debug, thiserror::Error)]
pub enum NotRead {
    #[error("the text is no JSON: {0}")]
    NoJson(serde_json::Error),
    #[error(
        "the text has no list `extents` with an entry for each of 0 to {MAX_DIMENSIONS} dimensions; \
         a plan has `extents`, `from` and `to`"
    )]
    NoExtents,
    #[error("the text is no plan: {0}")]
    NoPlan(serde_json::Error),
}

/// Returns the plan as JSON.
///
/// # Panics
/// Never: a plan has nothing that JSON lacks.
pub fn to_json(plan: &DoorPlan) -> String {
    plan.saved().expect("texts and numbers are JSON")
}

/// Reads a plan of [`to_json`], or one that was written by hand, which may have no digest.
///
/// # Errors
/// The text is no JSON, or no plan; its digest is of other layouts.
pub fn from_json(text: &str) -> Result<DoorPlan, NotRead> {
    let value: Value = serde_json::from_str(text).map_err(NotRead::NoJson)?;
    let dimensions = value.get("extents").and_then(Value::as_array).map(Vec::len);
    macro_rules! read {
        ($($dimensions:literal)*) => {
            match dimensions {
                $(Some($dimensions) => read::<$dimensions>(value),)*
                _ => Err(NotRead::NoExtents),
            }
        };
    }
    read! { 0 1 2 3 4 5 6 7 8 }
}

fn read<const D: usize>(value: Value) -> Result<DoorPlan, NotRead> {
    serde_json::from_value::<Plan<D>>(value).map(DoorPlan::from).map_err(NotRead::NoPlan)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plans_of_any_size_are_read_as_they_were_written() {
        for (extents, from, to) in [
            (&[][..], "() ranks 2..3", "()"),
            (&[24, 30], "scalapack(4, 5, 2, 3, 1, 0)", "(*, gen_block([1, 29])) onto 2"),
            (&[2; 8], "(*, *, *, *, *, *, *, block) onto 2", "(block, *, *, *, *, *, *, *) onto 2"),
        ] {
            let plan = DoorPlan::parse(extents, from, to).unwrap();
            let text = to_json(&plan);
            assert_eq!(format!("{:?}", from_json(&text).unwrap()), format!("{plan:?}"), "{text}");
        }
    }

    #[test]
    fn other_texts_are_refused() {
        let said = |text: &str| from_json(text).err().unwrap().to_string();
        assert!(said("{").starts_with("the text is no JSON"));
        assert!(said("[]").contains("no list `extents`"));
        assert!(said(r#"{"extents":[1,1,1,1,1,1,1,1,1]}"#).contains("0 to 8 dimensions"));
        let changed = r#"{"extents":[9],"from":"block onto 3","to":"cyclic onto 3","digest":"7"}"#;
        assert!(said(changed).contains("digest"));
    }
}
