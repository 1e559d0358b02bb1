//! A rank's proposal when a plan is bound.

use super::{Options, Partners};
use crate::element::ElementType;
use crate::plan::schedule::Method;
use crate::program::StridedArray;
use core::fmt;
use std::sync::Arc;

/// A rank's argument of [`RankGroup::open`](super::RankGroup::open).
#[derive(Clone, Copy)]
pub struct Proposal<'a> {
    /// Element type: the same on all ranks.
    pub(crate) element: ElementType,
    /// The plan's significant numbers: the same on all ranks.
    pub(crate) numbers: &'a [u64],
    /// The plan in words, a line for each part: the text of errors about different plans.
    pub(crate) description: fmt::Arguments<'a>,
    /// The method that made the schedule: the same on all ranks.
    pub(crate) method: Method,
    /// The layout of this rank's local arrays in memory, by side; ranks may differ.
    pub(crate) arrays: &'a Arc<[StridedArray; 2]>,
    /// Finds this rank's partners, which takes time for each rank.
    pub(crate) partners: &'a dyn Fn() -> Partners,
    /// Options of the caller: the same on all ranks.
    pub(crate) options: &'a Options,
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "threads join nothing"))]
    pub(crate) sizes: MessageSizes<'a>,
}

impl Proposal<'_> {
    /// Returns `true` if elements of this rank have other places than in dense arrays.
    pub fn has_gaps(&self) -> bool {
        self.arrays.iter().any(|array| array.has_gaps)
    }
}

/// Sizes of all messages, by which ranks decide to pack and to join them.
#[derive(Clone, Copy)]
pub struct MessageSizes<'a> {
    /// Bytes of the message of any rank to any other.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "threads join nothing"))]
    pub(crate) bytes: &'a dyn Fn(usize, usize) -> usize,
    /// Bytes of the largest local source array of a rank.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "threads have no slots"))]
    pub(crate) largest_array: usize,
    /// `true` if packed messages are better than chunks of arrays.
    #[cfg_attr(not(feature = "mpi"), expect(dead_code, reason = "threads show no chunks"))]
    pub(crate) pack: bool,
}

impl MessageSizes<'_> {
    pub const NEVER: MessageSizes<'static> =
        MessageSizes { bytes: &|_, _| 0, largest_array: 0, pack: false };
}
