//! Packs by hand: a list of (offset, length) for each message, and one `memcpy` a run.

use redist::{Plan, Redistribution, TypedPlan};

/// Offset and length of each run, in elements, by message.
pub struct Segments(Vec<Vec<(u32, u32)>>);

fn runs(offsets: &[u32]) -> Vec<(u32, u32)> {
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for &offset in offsets {
        match runs.last_mut() {
            Some((first, len)) if *first + *len == offset => *len += 1,
            _ => runs.push((offset, 1)),
        }
    }
    runs
}

impl Segments {
    /// Reads the packed messages of an array of its own offsets.
    pub fn of_packing<const D: usize>(plan: &Plan<D>, rank: usize) -> Self {
        let packing = TypedPlan::<u32, D>::from(*plan).binder().packing(rank);
        let local: Vec<u32> = (0..packing.local_len() as u32).collect();
        let mut messages: Vec<Vec<u32>> =
            packing.envelopes().iter().map(|to| vec![0; to.len]).collect();
        packing.pack(&local, &mut messages.iter_mut().map(Vec::as_mut_slice).collect::<Vec<_>>());
        Self(messages.iter().map(|offsets| runs(offsets)).collect())
    }

    pub fn of_unpacking<const D: usize>(plan: &Plan<D>, rank: usize) -> Self {
        let unpacking = TypedPlan::<u32, D>::from(*plan).binder().unpacking(rank);
        let mut next = 0;
        let messages: Vec<Vec<u32>> = unpacking
            .envelopes()
            .iter()
            .map(|from| {
                next += from.len as u32;
                (next - from.len as u32..next).collect()
            })
            .collect();
        // Every element of a local array comes in one message.
        let mut local = vec![0; unpacking.local_len()];
        unpacking.unpack(&mut local, &messages.iter().map(Vec::as_slice).collect::<Vec<_>>());
        let mut offsets = vec![0; next as usize];
        local.iter().zip(0..).for_each(|(number, offset)| offsets[*number as usize] = offset);
        let of = |message: &Vec<u32>| match (message.first(), message.last()) {
            (Some(first), Some(last)) => runs(&offsets[*first as usize..=*last as usize]),
            _ => Vec::new(),
        };
        Self(messages.iter().map(of).collect())
    }

    pub fn pack<T: Copy>(&self, local: &[T], messages: &mut [&mut [T]]) {
        for (runs, message) in self.0.iter().zip(messages) {
            let mut at = 0;
            for &(offset, len) in runs {
                let (offset, len) = (offset as usize, len as usize);
                message[at..at + len].copy_from_slice(&local[offset..offset + len]);
                at += len;
            }
        }
    }

    pub fn unpack<T: Copy>(&self, local: &mut [T], messages: &[&[T]]) {
        for (runs, message) in self.0.iter().zip(messages) {
            let mut at = 0;
            for &(offset, len) in runs {
                let (offset, len) = (offset as usize, len as usize);
                local[offset..offset + len].copy_from_slice(&message[at..at + len]);
                at += len;
            }
        }
    }
}
