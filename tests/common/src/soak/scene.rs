//! Arrays of one act, and the results that its moves must have.

use super::elements::{Numbered, UNTOUCHED, number};
use super::faults::{Ending, Fault};
use super::pool::Known;
use super::{Counted, Setting, Wrong};
use fastrand::Rng;
use redist::transport::Way;
use redist::{Bound, Error, Side};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;
use std::{mem, thread};

#[derive(Clone, Copy, Debug)]
enum Part {
    Runs,
    Finishes,
    Drops,
}

pub struct Scene<'a, T: Numbered, const D: usize> {
    setting: &'a Setting<'a>,
    known: &'a Known<D>,
    bound: Bound<T, D>,
    rank: usize,
    round: u64,
}

impl<'a, T: Numbered, const D: usize> Scene<'a, T, D> {
    /// Makes a scene; the number distinguishes its arrays from other scenes'.
    pub fn new(
        setting: &'a Setting<'a>,
        known: &'a Known<D>,
        (bound, rank): (Bound<T, D>, usize),
        number: u32,
    ) -> Self {
        Self { setting, known, bound, rank, round: u64::from(number) }
    }

    fn source(&self) -> Vec<T> {
        let element = |offset| T::numbered(number(self.rank, offset, self.round));
        (0..self.known.local_len(Side::Source, self.rank)).map(element).collect()
    }

    fn untouched(&self) -> Vec<T> {
        let len = self.known.local_len(Side::Destination, self.rank);
        vec![T::numbered(UNTOUCHED); len]
    }

    fn is_right(&self, found: &[T]) -> Result<(), Wrong> {
        let mut expected = self.untouched();
        for &(own, from, offset) in self.known.arrivals(self.rank) {
            expected[own] = T::numbered(number(from, offset, self.round));
        }
        self.setting.tally.add(Counted::Compared, 1);
        self.setting.tally.add(Counted::Elements, expected.len() as u64);
        match expected.iter().zip(found).position(|(expected, found)| expected != found) {
            Some(at) => Err(format!(
                "element {at} is {:?}, should be {:?}: {}",
                found[at],
                expected[at],
                self.bound.explain()
            )),
            None => Ok(()),
        }
    }

    fn part(&self, rng: &mut Rng) -> Part {
        let drawn = rng.u64(..);
        // In half of the moves all ranks run.
        match (drawn >> (2 * self.rank % 62)) & 3 {
            _ if drawn >> 63 == 1 => Part::Runs,
            0 | 1 => Part::Runs,
            2 => Part::Finishes,
            _ => Part::Drops,
        }
    }

    fn goes(&mut self, part: Part, source: &[T], destination: &mut [T]) -> Result<(), Error> {
        match part {
            Part::Runs => self.bound.run(source, destination),
            Part::Drops => self.bound.start(source, destination).map(drop),
            Part::Finishes => {
                let mut started = self.bound.start(source, destination)?;
                while !started.test()? {
                    thread::yield_now();
                }
                started.finish()
            }
        }
    }

    pub fn moves(&mut self, rng: &mut Rng) -> Result<(), Wrong> {
        self.round += 1;
        let (part, source, mut destination) = (self.part(rng), self.source(), self.untouched());
        self.goes(part, &source, &mut destination).map_err(|error| format!("{part:?}: {error}"))?;
        self.has_gone(part, &destination)
    }

    /// Checks the destination of a move of which this rank made this part.
    fn has_gone(&self, part: Part, destination: &[T]) -> Result<(), Wrong> {
        match part {
            Part::Drops if destination == self.untouched() => Ok(()),
            Part::Drops => Err("a dropped move has written to its destination".into()),
            _ => self.is_right(destination),
        }
    }

    pub fn goes_wrong(
        &mut self,
        fault: Fault,
        culprit: usize,
        rng: &mut Rng,
    ) -> Result<Ending, Wrong> {
        self.round += 1;
        let is_culprit = culprit == self.rank;
        if is_culprit {
            self.setting.tally.fault(fault);
        }
        match fault {
            Fault::WrongLength => self.wrong_length(culprit, rng),
            Fault::Forgotten => self.forgotten(is_culprit, rng),
            Fault::PanicAmidCopies | Fault::PanicAmidMessages => {
                self.panic_amid(fault, is_culprit, rng)
            }
            _ => {
                if is_culprit {
                    let caught = catch_unwind(|| panic!("soak: between two calls"));
                    drop(caught);
                }
                self.moves(rng).map(|()| Ending::GoesOn)
            }
        }
    }

    /// Returns `true` if a fault of a rank is this rank's own, or reaches it in any case.
    fn receives_from(&self, culprit: usize) -> bool {
        culprit == self.rank || self.bound.plan().volume(culprit, self.rank) > 0
    }

    fn wrong_length(&mut self, culprit: usize, rng: &mut Rng) -> Result<Ending, Wrong> {
        let is_culprit = culprit == self.rank;
        let (part, of_source) = (self.part(rng), rng.bool());
        let part = if matches!(part, Part::Drops) { Part::Finishes } else { part };
        let (mut source, mut destination) = (self.source(), self.untouched());
        if is_culprit {
            let wrong = if of_source { &mut source } else { &mut destination };
            if wrong.pop().is_none() {
                wrong.push(T::numbered(UNTOUCHED));
            }
        }
        match self.goes(part, &source, &mut destination) {
            Err(_) => {}
            Ok(()) if !self.receives_from(culprit) => {
                return self.is_right(&destination).map(|()| Ending::GoesOn);
            }
            Ok(()) => return Err(format!("{part:?}: moved in spite of a wrong length")),
        }
        self.setting.tally.add(Counted::Errors, 1);
        let untouched = T::numbered(UNTOUCHED);
        // Messages of other nodes are unpacked as they come.
        let may_change = self.setting.on_nodes && !is_culprit;
        if !may_change && destination.iter().any(|element| *element != untouched) {
            return Err("written to in spite of an array of the wrong length".into());
        }
        Ok(Ending::GoesOn)
    }

    fn forgotten(&mut self, is_culprit: bool, rng: &mut Rng) -> Result<Ending, Wrong> {
        let (part, source, mut destination) = (self.part(rng), self.source(), self.untouched());
        if is_culprit {
            let started = self.bound.start(&source, &mut destination);
            let _ = started.map_err(|error| format!("to be forgotten: {error}"))?;
        } else {
            let moved = self.goes(part, &source, &mut destination);
            moved.map_err(|error| format!("{part:?}, one forgets: {error}"))?;
            self.has_gone(part, &destination)?;
        }
        Ok(Ending::GoesOn)
    }

    /// Other ranks may get an error or all elements, also in the next move.
    fn panic_amid(
        &mut self,
        fault: Fault,
        is_culprit: bool,
        rng: &mut Rng,
    ) -> Result<Ending, Wrong> {
        let copies = matches!(self.bound.way(), Way::Lent | Way::Chunks | Way::Slots);
        let part = match fault {
            Fault::PanicAmidMessages if copies => Part::Finishes,
            Fault::PanicAmidCopies if !copies => return self.moves(rng).map(|()| Ending::GoesOn),
            _ => Part::Runs,
        };
        // One call copies shared arrays.
        let calls =
            if fault == Fault::PanicAmidCopies && self.bound.way() == Way::Lent { 1 } else { 3 };
        let left = Rc::new(Cell::new(Some(rng.usize(..3) % calls)));
        if is_culprit {
            let left = Rc::clone(&left);
            self.bound.watch(move |_| match left.get() {
                Some(0) => {
                    left.set(None);
                    panic!("soak: amid a move");
                }
                counted => left.set(counted.map(|counted| counted - 1)),
            });
        }
        self.leniently(part)?;
        left.set(None);
        self.round += 1;
        self.leniently(part)?;
        Ok(Ending::IsOver)
    }

    /// Makes a move that need not succeed; a reported success must be one.
    fn leniently(&mut self, part: Part) -> Result<(), Wrong> {
        let (source, mut destination) = (self.source(), self.untouched());
        let moves = AssertUnwindSafe(|| self.goes(part, &source, &mut destination));
        match catch_unwind(moves) {
            Ok(Ok(())) => self.is_right(&destination),
            Ok(Err(_)) => {
                self.setting.tally.add(Counted::Errors, 1);
                Ok(())
            }
            Err(_) => {
                self.setting.tally.add(Counted::Caught, 1);
                Ok(())
            }
        }
    }

    /// Makes the rank at fault run the second plan first. No later call works.
    pub fn in_other_order(mut self, second: Bound<T, D>, culprit: usize) -> Result<Ending, Wrong> {
        if culprit == self.rank {
            self.setting.tally.fault(Fault::OtherOrder);
        }
        let first =
            if culprit == self.rank { second } else { mem::replace(&mut self.bound, second) };
        let second = mem::replace(&mut self.bound, first);
        self.leniently(Part::Runs)?;
        self.round += 1;
        self.bound = second;
        self.leniently(Part::Runs)?;
        Ok(Ending::IsOver)
    }

    /// Ends the rank at fault; ranks that receive from it get an error in their next call.
    pub fn ends(mut self, fault: Fault, culprit: usize) -> Result<Ending, Wrong> {
        if culprit == self.rank {
            self.setting.tally.fault(fault);
            assert!(fault != Fault::Panics, "soak: this rank has had enough");
            return Ok(Ending::IsOver);
        }
        let (source, mut destination) = (self.source(), self.untouched());
        match self.goes(Part::Runs, &source, &mut destination) {
            Err(_) => self.setting.tally.add(Counted::Errors, 1),
            Ok(()) if !self.receives_from(culprit) => self.is_right(&destination)?,
            Ok(()) => return Err(format!("moved without rank {culprit}, which has ended")),
        }
        Ok(Ending::IsOver)
    }
}
