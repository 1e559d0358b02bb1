//! One rank's work in one direction, by everything that can do it.

use crate::asked::Asked;
use crate::items::Static;
use crate::segments::Segments;
use crate::timing::{Candidate, timed};
use crate::vectors::copy;
use redist::program::Envelope;
use redist::{Element, Plan, TypedPlan};
use redist_measuring::Method;
use std::cell::RefCell;
use std::hint::black_box;

/// Bytes between messages in one buffer.
const SLACK: usize = 64;

/// The rank whose work is measured.
const RANK: usize = 1;

/// The largest array, in bytes, with a segment table, because the table exceeds the array.
const LARGEST_TABLE: usize = 24 << 20;

/// Messages of a rank, with some space between them.
struct Messages<T> {
    buffer: Vec<T>,
    /// Start and length of each message in the buffer, in elements.
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

/// Writes to all pages: unwritten ones are one page of zeros in the first cache.
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

fn vectors<T: Element>(len: usize) -> impl FnMut() {
    let (from, mut to) = (touched::<T>(len), touched::<T>(len));
    move || copy(black_box(&from), &mut to)
}

/// All candidates share memory: some with memory of their own are up to twice as fast.
struct Shared<T> {
    local: RefCell<Vec<T>>,
    messages: RefCell<Messages<T>>,
}

impl<T: Element> Shared<T> {
    fn new(local_len: usize, envelopes: &[Envelope]) -> Self {
        let (local, messages) = (touched(local_len), Messages::new(envelopes));
        Self { local: RefCell::new(local), messages: RefCell::new(messages) }
    }

    fn packs(&self, pack: impl Fn(&[T], &mut [&mut [T]])) -> impl FnMut() {
        move || {
            let mut messages = self.messages.borrow_mut();
            pack(black_box(&self.local.borrow()), &mut messages.split());
            black_box(&mut messages.buffer);
        }
    }

    fn unpacks(&self, unpack: impl Fn(&mut [T], &[&[T]])) -> impl FnMut() {
        move || {
            let mut local = self.local.borrow_mut();
            unpack(&mut local, &black_box(&self.messages.borrow()).read());
            black_box(&mut local);
        }
    }
}

pub fn packing<T: Element, const D: usize>(
    plan: Plan<D>,
    written: Option<Static<T>>,
    asked: &Asked,
) -> (Vec<Method>, String) {
    let at_run_time = TypedPlan::<T, D>::from(plan);
    let packing = asked.binder(&at_run_time).packing(RANK);
    let shared = Shared::<T>::new(packing.local_len(), packing.envelopes());
    let (len, bytes) = (packing.local_len(), packing.local_len() * size_of::<T>());
    let mut candidates = vec![Candidate::new("memcpy", memcpy::<T>(len))];
    candidates.push(Candidate::new("vectors", vectors::<T>(len)));
    if let Some(Static { packing, .. }) = written {
        let work = shared.packs(move |local, messages| packing.pack(local, messages));
        candidates.push(Candidate::new("static", work));
    }
    if bytes <= LARGEST_TABLE {
        let table = Segments::of_packing(&plan, RANK);
        let work = shared.packs(move |local, messages| table.pack(local, messages));
        candidates.push(Candidate::new("table", work));
    }
    let kernel = packing.kernel().to_string();
    let work = shared.packs(move |local, messages| packing.pack(local, messages));
    candidates.push(Candidate::new("run time", work));
    (timed(candidates, asked.turns), kernel)
}

pub fn unpacking<T: Element, const D: usize>(
    plan: Plan<D>,
    written: Option<Static<T>>,
    asked: &Asked,
) -> (Vec<Method>, String) {
    let at_run_time = TypedPlan::<T, D>::from(plan);
    let unpacking = asked.binder(&at_run_time).unpacking(RANK);
    let shared = Shared::<T>::new(unpacking.local_len(), unpacking.envelopes());
    let (len, bytes) = (unpacking.local_len(), unpacking.local_len() * size_of::<T>());
    let mut candidates = vec![Candidate::new("memcpy", memcpy::<T>(len))];
    candidates.push(Candidate::new("vectors", vectors::<T>(len)));
    if let Some(Static { unpacking, .. }) = written {
        let work = shared.unpacks(move |local, messages| unpacking.unpack(local, messages));
        candidates.push(Candidate::new("static", work));
    }
    if bytes <= LARGEST_TABLE {
        let table = Segments::of_unpacking(&plan, RANK);
        let work = shared.unpacks(move |local, messages| table.unpack(local, messages));
        candidates.push(Candidate::new("table", work));
    }
    let kernel = unpacking.kernel().to_string();
    let work = shared.unpacks(move |local, messages| unpacking.unpack(local, messages));
    candidates.push(Candidate::new("run time", work));
    (timed(candidates, asked.turns), kernel)
}
