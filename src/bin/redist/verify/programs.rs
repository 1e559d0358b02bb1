//! The packing that is verified: the library's, or a wrong program in tests.

use redist::exec::{Binder, Tier};
use redist::plan::{Piece, WindowTable};
use redist::program::Envelope;
use redist::{Plan, Redistribution};
use redist_notation::spec::DEFAULT_MAX_TABLE_PIECES;

/// Packs and unpacks messages: the library's way, or in tests a wrong one.
pub trait CheckedPrograms {
    /// Packs a rank's local array: returns the envelopes, and all elements. The error is the length
    /// that the local array should have.
    fn pack(&self, rank: usize, local: &[u32]) -> Result<(Vec<Envelope>, Vec<u32>), usize>;

    /// Unpacks messages with the elements 0, 1, 2, … into a rank's local array.
    fn unpack(&self, rank: usize, local: &mut [u32]) -> Result<Vec<Envelope>, usize>;
}

/// The library's own packing and unpacking, by one binder for all ranks.
pub struct Library<'a, R, const D: usize>(pub Binder<'a, R, D>);

impl<R: Redistribution<D, Element = u32>, const D: usize> CheckedPrograms for Library<'_, R, D> {
    fn pack(&self, rank: usize, local: &[u32]) -> Result<(Vec<Envelope>, Vec<u32>), usize> {
        let packing = self.0.packing(rank);
        if packing.local_len() != local.len() {
            return Err(packing.local_len());
        }
        let envelopes = packing.envelopes().to_vec();
        let mut elements = vec![u32::MAX; envelopes.iter().map(|envelope| envelope.len).sum()];
        let mut rest = elements.as_mut_slice();
        let message = |envelope: &Envelope| rest.split_off_mut(..envelope.len);
        let mut messages: Vec<&mut [u32]> = envelopes.iter().filter_map(message).collect();
        packing.pack(local, &mut messages);
        Ok((envelopes, elements))
    }

    fn unpack(&self, rank: usize, local: &mut [u32]) -> Result<Vec<Envelope>, usize> {
        let unpacking = self.0.unpacking(rank);
        if unpacking.local_len() != local.len() {
            return Err(unpacking.local_len());
        }
        let envelopes = unpacking.envelopes().to_vec();
        let count: usize = envelopes.iter().map(|envelope| envelope.len).sum();
        let elements: Vec<u32> = (0..count as u32).collect();
        let mut rest = elements.as_slice();
        let message = |envelope: &Envelope| rest.split_off(..envelope.len);
        let messages: Vec<&[u32]> = envelopes.iter().filter_map(message).collect();
        unpacking.unpack(local, &messages);
        Ok(envelopes)
    }
}

/// A plan with window tables, as an item has them in a binary.
pub struct WithTables<const D: usize> {
    plan: Plan<D>,
    windows: [WindowTable<'static>; D],
}

impl<const D: usize> WithTables<D> {
    /// Never frees the tables; `None` if there are none.
    pub fn of(plan: Plan<D>) -> Option<Self> {
        let windows = core::array::from_fn(|dimension| {
            let axis = plan.axis(dimension);
            let pieces: Vec<Piece> =
                axis.window_walk().take(axis.table_len(DEFAULT_MAX_TABLE_PIECES)).collect();
            WindowTable::of(&axis, pieces.leak())
        });
        windows
            .iter()
            .any(|window| !window.pieces().is_empty())
            .then_some(WithTables { plan, windows })
    }
}

impl<const D: usize> Redistribution<D> for WithTables<D> {
    type Element = u32;

    fn name(&self) -> &str {
        "plan with tables"
    }

    fn plan(&self) -> Plan<D> {
        self.plan
    }

    fn windows(&self) -> [WindowTable<'static>; D] {
        self.windows
    }

    fn tiers(&self) -> [(Tier, &'static str); D] {
        [(Tier::RunTime, "the layouts are values"); D]
    }
}
