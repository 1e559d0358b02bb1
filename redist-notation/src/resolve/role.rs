//! What a size is for, in the words of the messages.

use crate::ast::Which;
use core::fmt;
use redist_runtime::layout::MAX_EXTENT;

/// The place of a size in the item, and the range it has to be in.
#[derive(Clone, Copy)]
pub struct Role {
    noun: &'static str,
    place: Place,
    pub minimum: usize,
    pub maximum: usize,
}

#[derive(Clone, Copy)]
enum Place {
    Item,
    Array(usize),
    Side(Which),
    Dimension(Which, usize),
    Block(Which, usize, usize),
}

impl Role {
    fn new(noun: &'static str, place: Place) -> Self {
        Role { noun, place, minimum: 0, maximum: usize::MAX }
    }

    /// A size of the whole item.
    pub fn of_item(noun: &'static str) -> Self {
        Role::new(noun, Place::Item)
    }

    /// A size of one dimension of the array.
    pub fn of_array(noun: &'static str, dimension: usize) -> Self {
        Role::new(noun, Place::Array(dimension))
    }

    /// A size of a whole side.
    pub fn of_side(noun: &'static str, which: Which) -> Self {
        Role::new(noun, Place::Side(which))
    }

    /// A size of one dimension of a side.
    pub fn of_dimension(noun: &'static str, which: Which, dimension: usize) -> Self {
        Role::new(noun, Place::Dimension(which, dimension))
    }

    /// The size of one of the blocks that a `gen_block` lists.
    pub fn of_block(which: Which, dimension: usize, block: usize) -> Self {
        Role::new("size", Place::Block(which, dimension, block))
    }

    /// Blocks and grids: nothing can be dealt in zeros.
    pub fn at_least_one(self) -> Self {
        Role { minimum: 1, ..self }
    }

    /// Extents: no slice is longer.
    pub fn at_most_an_extent(self) -> Self {
        Role { maximum: MAX_EXTENT, ..self }
    }
}

impl fmt::Display for Role {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {}", self.noun)?;
        match self.place {
            Place::Item => Ok(()),
            Place::Array(dimension) => write!(f, " of dimension {dimension}"),
            Place::Side(which) => write!(f, " of the {which}"),
            Place::Block(which, dimension, block) => write!(f, " of block {block} of {which} dimension {dimension}"),
            Place::Dimension(which, dimension) => write!(f, " of {which} dimension {dimension}"),
        }
    }
}
