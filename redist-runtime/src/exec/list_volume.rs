//! Messages of a move by lists, in numbers.

use crate::layout::vocabulary::counted;
use core::fmt::{self, Display, Formatter};

/// Numbers of a message of a move by lists, or of the elements that stay on a rank: see
/// [`BoundIndexMove::volumes`](super::BoundIndexMove::volumes).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ListVolume {
    /// The other rank; this one for what stays on it.
    pub rank: usize,
    /// Elements of the message.
    pub elements: usize,
    /// Runs of neighbours that are copied; a single element is one.
    pub runs: usize,
    /// Groups of runs at equal distances, of which each takes one loop without a list.
    pub strides: usize,
    /// Elements that are copied one by one, each by a place of its own in a list.
    pub singles: usize,
}

impl ListVolume {
    /// Adds runs of one length at equal distances.
    pub(super) fn add_runs(&mut self, len: usize, count: usize) {
        self.elements += len * count;
        self.runs += count;
        self.strides += usize::from(count > 1);
    }

    /// Adds single elements.
    pub(super) fn add_singles(&mut self, count: usize) {
        self.elements += count;
        self.runs += count;
        self.singles += count;
    }
}

/// Elements, runs, and how they are copied.
impl Display for ListVolume {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self { elements, runs, strides, singles, .. } = *self;
        write!(f, "{} in {}", counted(elements, "element"), counted(runs, "run"))?;
        if strides > 0 {
            write!(f, ", {} at equal distances", counted(strides, "group"))?;
        }
        match singles {
            0 => Ok(()),
            1 => f.write_str(", 1 element by a list"),
            _ => write!(f, ", {singles} elements by a list"),
        }
    }
}
