//! The expected result of every cell of the feature matrix.

use super::{Cell, Feature, Way, World};
use redist::exec::Tier;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Tested,
    /// All ranks get an error of this variant.
    Error(&'static str),
    NotApplicable(&'static str),
}

const UNAVAILABLE: Expected = Expected::Error("Unavailable");

impl Cell {
    pub fn expected(&self) -> Expected {
        let reason =
            self.not_there().or_else(|| self.not_of_the_tier()).or_else(|| self.no_such_way());
        match reason {
            Some(reason) => Expected::NotApplicable(reason),
            None if self.is_refused() => UNAVAILABLE,
            None => Expected::Tested,
        }
    }

    fn not_there(&self) -> Option<&'static str> {
        let is_threads = self.world == World::Threads;
        match self.way {
            Way::Lent if !is_threads => Some(
                "processes do not see each other's arrays; they share arrays, or chunks of them",
            ),
            Way::Steps if is_threads => Some("threads send nothing that could be ordered"),
            Way::SharedSource | Way::Shared if is_threads => {
                Some("threads read each other's arrays without sharing them first")
            }
            _ if (self.feature, self.world) == (Feature::Relabelling, World::Coupling) => {
                Some("two programs have no rank in common")
            }
            _ => None,
        }
    }

    fn not_of_the_tier(&self) -> Option<&'static str> {
        match (self.feature, self.tier) {
            (Feature::Relabelling, Tier::Constant) => {
                Some("an error while the crate is compiled, because `relabel: to` needs literals")
            }
            _ => None,
        }
    }

    /// Returns why a feature has no such way, with any plan.
    fn no_such_way(&self) -> Option<&'static str> {
        let is_shared = matches!(self.way, Way::SharedSource | Way::Shared);
        match (self.feature, self.way) {
            (Feature::Batch | Feature::WithCopies, Way::Messages) => None,
            (Feature::Batch | Feature::WithCopies, _) => {
                Some("ranks send packed messages, all at once")
            }
            (Feature::Packing, Way::Messages) if self.world == World::Threads => None,
            (Feature::Packing, _) => {
                Some("the caller carries the messages; tests need no transport")
            }
            (Feature::Trapezoid, Way::Lent) => {
                Some("threads send messages, because only parts of rows move")
            }
            (Feature::InPlace, _) if is_shared => {
                Some("the array is a `Vec`, because it grows and shrinks")
            }
            (Feature::Ndarray, _) if is_shared => {
                Some("an array of `ndarray` has memory of its own")
            }
            (feature, Way::Shared) if feature.has_function() => {
                Some("a function writes to a slice, as from a shared source")
            }
            _ => None,
        }
    }

    /// Returns `true` for impossible routes, for which all ranks get an error.
    fn is_refused(&self) -> bool {
        let is_part = self.feature == Feature::Trapezoid;
        match self.way {
            Way::Lent | Way::Messages | Way::SharedSource | Way::Shared => false,
            Way::Steps => is_part,
            Way::Chunks => {
                let shares = matches!(self.world, World::OneNode | World::Coupling);
                !shares || is_part || self.feature.is_padded()
            }
        }
    }
}
