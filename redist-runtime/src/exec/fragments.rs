//! Packing and unpacking of any part of any message, for transports that send messages in parts.

use super::direct::copy_lattice;
use crate::program::{Footprint, Lattice, Spacing};
use crate::transport::Ends;
use core::ops::Range;

/// Where all of a rank's messages lie in its arrays: the outgoing ones, and the incoming.
pub(super) type Footprints = [Vec<Footprint>; 2];

/// A rank's arrays, with the places of its messages in them.
pub(super) struct Arrays<'a> {
    /// Bytes of an element.
    pub width: usize,
    pub footprints: &'a Footprints,
    pub source: &'a [u8],
    pub destination: &'a mut [u8],
}

impl Ends for Arrays<'_> {
    fn pack(&mut self, message: usize, elements: Range<usize>, fragment: &mut [u8]) {
        let (from, width) = (self.source, self.width);
        self.footprints[0][message].for_each(elements, &mut |lattice| copy_lattice(from, fragment, lattice, width));
    }

    fn unpack(&mut self, message: usize, elements: Range<usize>, fragment: &[u8]) {
        let (to, width) = (&mut *self.destination, self.width);
        self.footprints[1][message]
            .for_each(elements, &mut |lattice| copy_lattice(fragment, to, turned(lattice), width));
    }
}

/// The same runs, copied the other way.
fn turned(lattice: Lattice) -> Lattice {
    let Lattice { source, destination, inner, outer, .. } = lattice;
    let spacing = |spacing: Spacing| Spacing { source: spacing.destination, destination: spacing.source, ..spacing };
    Lattice { source: destination, destination: source, inner: spacing(inner), outer: spacing(outer), ..lattice }
}
