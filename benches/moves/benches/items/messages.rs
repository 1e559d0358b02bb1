//! Packing and unpacking of all ranks, one after the other, on one thread.

use crate::elements::{Numbered, SAMPLE};
use redist::{Redistribution, Side, TypedPlan};
use redist_measuring::Turns;
use redist_moves::LEARNING_MOVES;
use std::cell::RefCell;
use std::convert::Infallible;
use std::hint::black_box;
use std::time::Instant;

/// The arrays that all ranks pack from and unpack to, one after the other.
struct Arrays<T> {
    source: Vec<T>,
    buffer: RefCell<Vec<T>>,
    destination: RefCell<Vec<T>>,
}

type Work<'a> = Box<dyn FnMut() + 'a>;

impl<T: Numbered> Arrays<T> {
    fn new<const D: usize>(item: &impl Redistribution<D, Element = T>) -> Self {
        let most = |side| {
            let descriptor = *item.plan().descriptor(side);
            (0..item.plan().ranks()).map(|rank| descriptor.local_len(rank)).max().unwrap_or(0)
        };
        let (held, len) = (most(Side::Source), most(Side::Destination));
        Self {
            source: (0..held).map(T::numbered).collect(),
            buffer: RefCell::new((0..held.max(len)).map(T::numbered).collect()),
            destination: RefCell::new(vec![T::ZERO; len]),
        }
    }

    fn packs<'a, const D: usize>(&'a self, plan: &impl Redistribution<D, Element = T>) -> Work<'a> {
        let each: Vec<_> =
            (0..plan.plan().ranks()).map(|rank| plan.binder().packing(rank)).collect();
        Box::new(move || {
            let mut buffer = self.buffer.borrow_mut();
            for packing in &each {
                let mut rest = buffer.as_mut_slice();
                let mut messages = Vec::with_capacity(packing.envelopes().len());
                for envelope in packing.envelopes() {
                    let (message, after) = rest.split_at_mut(envelope.len);
                    messages.push(message);
                    rest = after;
                }
                packing.pack(black_box(&self.source[..packing.local_len()]), &mut messages);
            }
            black_box(&mut buffer);
        })
    }

    fn unpacks<'a, const D: usize>(
        &'a self,
        plan: &impl Redistribution<D, Element = T>,
    ) -> Work<'a> {
        let each: Vec<_> =
            (0..plan.plan().ranks()).map(|rank| plan.binder().unpacking(rank)).collect();
        Box::new(move || {
            let (buffer, mut local) = (self.buffer.borrow(), self.destination.borrow_mut());
            for unpacking in &each {
                let mut rest = black_box(buffer.as_slice());
                let mut messages = Vec::with_capacity(unpacking.envelopes().len());
                for envelope in unpacking.envelopes() {
                    let (message, after) = rest.split_at(envelope.len);
                    messages.push(message);
                    rest = after;
                }
                unpacking.unpack(&mut local[..unpacking.local_len()], &messages);
            }
            black_box(&mut local);
        })
    }

    /// Checks that two works leave the same in the array that they write.
    fn compare(written: &RefCell<Vec<T>>, works: [&mut Work<'_>; 2]) {
        let [first, second] = works.map(|work| {
            written.borrow_mut().fill(T::ZERO);
            work();
            written.borrow().clone()
        });
        assert!(first == second, "both copy the same");
    }
}

/// Returns seconds of packing and unpacking of all ranks, by the item and by the plan.
pub fn seconds<T: Numbered, const D: usize>(
    item: &impl Redistribution<D, Element = T>,
    turns: Turns,
) -> Vec<Vec<f64>> {
    let plan = TypedPlan::<T, D>::from(item.plan());
    let arrays = Arrays::new(item);
    let [mut pack, mut packs, mut unpack, mut unpacks] =
        [arrays.packs(item), arrays.packs(&plan), arrays.unpacks(item), arrays.unpacks(&plan)];
    Arrays::compare(&arrays.buffer, [&mut pack, &mut packs]);
    Arrays::compare(&arrays.destination, [&mut unpack, &mut unpacks]);
    let mut works = [pack, packs, unpack, unpacks];
    works.iter_mut().for_each(|work| (0..LEARNING_MOVES).for_each(|_| work()));
    let elements: usize = item.plan().extents().iter().product();
    let calls = SAMPLE / (elements * size_of::<T>()).max(1) + 1;
    let Ok(mut samples) = turns.take(works.len(), |number| {
        let start = Instant::now();
        (0..calls).for_each(|_| (works[number])());
        Ok::<_, Infallible>(start.elapsed().as_secs_f64())
    });
    samples.iter_mut().flatten().for_each(|sample| *sample /= calls as f64);
    samples
}
