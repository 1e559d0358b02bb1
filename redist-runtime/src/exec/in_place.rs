use super::Bound;
use super::mover::Mover;
use crate::element::{Element, bytes_of};
use crate::error::Error;
use crate::plan::Side;
use crate::transport::GoesOn;

impl<T: Element, const D: usize> Bound<T, D> {
    /// Moves the array in place: `array` holds this rank's part before and after the move. Its
    /// length changes with the part. The number of ranks may change: ranks outside a side's grid
    /// begin or end with an empty array. Collective; other ranks may [`run`](Bound::run) or
    /// [`start`](Bound::start) the same move.
    ///
    /// Uses packed messages, with any way and schedule, because all elements must leave the array
    /// before others arrive. Elements outside the source's moved section are lost. The capacity does
    /// not shrink.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::{Redistribution, RuntimePlan, threads};
    ///
    /// // Two ranks leave, and the three that stay get blocks of 4.
    /// let fewer = RuntimePlan::<u32, 1>::parse([60], "cyclic(3) onto 5", "cyclic(4) onto 3")?;
    /// let lens = threads::run(5, |rank| {
    ///     let mut bound = fewer.bind(rank)?;
    ///     let mut array: Vec<u32> = vec![rank.rank() as u32; 12];
    ///     bound.run_in_place(&mut array)?;
    ///     Ok::<_, redist::Error>(array.len())
    /// })?;
    /// assert_eq!(lens, [20, 20, 20, 0, 0]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Bound::run). [`Error::Unavailable`] if the destination has unmoved elements or
    /// gaps, which would have no value, or if [`max_bytes`](super::Binder::max_bytes) needs rounds.
    /// The array is unchanged, unless a rank is lost after all were ready.
    pub fn run_in_place(&mut self, array: &mut Vec<T>) -> Result<(), Error> {
        let (before, after) = (array.len(), self.mover.array(Side::Destination).len);
        let ready = self.mover.can_run_in_place(before);
        self.mover.start(ready, bytes_of(array), GoesOn::WithAll)?;
        let whole = &mut *array;
        let moved = self.complete(move || {
            whole.resize(before.max(after), T::ZERO);
            &mut whole[..after]
        });
        array.truncate(if moved.is_ok() { after } else { before });
        moved
    }
}

impl Mover {
    fn can_run_in_place(&self, len: usize) -> Result<(), Error> {
        self.lengths(len, self.array(Side::Destination).len)?;
        self.goes_at_once("a move in place")?;
        let rank = self.rank();
        let unavailable =
            |reason: String| Err(Error::Unavailable { what: "a move in place".into(), reason });
        if self.array(Side::Destination).has_gaps {
            return unavailable(format!(
                "the destination of rank {rank} has gaps, which would hold what was there before; use `run` with two \
                 arrays"
            ));
        }
        let whole = self.prepared.facts.plan.descriptor(Side::Destination).local_len(rank);
        let moved = self.elements_of_messages(Side::Destination);
        if moved == whole {
            return Ok(());
        }
        unavailable(format!(
            "{} of the {whole} elements that rank {rank} has afterwards are outside of what is moved, and would have \
             no value; use `run` with two arrays",
            whole - moved
        ))
    }

    pub(super) fn message_bytes(&self) -> usize {
        let bytes = |side| self.elements_of_messages(side).saturating_mul(self.element.bytes());
        // Threads unpack from their senders' buffers.
        let incoming =
            if self.exchange.channel.facts().receives { bytes(Side::Destination) } else { 0 };
        bytes(Side::Source).saturating_add(incoming)
    }
}
