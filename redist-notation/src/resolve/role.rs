use core::fmt;
use redist_plan::plan::Side;

/// The place of a size in the item, and its least value.
#[derive(Clone, Copy)]
pub struct SizeRole {
    noun: &'static str,
    place: SizePlace,
    pub minimum: usize,
}

#[derive(Clone, Copy)]
enum SizePlace {
    Item,
    Array(usize),
    Side(Side),
    Dimension(Side, usize),
    Block(Side, usize, usize),
    Row(Side, usize, usize),
    Cell(Side, usize),
}

impl SizeRole {
    fn new(noun: &'static str, place: SizePlace) -> Self {
        SizeRole { noun, place, minimum: 0 }
    }

    pub fn of_item(noun: &'static str) -> Self {
        SizeRole::new(noun, SizePlace::Item)
    }

    pub fn of_array(noun: &'static str, dimension: usize) -> Self {
        SizeRole::new(noun, SizePlace::Array(dimension))
    }

    pub fn of_side(noun: &'static str, which: Side) -> Self {
        SizeRole::new(noun, SizePlace::Side(which))
    }

    pub fn of_dimension(noun: &'static str, which: Side, dimension: usize) -> Self {
        SizeRole::new(noun, SizePlace::Dimension(which, dimension))
    }

    pub fn of_block(which: Side, dimension: usize, block: usize) -> Self {
        SizeRole::new("size", SizePlace::Block(which, dimension, block))
    }

    pub fn of_row(which: Side, dimension: usize, row: usize) -> Self {
        SizeRole::new("length", SizePlace::Row(which, dimension, row))
    }

    pub fn of_cell(which: Side, number: usize) -> Self {
        SizeRole::new("rank", SizePlace::Cell(which, number))
    }

    /// For blocks and grids.
    pub fn at_least_one(self) -> Self {
        SizeRole { minimum: 1, ..self }
    }
}

impl fmt::Display for SizeRole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the {}", self.noun)?;
        match self.place {
            SizePlace::Item => Ok(()),
            SizePlace::Array(dimension) => write!(f, " of dimension {dimension}"),
            SizePlace::Side(which) => write!(f, " of the {which}"),
            SizePlace::Block(which, dimension, block) => {
                write!(f, " of block {block} of {which} dimension {dimension}")
            }
            SizePlace::Row(which, dimension, row) => {
                write!(f, " of row {row} of {which} dimension {dimension}")
            }
            SizePlace::Cell(which, number) => write!(f, " of cell {number} of the {which} grid"),
            SizePlace::Dimension(which, dimension) => {
                write!(f, " of {which} dimension {dimension}")
            }
        }
    }
}
