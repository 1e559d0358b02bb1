//! Saves run-time plans by `serde`, with the name of their element type.

use crate::exec::{Redistribution, TypedPlan};
use redist_plan::saved::SavedPlan;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::any::type_name;

/// As its [`Plan`](crate::plan::Plan), with the name of its element type.
impl<T: crate::Element, const D: usize> Serialize for TypedPlan<T, D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedPlan::of(&self.plan(), Some(type_name::<T>())).serialize(serializer)
    }
}

/// As its [`Plan`](crate::plan::Plan); the element type must be that of the reader, by its name.
impl<'de, T, const D: usize> Deserialize<'de> for TypedPlan<T, D> {
    fn deserialize<S: Deserializer<'de>>(deserializer: S) -> Result<Self, S::Error> {
        let saved = SavedPlan::deserialize(deserializer)?;
        let ours = type_name::<T>();
        match saved.element() {
            Some(theirs) if theirs == ours => saved.plan().map(Self::from),
            Some(theirs) => Err(S::Error::custom(format_args!(
                "the plan was saved for elements of type `{theirs}`, and is read for `{ours}`; read \
                 it as a plan of `{theirs}`, or as a `Plan`, which has no element type"
            ))),
            None => Err(S::Error::custom(format_args!(
                "the plan was saved without its element type, as a `Plan` is, and as earlier \
                 releases did: read it as a `Plan` and make a `TypedPlan` from that, or add \
                 `\"element\": \"{ours}\"`"
            ))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Plan;

    #[test]
    fn element_types_are_kept() {
        let plan = TypedPlan::<f64, 1>::parse([9], "block onto 3", "cyclic onto 2").unwrap();
        let text = serde_json::to_string(&plan).unwrap();
        assert!(text.contains(r#""element":"f64""#), "{text}");
        let again: TypedPlan<f64, 1> = serde_json::from_str(&text).unwrap();
        assert_eq!(again.plan(), plan.plan());
        assert_eq!(
            serde_json::from_str::<Plan<1>>(&text).map_err(|error| error.to_string()),
            Ok(plan.plan())
        );
        let read_as_f32 = |text: &str| serde_json::from_str::<TypedPlan<f32, 1>>(text);
        let other = read_as_f32(&text).unwrap_err().to_string();
        assert!(other.contains("type `f64`, and is read for `f32`"), "{other}");
        let without = serde_json::to_string(&plan.plan()).unwrap();
        let without = read_as_f32(&without).unwrap_err().to_string();
        assert!(without.contains(r#"saved without its element type"#), "{without}");
        assert!(without.contains(r#"`"element": "f32"`"#), "{without}");
    }
}
