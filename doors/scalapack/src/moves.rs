//! Binds and moves one matrix.

use crate::exchange::Agreed;
use crate::told::Told;
use redist::exec::{AnyBinder, AnyBound};
use redist::layout::{Padding, Ranks};
use redist::transport::mpi::groups::{JoinedRanks, duplicate};
use redist::{AnyElement, Error, Layout, Plan, Side};
use redist_mpi::{AsCommunicator, Communicator, CommunicatorRef};
use std::any::Any;
use std::slice;

/// The communicator that plans are bound to.
pub(crate) struct Own(JoinedRanks);

impl AsCommunicator for Own {
    fn borrowed(&self) -> Result<CommunicatorRef<'_>, redist_mpi::Error> {
        Communicator::borrowed(self.0.communicator())
    }

    fn kept(&self) -> Option<&dyn Any> {
        Some(&self.0)
    }
}

impl Own {
    /// Duplicates a context's communicator. Collective.
    pub fn new(context: &Communicator) -> Result<Self, Error> {
        JoinedRanks::on(duplicate(context)?).map(Self)
    }
}

/// A plan for elements of one width, at any addresses, as in Fortran.
pub(crate) struct Move(AnyBound);

impl Move {
    pub fn bind(told: &Told, sides: &[Agreed; 2], ranks: &Own) -> Result<Self, Error> {
        let extents = told.extents.map(|extent| extent as usize);
        let [from, to] = sides.each_ref().map(|side| layout(side, extents));
        let element = AnyElement::of_bytes(told.width).expect("elements of 4, 8 or 16 bytes");
        let mut binder = AnyBinder::new(&Plan::new(extents, from, to)?, element);
        if let Some((uplo, diag)) = told.part {
            binder = binder.trapezoid(uplo, diag);
        }
        for (side, matrix) in [Side::Source, Side::Destination].into_iter().zip(&told.sides) {
            // Dense arrays take shorter ways, so LLD is set only for padding.
            if let Some(matrix) = matrix.as_ref().filter(|own| own.lld() > own.rows().max(1)) {
                binder = binder.padding(side, Padding::Leading(matrix.lld() as usize));
            }
        }
        binder.bind(ranks).map(Self)
    }

    /// Collective.
    ///
    /// # Safety
    /// `source` and `destination` are local arrays as the call's descriptors say, of elements of
    /// this width, the last column whole. Nothing else uses them until this returns.
    pub unsafe fn run(&mut self, source: *const u8, destination: *mut u8) -> Result<(), Error> {
        let bytes = |side| self.0.local_len(side) * self.0.element().bytes();
        let [taken, given] = [Side::Source, Side::Destination].map(bytes);
        let (from, to) = (source.addr(), destination.addr());
        let overlap = taken > 0 && given > 0 && from < to + given && to < from + taken;
        // SAFETY: the caller's arrays are as the descriptors, from which the lengths are. Any bytes
        // are elements. Nothing else uses the arrays. If the two overlap, as a whole or in rows of
        // one allocation, the source is a copy.
        unsafe {
            let source = array(source, taken);
            let copy = overlap.then(|| source.to_vec());
            match copy {
                Some(copy) => self.0.run(&copy, array_mut(destination, given)),
                None => self.0.run(source, array_mut(destination, given)),
            }
        }
    }
}

/// Drops the columns after the section: a local array need not have them.
fn layout(side: &Agreed, moved: [usize; 2]) -> Layout<2> {
    let number = |value: i64| value as usize;
    let ([mb, nb], [p, q]) = (side.blocks.map(number), side.grid.map(number));
    let [rsrc, csrc] = side.source.map(number);
    let [i, j] = side.first.map(|first| number(first) - 1);
    let first = side.ranks[0];
    let are_consecutive = side.ranks.iter().enumerate().all(|(at, &rank)| rank == first + at);
    let ranks = if are_consecutive { Ranks::From(first) } else { Ranks::map(&side.ranks) };
    Layout::scalapack(mb, nb, p, q, rsrc, csrc)
        .ranks(ranks)
        .of([number(side.extents[0]), j + moved[1]])
        .at([i, j])
}

/// # Safety
/// As `slice::from_raw_parts`, but that a pointer to nothing may be null.
unsafe fn array<'a>(first: *const u8, len: usize) -> &'a [u8] {
    // SAFETY: the caller promises a live array at `first` of `len` bytes, at least one here.
    if len == 0 { &[] } else { unsafe { slice::from_raw_parts(first, len) } }
}

/// # Safety
/// As `slice::from_raw_parts_mut`, but that a pointer to nothing may be null.
unsafe fn array_mut<'a>(first: *mut u8, len: usize) -> &'a mut [u8] {
    // SAFETY: the caller promises a live array at `first` of `len` bytes, at least one here.
    if len == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(first, len) } }
}
