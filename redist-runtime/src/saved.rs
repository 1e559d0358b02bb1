//! Plans for arrays of one type as data, by `serde`.

use crate::exec::{Redistribution, RuntimePlan};
use crate::plan::Plan;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// As its [`Plan`]; the element type is the reader's.
impl<T: crate::Element, const D: usize> Serialize for RuntimePlan<T, D> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.plan().serialize(serializer)
    }
}

/// As its [`Plan`].
impl<'de, T, const D: usize> Deserialize<'de> for RuntimePlan<T, D> {
    fn deserialize<S: Deserializer<'de>>(deserializer: S) -> Result<Self, S::Error> {
        Plan::deserialize(deserializer).map(Self::from)
    }
}
