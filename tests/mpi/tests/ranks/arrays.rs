//! One rank's part of an array before and after a move, dealt by the simulator.

use redist::exec::Binder;
use redist::mpi::Communicator;
use redist::{Bound, Element, Error, Layout, Redistribution, Side, Transport, TypedPlan};
use redist_mpi_tests::{Outcome, nodes};
use redist_testing::array::{messages, permuted, store};
use redist_testing::strategies::Case;
use std::any::Any;
use std::cell::RefCell;
use std::fmt::Debug;
use std::marker::PhantomData;
use std::rc::Rc;

pub trait Counted: Element + PartialEq + Debug {
    fn counted(count: u64) -> Self;
}

macro_rules! counted {
    ($($element:ty: $count:ident => $value:expr;)*) => {$(
        impl Counted for $element {
            fn counted($count: u64) -> Self {
                $value
            }
        }
    )*};
}

counted! {
    u8: count => (count % 251) as u8;
    u16: count => (count % 65_521) as u16;
    u32: count => count as u32;
    u64: count => count;
    u128: count => u128::from(count) << 50 | 7;
    f64: count => count as f64;
    [f32; 3]: count => [count as f32, -(count as f32), 0.5];
    [u64; 9]: count => std::array::from_fn(|part| count + part as u64);
}

#[derive(Debug)]
struct Dealt {
    source_len: usize,
    destination_len: usize,
    /// (source rank, offset there, offset here) of every received element.
    arrivals: Vec<(usize, usize, usize)>,
}

impl Dealt {
    fn new<const D: usize>(case: &Case<D>, rank: usize) -> Self {
        let Case { extents, from, to } = *case;
        let len = |extents, layout: &Layout<D>| {
            store(extents, layout).lengths.get(&rank).copied().unwrap_or(0)
        };
        let here = messages(extents, &from, &to).into_iter().filter(|((_, to), _)| *to == rank);
        let arrivals = here
            .flat_map(|((p, _), places)| places.into_iter().map(move |(from, to)| (p, from, to)));
        Self {
            source_len: len(extents, &from),
            destination_len: len(permuted(extents, to.axes), &to),
            arrivals: arrivals.collect(),
        }
    }

    /// Returns the array of [`new`](Self::new), and keeps the last array: tests move one array in
    /// several ways, and dealing it takes longer than a move.
    fn kept<const D: usize>(case: &Case<D>, rank: usize) -> Rc<Self> {
        thread_local! {
            static LAST: RefCell<Option<Last>> = const { RefCell::new(None) };
        }
        let key = (case.extents, case.from, case.to, rank);
        let last = LAST.take().filter(|(of, _)| of.downcast_ref() == Some(&key));
        let (of, dealt) = last.unwrap_or_else(|| (Box::new(key), Rc::new(Self::new(case, rank))));
        LAST.set(Some((of, Rc::clone(&dealt))));
        dealt
    }
}

type Last = (Box<dyn Any>, Rc<Dealt>);

#[derive(Clone, Debug)]
pub struct Parts<T> {
    rank: usize,
    dealt: Rc<Dealt>,
    element: PhantomData<T>,
}

impl<T: Counted> Parts<T> {
    pub fn new<const D: usize>(case: &Case<D>, rank: usize) -> Self {
        Self { rank, dealt: Dealt::kept(case, rank), element: PhantomData }
    }

    /// Returns an element; no two of an array are alike, nor are elements of two rounds.
    fn element(rank: usize, offset: usize, round: u64) -> T {
        T::counted(round * 1_000_003 + (rank * 20_011 + offset) as u64)
    }

    pub fn source(&self, round: u64) -> Vec<T> {
        (0..self.dealt.source_len).map(|offset| Self::element(self.rank, offset, round)).collect()
    }

    /// Returns the destination before a move; elements outside of a section keep this value.
    pub fn untouched(&self) -> Vec<T> {
        vec![T::counted(77); self.dealt.destination_len]
    }

    pub fn destination(&self, round: u64) -> Vec<T> {
        let mut destination = self.untouched();
        for &(rank, from, to) in &self.dealt.arrivals {
            destination[to] = Self::element(rank, from, round);
        }
        destination
    }

    pub fn moved<const D: usize>(&self, bound: &mut Bound<T, D>, round: u64) -> Outcome {
        let mut destination = self.untouched();
        bound.run(&self.source(round), &mut destination)?;
        self.same(&destination, round)
    }

    /// Moves repeatedly; every other rank in turn runs the move that all further ranks start and
    /// finish.
    pub fn moved_by_some<const D: usize>(&self, bound: &mut Bound<T, D>, rank: u64) -> Outcome {
        for round in 0..6 {
            if (rank + round).is_multiple_of(2) {
                self.moved(bound, round)?;
                continue;
            }
            let mut destination = self.untouched();
            bound.start(&self.source(round), &mut destination)?.finish()?;
            self.same(&destination, round)?;
        }
        Ok(())
    }

    /// Makes moves that some rank forgets and all other ranks run; then a move that is forgotten
    /// for good.
    pub fn forgotten<const D: usize>(&self, bound: &mut Bound<T, D>, rank: u64) -> Outcome {
        for round in 0..5 {
            if rank % 3 == round % 3 {
                let _ = bound.start(&self.source(round), &mut self.untouched())?;
            } else {
                self.moved(bound, round)?;
            }
            self.moved(bound, round + 100)?;
        }
        let _ = bound.start(&self.source(1), &mut self.untouched())?;
        Ok(())
    }

    pub fn same(&self, found: &[T], round: u64) -> Outcome {
        let expected = self.destination(round);
        let differs = |at: &usize| found[*at] != expected[*at];
        match (0..expected.len()).find(differs) {
            Some(at) => {
                Err(format!("element {at} is {:?}, should be {:?}", found[at], expected[at]).into())
            }
            None => Ok(()),
        }
    }
}

pub fn case<const D: usize>(extents: [usize; D], from: &str, to: &str) -> Case<D> {
    let layout = |text: &str| text.parse::<Layout<D>>().expect("the notation is right");
    Case { extents, from: layout(from), to: layout(to) }
}

pub fn plan<T: Element, const D: usize>(case: &Case<D>) -> TypedPlan<T, D> {
    case.plan().into()
}

pub fn moves<T: Counted, const D: usize, C: Transport>(
    case: &Case<D>,
    communicator: &C,
) -> Outcome {
    moves_with::<T, D, C>(case, communicator, |binder| binder)
}

pub fn moves_with<T: Counted, const D: usize, C: Transport>(
    case: &Case<D>,
    communicator: &C,
    options: impl for<'a> FnOnce(Binder<'a, TypedPlan<T, D>, D>) -> Binder<'a, TypedPlan<T, D>, D>,
) -> Outcome {
    let planned = plan::<T, D>(case);
    let mut bound = options(planned.binder()).bind(communicator)?;
    let parts = Parts::<T>::new(case, bound.rank());
    assert_eq!(bound.local_len(Side::Source), parts.dealt.source_len);
    parts.moved(&mut bound, 1)
}

/// Returns the most bytes of a chunk in a node's memory, which follow from the ranks' caches. Between
/// nodes, whose ranks may show no chunks, it is the least of all lengths. Collective.
pub fn chunk_bytes(world: &Communicator) -> Result<usize, Error> {
    const SLOTS: usize = 8;
    const PAGE: usize = 4096;
    const LEAST: usize = 64 << 10;
    if nodes(world) > 1 {
        return Ok(LEAST);
    }
    let ranks = world.size();
    let long_runs = [format!("block onto {ranks}"), format!("cyclic(100) onto {ranks}")];
    let small = case([ranks * 1000], &long_runs[0], &long_runs[1]);
    let said = plan::<u64, 1>(&small).bind(world)?.explain();
    let ring =
        said.split(" bytes to show chunks in").next().and_then(|text| text.rsplit(' ').next());
    let ring: usize = ring.and_then(|bytes| bytes.parse().ok()).expect("a ring of chunks");
    // Its counters take less than a page for each slot.
    Ok(ring / SLOTS / PAGE * PAGE)
}
