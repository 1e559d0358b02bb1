//! What the ranks of a communicator bring when a plan is bound.

use super::Options;
use crate::element::ElementType;
use crate::plan::schedule::Method;
use crate::program::StridedArray;
use core::fmt;
use std::sync::Arc;

/// What a rank brings to [`RankGroup::open`](super::RankGroup::open).
#[derive(Clone, Copy)]
pub struct Proposal<'a> {
    /// What is moved: the same on all ranks.
    pub(crate) element: ElementType,
    /// The plan's numbers, which are all that makes a difference: the same on all ranks.
    pub(crate) numbers: &'a [u64],
    /// The plan in words, a line for each of its parts: what ranks are told of each other's where
    /// plans differ.
    pub(crate) description: fmt::Arguments<'a>,
    /// The method that made the schedule: the same on all ranks.
    pub(crate) method: Method,
    /// Where this rank's local arrays lie in memory, by side: each rank's own matter.
    pub(crate) arrays: &'a Arc<[StridedArray; 2]>,
    /// How messages are to go: the same on all ranks.
    pub(crate) options: &'a Options,
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "threads join nothing"))]
    pub(crate) joining: Joining<'a>,
}

impl Proposal<'_> {
    /// Whether elements of this rank lie elsewhere than the plan alone would have it.
    pub fn has_gaps(&self) -> bool {
        self.arrays.iter().any(|array| array.has_gaps)
    }
}

/// What messages may be joined by.
#[derive(Clone, Copy)]
pub struct Joining<'a> {
    /// Bytes of the message of any rank to any other, as the plan has them.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "threads join nothing"))]
    pub(crate) bytes: &'a dyn Fn(usize, usize) -> usize,
    /// True if messages may be joined although the user has not asked for that.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "threads join nothing"))]
    pub(crate) may_join: bool,
    /// Whether chunks had better have packed messages than parts of arrays.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "threads show no chunks"))]
    pub(crate) pack: bool,
}

impl Joining<'_> {
    /// Never joined.
    pub const NEVER: Joining<'static> = Joining { bytes: &|_, _| 0, may_join: false, pack: false };
}
