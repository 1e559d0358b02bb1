//! Packing and unpacking of any part of any message, for transports that send messages in parts.

use super::direct::copy_lattice;
use crate::element::Element;
use crate::program::{Footprint, Lattice, Spacing};
use crate::transport::Ends;
use core::ops::Range;

/// Where all of a rank's messages lie in its arrays: the outgoing ones, and the incoming.
pub(super) type Footprints = [Vec<Footprint>; 2];

/// A rank's arrays, with the places of its messages in them.
pub(super) struct Arrays<'a, T> {
    pub footprints: &'a Footprints,
    pub source: &'a [T],
    pub destination: &'a mut [T],
}

impl<T: Element> Ends<T> for Arrays<'_, T> {
    fn pack(&mut self, message: usize, elements: Range<usize>, fragment: &mut [T]) {
        let from = self.source;
        self.footprints[0][message].for_each(elements, &mut |lattice| copy_lattice(from, fragment, lattice));
    }

    fn unpack(&mut self, message: usize, elements: Range<usize>, fragment: &[T]) {
        let to = &mut *self.destination;
        self.footprints[1][message].for_each(elements, &mut |lattice| copy_lattice(fragment, to, turned(lattice)));
    }
}

/// The same runs, copied the other way.
fn turned(lattice: Lattice) -> Lattice {
    let Lattice { source, destination, inner, outer, .. } = lattice;
    let spacing = |spacing: Spacing| Spacing { source: spacing.destination, destination: spacing.source, ..spacing };
    Lattice { source: destination, destination: source, inner: spacing(inner), outer: spacing(outer), ..lattice }
}
