//! Moves by lists whose element type is a value, for bindings to other languages.

use super::any::{AnyBound, AnyMover};
use super::list_mover::ListMover;
use crate::element::AnyElement;
use crate::error::Error;
use crate::program::lists::{IndexList, ListSides};
use crate::transport::Transport;

/// An [`IndexMove`](crate::exec::IndexMove) whose element type is a run-time value.
#[must_use = "a move does nothing before `bind`"]
#[derive(Clone, Debug)]
pub struct AnyIndexMove {
    /// Number of all indices.
    extent: usize,
    /// Indices of this rank's elements, by side.
    lists: [IndexList; 2],
    /// `true` if elements of one index are equal on all ranks.
    are_equal: bool,
    element: AnyElement,
}

impl AnyIndexMove {
    /// Moves elements of this type: see [`IndexMove::new`](crate::exec::IndexMove::new).
    pub fn new(extent: usize, lists: [IndexList; 2], element: AnyElement) -> Self {
        Self { extent, lists, are_equal: false, element }
    }

    /// Declares elements of one index equal: see
    /// [`IndexMove::equal`](crate::exec::IndexMove::equal).
    pub fn equal(self) -> Self {
        Self { are_equal: true, ..self }
    }

    /// Plans with all ranks of a communicator: see
    /// [`IndexMove::bind`](crate::exec::IndexMove::bind). Collective. A rank without lists calls
    /// [`AnyBinder::decline`](crate::exec::AnyBinder::decline).
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<AnyBound, Error> {
        let Self { extent, lists: [from, to], are_equal, element } = self;
        let (extent, are_equal) = (*extent, *are_equal);
        let sides = ListSides { extent, lists: [from, to], are_equal };
        let mover = ListMover::new(&sides, element.element_type(), communicator)?;
        Ok(AnyBound::new(AnyMover::Listed(Box::new(mover)), *element))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exec::AnyBinder;
    use crate::plan::Side;
    use crate::transport::threads::{self, Rank};

    fn bound(rank: &Rank) -> Result<AnyBound, Error> {
        // Each has two neighbours, and gets the second of the next rank and its own first.
        let own = 2 * rank.rank();
        let next = (own + 3) % (2 * rank.size());
        let lists = [IndexList::new(&[own, own + 1]), IndexList::new(&[next, own])];
        AnyIndexMove::new(2 * rank.size(), lists, AnyElement::of_bytes(3).unwrap()).bind(rank)
    }

    fn bytes(indices: [usize; 2]) -> Vec<u8> {
        indices.into_iter().flat_map(|index| [index as u8, 7, 10 * index as u8]).collect()
    }

    #[test]
    fn elements_of_any_size_move_in_one_call_or_two_or_through_a_function() {
        threads::run(3, |rank| {
            let mut bound = bound(rank)?;
            let (own, len) = (2 * rank.rank(), bound.local_len(Side::Destination));
            assert_eq!((len, bound.local_shape(Side::Source)), (2, &[2][..]));
            assert_eq!(bound.local_strides(Side::Source), [1]);
            let (source, expected) = (bytes([own, own + 1]), bytes([(own + 3) % 6, own]));
            let mut found = vec![0; 6];
            bound.run(&source[..], &mut found[..])?;
            assert_eq!(found, expected);
            found.fill(0);
            bound.start(&source, 6)?;
            while !bound.test()? {
                std::thread::yield_now();
            }
            bound.finish(&mut found)?;
            assert!(found == expected && !bound.is_under_way());
            let mut sums = vec![1; 6];
            bound.run_with(&source[..], &mut sums, 3, |arrived, kept| {
                kept.iter_mut().zip(arrived).for_each(|(kept, arrived)| *kept += arrived);
            })?;
            assert!(sums.iter().zip(&expected).all(|(sum, byte)| *sum == byte + 1));
            Ok::<_, Error>(())
        })
        .unwrap();
    }

    #[test]
    fn ranks_that_decline_fail_those_that_receive_from_them() {
        let reason = Error::Unavailable { what: "this".into(), reason: "no".into() };
        threads::run(3, |rank| {
            let refused = match rank.rank() {
                0 => Err(AnyBinder::decline(rank, reason.clone())),
                _ => bound(rank).map(drop),
            };
            let told = Error::PeerFailed { rank: 0, reason: reason.reason() };
            let told = if rank.rank() == 0 { reason.clone() } else { told };
            assert_eq!(refused, Err(told.clone()));
            let mut bound = bound(rank)?;
            let (source, mut found) = (vec![1; 6], vec![9; 6]);
            let moved = match rank.rank() {
                0 => Err(bound.decline(reason.clone())),
                _ => bound.run_with(&source[..], &mut found, 3, |_, kept| kept.fill(1)),
            };
            // Rank 2 wants an element of rank 0, and rank 1 none.
            let expected = [Err(told.clone()), Ok(()), Err(told)];
            assert_eq!(moved, expected[rank.rank()]);
            assert_eq!(found[0], [9, 1, 9][rank.rank()]);
            Ok::<_, Error>(())
        })
        .unwrap();
    }
}
