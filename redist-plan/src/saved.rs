//! Layouts and plans for `serde`: a layout is its notation; a plan its extents, layouts and digest.
//!
//! ```
//! # use redist_plan as redist;
//! use redist::Plan;
//! let plan = Plan::<1>::parse([1200], "cyclic(10) onto 4", "block onto 3 ranks [2, 0, 5]")?;
//! let text = serde_json::to_string(&plan)?;
//! assert!(text.starts_with(r#"{"extents":[1200],"from":"cyclic(10) onto 4","to":"block onto 3"#));
//! assert_eq!(serde_json::from_str::<Plan<1>>(&text)?, plan);
//!
//! let other = text.replace("1200", "1201");
//! let error = serde_json::from_str::<Plan<1>>(&other).unwrap_err();
//! assert!(error.to_string().contains("digest"), "{error}");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::layout::Layout;
use crate::plan::{Plan, Side};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A plan as it is written: its words, and a digest that proves them.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SavedPlan {
    /// Of the moved part, in elements, in the source's axes.
    extents: Vec<usize>,
    from: String,
    to: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    element: Option<String>,
    /// Left out in a plan that was written by hand.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    digest: Option<String>,
}

impl<const D: usize> Serialize for Layout<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Reads the notation; its lists are kept until the program ends, equal ones once.
impl<'de, const D: usize> Deserialize<'de> for Layout<D> {
    fn deserialize<S: Deserializer<'de>>(deserializer: S) -> Result<Self, S::Error> {
        String::deserialize(deserializer)?.parse().map_err(S::Error::custom)
    }
}

impl SavedPlan {
    pub fn of<const D: usize>(plan: &Plan<D>, element: Option<&str>) -> Self {
        let layout = |side| plan.descriptor(side).layout().to_string();
        Self {
            extents: plan.extents().to_vec(),
            from: layout(Side::Source),
            to: layout(Side::Destination),
            element: element.map(str::to_owned),
            digest: Some(plan.digest().to_string()),
        }
    }

    pub fn element(&self) -> Option<&str> {
        self.element.as_deref()
    }

    /// Checks the plan as [`Plan::new`] does, and its digest, if there is one.
    pub fn plan<const D: usize, E: serde::de::Error>(self) -> Result<Plan<D>, E> {
        let Self { extents, from, to, digest, .. } = self;
        let extents: [usize; D] = extents.try_into().map_err(|extents: Vec<usize>| {
            E::custom(format_args!("{} extents, where {D} are expected", extents.len()))
        })?;
        let plan = Plan::parse(extents, &from, &to).map_err(E::custom)?;
        let ours = plan.digest().to_string();
        match digest {
            Some(theirs) if theirs != ours => Err(E::custom(format_args!(
                "the digest is {theirs}, but that of these layouts is {ours}: it was changed since \
                 it was written, or written by another release; plan it anew"
            ))),
            _ => Ok(plan),
        }
    }
}

impl<const D: usize> Serialize for Plan<D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        SavedPlan::of(self, None).serialize(serializer)
    }
}

impl<'de, const D: usize> Deserialize<'de> for Plan<D> {
    fn deserialize<S: Deserializer<'de>>(deserializer: S) -> Result<Self, S::Error> {
        SavedPlan::deserialize(deserializer)?.plan()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read<const D: usize>(text: &str) -> Result<Plan<D>, String> {
        serde_json::from_str(text).map_err(|error| error.to_string())
    }

    #[test]
    fn plans_are_read_as_they_were_written() {
        for (extents, from, to) in [
            ([24, 30], "scalapack(4, 5, 2, 3, 1, 0)", "(block, cyclic(3)) onto (3, 2) ranks 2.."),
            ([24, 30], "(*, gen_block([1, 29])) onto 2", "(cyclic, *) onto 3 axes (1, 0)"),
            ([4, 3], "(block, *) onto 4 of [9, 9] at [2, 5]", "(*, *) ranks [7] storage fortran"),
        ] {
            let plan = Plan::<2>::parse(extents, from, to).unwrap();
            let text = serde_json::to_string(&plan).unwrap();
            assert_eq!(read(&text), Ok(plan), "{text}");
            let layout = *plan.descriptor(Side::Destination).layout();
            let text = serde_json::to_string(&layout).unwrap();
            assert_eq!(serde_json::from_str::<Layout<2>>(&text).unwrap(), layout);
        }
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, words) in [
            (r#"{"extents":[9,9],"from":"block onto 3","to":"block onto 3"}"#, "1 are expected"),
            (r#"{"extents":[9],"from":"blok onto 3","to":"block onto 3"}"#, "did you mean"),
            (r#"{"extents":[9],"from":"block(2) onto 3","to":"block onto 3"}"#, "block(2)"),
            (r#"{"extents":[9],"from":"block onto 3","to":"block onto 3","digest":"7"}"#, "digest"),
            (r#"{"extents":[9],"from":"block onto 3"}"#, "`to`"),
        ] {
            let error = read::<1>(text).unwrap_err();
            assert!(error.contains(words), "{error}");
        }
        assert!(read::<1>(r#"{"extents":[9],"from":"block onto 3","to":"cyclic onto 2"}"#).is_ok());
    }
}
