//! Layouts as numbers. Unsafe: the lists are in C's memory.

use crate::pointers::{list, optional, reference};
use crate::status::{Refusal, length};
use redist_doors::LayoutNumbers;

/// A layout as numbers: lists with an entry for each dimension. Members that are 0 or NULL have
/// their defaults; begin with `redist_layout layout = REDIST_LAYOUT_INIT;`.
#[derive(Debug)]
#[repr(C)]
pub struct Layout {
    /// `sizeof(redist_layout)`.
    pub size: usize,
    /// Length of blocks, in elements. `REDIST_BLOCK` is one block of equal length for each rank of
    /// the grid. `REDIST_COLLAPSED` is a dimension that is not distributed. `REDIST_GEN_BLOCK` is
    /// one block of its own size for each rank of the grid, which `sizes` has.
    pub blocks: *const i64,
    /// Extents of the process grid; ignored for dimensions that are not distributed.
    pub grid: *const i64,
    /// Grid coordinates of block 0 (ScaLAPACK's RSRC and CSRC); zeros if it is NULL.
    pub first: *const i64,
    /// The ranks of the communicator that form the grid; from 0 on if it is NULL.
    pub ranks: *const i64,
    /// Number of these ranks.
    pub ranks_len: i64,
    /// Not 0 if consecutive ranks fill the grid column by column.
    pub column_major_ranks: i32,
    /// Not 0 if the first dimension is stored fastest, as in Fortran.
    pub fortran: i32,
    /// Sizes of the blocks of dimensions that are `REDIST_GEN_BLOCK`: one for each coordinate of the
    /// grid, dimension after dimension. They add up to the extents.
    pub sizes: *const i64,
    /// Number of these.
    pub sizes_len: i64,
    /// Of a destination: the axis of this array that each axis of the source becomes. `{1, 0}` is a
    /// transposition. The same if it is NULL. All other lists are in this array's own order.
    pub axes: *const i64,
    /// Extents of the stored array, of which a section moves; the whole moves if it is NULL.
    pub of: *const i64,
    /// The first index of the section, from 0 on; zeros if it is NULL.
    pub at: *const i64,
}

/// A dimension that is not distributed.
pub const REDIST_COLLAPSED: i64 = -1;
/// One block for each rank of the grid.
pub const REDIST_BLOCK: i64 = 0;
/// One block of its own size for each rank of the grid.
pub const REDIST_GEN_BLOCK: i64 = -2;

const _: () = {
    assert!(REDIST_COLLAPSED == LayoutNumbers::COLLAPSED && REDIST_BLOCK == LayoutNumbers::BLOCK);
    assert!(REDIST_GEN_BLOCK == LayoutNumbers::GEN_BLOCK);
};

/// Checks a struct's first member: the size that its program was compiled with.
pub fn check_size<T>(size: usize, name: &str) -> Result<(), Refusal> {
    if size == size_of::<T>() {
        return Ok(());
    }
    Err(Refusal::argument(format!(
        "`{name}.size` is {size}, but must be `sizeof({name})`, which is {} in this library; begin with \
         the initialiser of the header, and compile with the header of this library",
        size_of::<T>()
    )))
}

/// Returns the layout in the notation, for an array of `dimensions`.
///
/// # Safety
/// The pointer is NULL, or points to a layout. Its lists are NULL or have an entry for each
/// dimension, `ranks` its stated number. Nothing writes to them while this runs.
pub unsafe fn notation(
    layout: *const Layout,
    dimensions: usize,
    name: &str,
) -> Result<String, Refusal> {
    // SAFETY: if the pointer is not NULL, there is a layout, as the caller promises.
    let layout = unsafe { reference(layout, name) }?;
    check_size::<Layout>(layout.size, "redist_layout")?;
    let ranks = length(layout.ranks_len, &format!("{name}.ranks_len"))?;
    let sizes = length(layout.sizes_len, &format!("{name}.sizes_len"))?;
    // SAFETY: each list that is not NULL has as many entries, as the caller promises.
    let (blocks, grid, first, ranks, sizes, axes, of, at) = unsafe {
        (
            list(layout.blocks, dimensions, &format!("{name}.blocks"))?,
            list(layout.grid, dimensions, &format!("{name}.grid"))?,
            optional(layout.first, dimensions),
            list(layout.ranks, ranks, &format!("{name}.ranks"))?,
            list(layout.sizes, sizes, &format!("{name}.sizes"))?,
            optional(layout.axes, dimensions),
            optional(layout.of, dimensions),
            optional(layout.at, dimensions),
        )
    };
    let numbers = LayoutNumbers {
        blocks: blocks.to_vec(),
        grid: grid.to_vec(),
        first: first.to_vec(),
        ranks: ranks.to_vec(),
        column_major_ranks: layout.column_major_ranks != 0,
        fortran: layout.fortran != 0,
        sizes: sizes.to_vec(),
        axes: axes.to_vec(),
        of: of.to_vec(),
        at: at.to_vec(),
    };
    numbers.notation().map_err(|error| {
        let refusal = Refusal::from(error);
        Refusal::new(refusal.status, format!("`{name}`: {}", refusal.message))
    })
}
