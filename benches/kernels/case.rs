//! One rank's work in one direction, by everything that can do it.

use super::binder;
use crate::items::Static;
use crate::report::Row;
use crate::segments::Segments;
use crate::timing::{Candidate, Samples, seconds};
use crate::vectors::copy;
use redist::exec::{Memory, Packing, Unpacking};
use redist::program::Envelope;
use redist::{Element, Plan, RuntimePlan, Side};
use std::hint::black_box;

/// Bytes between messages, which lie in one buffer.
const SLACK: usize = 64;

/// The rank whose work is timed.
const RANK: usize = 1;

/// Bytes of the largest array that a segment table is made for: the table itself grows past the
/// array.
const LARGEST_TABLE: usize = 24 << 20;

/// Messages in one buffer.
struct Messages<T> {
    buffer: Vec<T>,
    starts: Vec<(usize, usize)>,
}

impl<T: Element> Messages<T> {
    fn new(envelopes: &[Envelope]) -> Self {
        let mut end = 0;
        let starts = envelopes
            .iter()
            .map(|envelope| {
                let start = end;
                end += envelope.len + SLACK / size_of::<T>();
                (start, envelope.len)
            })
            .collect();
        Self { buffer: touched(end), starts }
    }

    fn split(&mut self) -> Vec<&mut [T]> {
        let mut rest = self.buffer.as_mut_slice();
        let slack = SLACK / size_of::<T>();
        let mut messages = Vec::with_capacity(self.starts.len());
        for &(_, len) in &self.starts {
            let (message, after) = rest.split_at_mut(len + slack);
            messages.push(&mut message[..len]);
            rest = after;
        }
        messages
    }

    fn read(&self) -> Vec<&[T]> {
        self.starts.iter().map(|&(start, len)| &self.buffer[start..start + len]).collect()
    }
}

/// Memory of its own: what was never written to is one page of zeros, which never leaves the first
/// cache.
fn touched<T: Element>(len: usize) -> Vec<T> {
    let mut buffer = vec![T::ZERO; len];
    black_box(&mut buffer).fill(black_box(T::ZERO));
    buffer
}

fn memcpy<T: Element>(len: usize) -> impl FnMut() {
    let (from, mut to) = (touched::<T>(len), touched::<T>(len));
    move || {
        to.copy_from_slice(black_box(&from));
        black_box(&mut to);
    }
}

/// A loop of vector loads and stores: see [`copy`].
fn vectors<T: Element>(len: usize) -> impl FnMut() {
    let (from, mut to) = (touched::<T>(len), touched::<T>(len));
    move || copy(black_box(&from), &mut to)
}

fn pack<T: Element>(packing: Packing<T>, local: &[T]) -> impl FnMut() {
    let mut messages = Messages::new(packing.envelopes());
    move || {
        packing.pack(black_box(local), &mut messages.split());
        black_box(&mut messages.buffer);
    }
}

fn unpack<T: Element>(unpacking: Unpacking<T>, mut local: Vec<T>) -> impl FnMut() {
    let messages = Messages::new(unpacking.envelopes());
    move || {
        unpacking.unpack(&mut local, &black_box(&messages).read());
        black_box(&mut local);
    }
}

/// Packing by every candidate.
pub fn packing<T: Element, const D: usize>(
    plan: Plan<D>,
    written: Option<Static<T>>,
    samples: Samples,
) -> Row {
    let at_run_time = RuntimePlan::<T, D>::from(plan);
    let packing = binder(&at_run_time).packing(RANK);
    let local = touched::<T>(packing.local_len());
    let bytes = size_of_val(local.as_slice());
    let mut candidates = vec![Candidate::new("memcpy", memcpy::<T>(local.len()))];
    candidates.push(Candidate::new("vectors", vectors::<T>(local.len())));
    if let Some(written) = written {
        candidates.push(Candidate::new("static", pack(written.packing, &local)));
    }
    if bytes <= LARGEST_TABLE {
        let table =
            Segments::new(&plan, Side::Source, RANK, packing.envelopes().iter().map(|to| to.rank));
        let (mut messages, local) = (Messages::new(packing.envelopes()), &local);
        candidates.push(Candidate::new("table", move || {
            table.pack(black_box(local), &mut messages.split());
            black_box(&mut messages.buffer);
        }));
    }
    if samples.nontemporal {
        let packing = binder(&at_run_time).nontemporal_from_bytes(0).packing(RANK);
        if packing.kernel().memory == Memory::Nontemporal {
            candidates.push(Candidate::new("nontemporal", pack(packing, &local)));
        }
    }
    let kernel = packing.kernel().to_string();
    candidates.push(Candidate::new("run time", pack(packing, &local)));
    Row::new(bytes, kernel, &names(&candidates), seconds(&mut candidates, samples))
}

/// Unpacking by every candidate.
pub fn unpacking<T: Element, const D: usize>(
    plan: Plan<D>,
    written: Option<Static<T>>,
    samples: Samples,
) -> Row {
    let at_run_time = RuntimePlan::<T, D>::from(plan);
    let unpacking = binder(&at_run_time).unpacking(RANK);
    let local = touched::<T>(unpacking.local_len());
    let bytes = size_of_val(local.as_slice());
    let mut candidates = vec![Candidate::new("memcpy", memcpy::<T>(local.len()))];
    candidates.push(Candidate::new("vectors", vectors::<T>(local.len())));
    if let Some(written) = written {
        candidates.push(Candidate::new("static", unpack(written.unpacking, local.clone())));
    }
    if bytes <= LARGEST_TABLE {
        let table = Segments::new(
            &plan,
            Side::Destination,
            RANK,
            unpacking.envelopes().iter().map(|from| from.rank),
        );
        let (messages, mut local) = (Messages::new(unpacking.envelopes()), local.clone());
        candidates.push(Candidate::new("table", move || {
            table.unpack(&mut local, &black_box(&messages).read());
            black_box(&mut local);
        }));
    }
    let (messages, mut arrived) = (Messages::new(unpacking.envelopes()), local.clone());
    let one_by_one = binder(&at_run_time).unpacking(RANK);
    candidates.push(Candidate::new("one by one", move || {
        for (message, data) in black_box(&messages).read().into_iter().enumerate() {
            one_by_one.unpack_message(&mut arrived, message, data);
        }
        black_box(&mut arrived);
    }));
    if samples.nontemporal {
        let unpacking = binder(&at_run_time).nontemporal_from_bytes(0).unpacking(RANK);
        if unpacking.kernel().memory == Memory::Nontemporal {
            candidates.push(Candidate::new("nontemporal", unpack(unpacking, local.clone())));
        }
    }
    let kernel = unpacking.kernel().to_string();
    candidates.push(Candidate::new("run time", unpack(unpacking, local)));
    Row::new(bytes, kernel, &names(&candidates), seconds(&mut candidates, samples))
}

fn names(candidates: &[Candidate<'_>]) -> Vec<&'static str> {
    candidates.iter().map(|candidate| candidate.column).collect()
}
