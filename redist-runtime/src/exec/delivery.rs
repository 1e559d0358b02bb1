//! How whatever arrives gets into the destination array.

use super::direct::{Direct, Share, Staged};
use super::fragments::{Arrays, Footprints};
use super::rank::{RankPacking, RankUnpacking};
use crate::error::Error;
use crate::plan::AnyPlan;
use crate::transport::{Arrived, Channel};
use std::sync::{Arc, LazyLock};

/// What is not made before it is needed.
type Lazy<W> = LazyLock<W, Box<dyn FnOnce() -> W + Send>>;

/// One way for each sort of [`Arrived`].
pub(super) struct Delivery {
    width: usize,
    /// Messages.
    pub unpacking: RankUnpacking,
    /// Where the elements of messages lie that arrive, and leave, in parts.
    footprints: Footprints,
    /// Source arrays.
    direct: Lazy<Direct>,
    /// Chunks of them, where they may arrive.
    staged: Option<Staged>,
    /// The arrays of all ranks.
    share: Lazy<Share>,
}

impl Delivery {
    /// Tells the channel how this rank's messages are best handed over, and gets ready for what the channel may hand over in
    /// every run. Collective.
    ///
    /// # Errors
    /// As [`Channel::take_footprints`].
    pub fn new(
        plan: &Arc<AnyPlan>,
        (rank, width): (usize, usize),
        packing: &RankPacking,
        unpacking: RankUnpacking,
        channel: &mut dyn Channel,
    ) -> Result<Self, Error> {
        if unpacking.prefers_together() {
            channel.hand_over_together();
        }
        let mut footprints = Footprints::default();
        if channel.wants_footprints() {
            footprints = [packing.footprints(), unpacking.footprints()];
            channel.take_footprints(&footprints[0], &footprints[1])?;
        }
        let staged = channel.longest_chunk().map(|longest| {
            let (staged, own) = Staged::new(plan, rank, width, packing.program(), longest);
            channel.stage(own);
            staged
        });
        let [of_direct, of_share] = [Arc::clone(plan), Arc::clone(plan)];
        let direct: Lazy<Direct> = LazyLock::new(Box::new(move || Direct::new(&of_direct, rank, width)));
        let share: Lazy<Share> = LazyLock::new(Box::new(move || Share::new(&of_share, rank, width)));
        if channel.lends() {
            LazyLock::force(&share);
        }
        Ok(Self { width, unpacking, footprints, direct, staged, share })
    }

    /// Takes what has arrived to `destination`, which is not looked at where all ranks' arrays are lent; `source` is this
    /// rank's, of which parts of messages are made, too.
    pub fn deliver(&mut self, arrived: Arrived<'_, '_>, source: &[u8], destination: &mut [u8]) {
        match arrived {
            Arrived::All(messages) => self.unpacking.unpack(destination, messages),
            Arrived::One(message, data) => self.unpacking.unpack_message(destination, message, data),
            Arrived::Parts(exchange) => {
                exchange(&mut Arrays { width: self.width, footprints: &self.footprints, source, destination });
            }
            Arrived::Chunks(shown) => {
                let staged = self.staged.as_mut().expect("chunks come where the channel said so");
                staged.copy_round(shown, destination);
            }
            Arrived::Sources(sources) => self.direct.copy(sources, destination),
            Arrived::Lent(lent) => self.share.copy(&lent),
        }
    }
}
