//! The right messages and arrays of a case, element by element.

use super::{KrCase, PackingMethod};
use redist::Side;

const NOTHING: f32 = -1.0;

/// The parts and messages of every rank. Element `g` is exactly `g`, as long as `g` is below 2²⁴.
pub struct Truth {
    /// By source rank, its part before the move.
    pub sent_from: Vec<Vec<f32>>,
    /// By destination rank, its part after the move.
    pub received_into: Vec<Vec<f32>>,
    /// By source rank and destination rank, the elements of their message.
    pub messages: Vec<Vec<Vec<f32>>>,
}

impl Truth {
    pub fn of(case: &KrCase) -> Self {
        let (source, destination) = (case.deal(Side::Source), case.deal(Side::Destination));
        let empty = vec![Vec::new(); case.ranks];
        let messages = vec![vec![Vec::new(); case.ranks]; case.ranks];
        let mut truth = Self { sent_from: empty.clone(), received_into: empty, messages };
        for global in 0..case.elements {
            let (from, to) = (source.owner(global), destination.owner(global));
            truth.sent_from[from].push(global as f32);
            truth.received_into[to].push(global as f32);
            truth.messages[from][to].push(global as f32);
        }
        truth
    }

    pub fn lengths(&self, side: Side, rank: usize) -> Vec<usize> {
        (0..self.messages.len()).map(|other| self.message(side, rank, other).len()).collect()
    }

    fn message(&self, side: Side, rank: usize, other: usize) -> &[f32] {
        match side {
            Side::Source => &self.messages[rank][other],
            Side::Destination => &self.messages[other][rank],
        }
    }

    /// Compares a method bit by bit, and returns its error if it has one.
    pub fn refute(&self, case: &KrCase, method: &dyn PackingMethod) -> Option<String> {
        (0..case.ranks).find_map(|rank| {
            self.refute_packing(case, method, rank)
                .or_else(|| self.refute_unpacking(case, method, rank))
                .or_else(|| self.refute_unpacker(case, method, rank))
        })
    }

    fn refute_packing(
        &self,
        case: &KrCase,
        method: &dyn PackingMethod,
        rank: usize,
    ) -> Option<String> {
        let mut packed: Vec<Vec<f32>> =
            self.lengths(Side::Source, rank).into_iter().map(|len| vec![NOTHING; len]).collect();
        let mut messages: Vec<&mut [f32]> = packed.iter_mut().map(Vec::as_mut_slice).collect();
        method.pack(case, rank, &self.sent_from[rank], &mut messages);
        let wrong =
            (0..case.ranks).find(|other| !same(&packed[*other], &self.messages[rank][*other]))?;
        Some(format!("{}: rank {rank} packs another message for rank {wrong}", method.name()))
    }

    fn refute_unpacking(
        &self,
        case: &KrCase,
        method: &dyn PackingMethod,
        rank: usize,
    ) -> Option<String> {
        let messages: Vec<&[f32]> =
            (0..case.ranks).map(|other| self.message(Side::Destination, rank, other)).collect();
        let mut local = vec![NOTHING; self.received_into[rank].len()];
        method.unpack(case, rank, &messages, &mut local);
        let right = same(&local, &self.received_into[rank]);
        (!right).then(|| format!("{}: rank {rank} unpacks into another array", method.name()))
    }

    /// Unpacks the last message first.
    fn refute_unpacker(
        &self,
        case: &KrCase,
        method: &dyn PackingMethod,
        rank: usize,
    ) -> Option<String> {
        let mut unpack = method.unpacker(case, rank)?;
        let mut local = vec![NOTHING; self.received_into[rank].len()];
        for source in (0..case.ranks).rev() {
            let message = self.message(Side::Destination, rank, source);
            if !message.is_empty() {
                unpack(source, message, &mut local);
            }
        }
        let right = same(&local, &self.received_into[rank]);
        let name = method.name();
        (!right)
            .then(|| format!("{name}: rank {rank} unpacks message by message into another array"))
    }
}

fn same(left: &[f32], right: &[f32]) -> bool {
    let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
    bits(left) == bits(right)
}
