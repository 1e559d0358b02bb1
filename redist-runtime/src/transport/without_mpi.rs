//! Stands for the parts of a channel that only processes have. No value exists.

use super::{Chunk, Source};
use crate::cache::Stores;
use crate::error::Error;
use crate::program::RankChunks;
use core::convert::Infallible;
use core::marker::PhantomData;

/// Stands for sending while packing, for an inbox, and for rooms.
pub struct NoMessages<'a>(Infallible, PhantomData<&'a ()>);

impl<'a> NoMessages<'a> {
    /// # Safety
    /// None: no value exists.
    pub unsafe fn packed(
        &mut self,
        _: std::ops::Range<usize>,
        _: impl Fn(usize) -> usize,
    ) -> Result<(), Error> {
        match self.0 {}
    }

    pub fn up_to(&mut self, _: usize, _: usize) -> Result<&'a [u8], Error> {
        match self.0 {}
    }

    pub fn add_to(self, _: &mut Vec<&'a mut [u8]>) {
        match self.0 {}
    }
}

/// Stands for slots of a node.
pub enum NoSlots {}

macro_rules! no_slots {
    ($($name:ident($($argument:ty),*) -> $result:ty;)*) => {
        impl NoSlots {
            $(pub fn $name(&mut self, $(_: $argument),*) -> $result {
                match *self {}
            })*

            pub fn stores(&self) -> Stores {
                match *self {}
            }

            pub fn max_chunk(&self) -> usize {
                match *self {}
            }

            pub fn add_messages<'m>(&'m self, _: &mut Vec<&'m [u8]>) {
                match *self {}
            }
        }
    };
}

no_slots! {
    note_chunks(&RankChunks) -> ();
    rooms_before(&Source<'_>) -> Option<NoMessages<'_>>;
    are_used() -> bool;
    stage(&[u8], &RankChunks) -> ();
    next_chunks(&[u8], &RankChunks, &mut Result<(), Error>) -> Option<&[Chunk<'_>]>;
    rooms() -> Option<NoMessages<'_>>;
    packed(&mut Result<(), Error>) -> ();
}
