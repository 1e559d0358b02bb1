//! Exchanges layouts with ScaLAPACK's array descriptors.

use super::{Format, InterchangeError, cannot_say, checked, count, int, wrong};
use crate::layout::{Descriptor, Layout, StorageOrder};

/// DTYPE of a dense block-cyclic matrix.
const BLOCK_CYCLIC_2D: i32 = 1;

/// Names of a descriptor's entries, in order.
const NAMES: [&str; 9] = ["DTYPE", "CTXT", "M", "N", "MB", "NB", "RSRC", "CSRC", "LLD"];

/// Reads the matrix and LLD of a descriptor (nine integers of `DESCINIT`), on a row-major `grid` of
/// process rows and columns. Source: ScaLAPACK Users' Guide, section 4.3.3.
///
/// LLD is checked for `row`, this process's row of the grid; outside of the grid, `row` is `None`
/// and LLD is 1. Each process has its own LLD, which goes to `Binder::leading_dimension`.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::interchange::from_scalapack;
/// let (a, lld) = from_scalapack([1, 0, 1000, 600, 64, 64, 0, 0, 520], [2, 3], Some(0))?;
/// assert_eq!(*a.layout(), "scalapack(64, 64, 2, 3)".parse()?);
/// assert_eq!((a.extents(), lld), ([1000, 600], 520));
///
/// let short = from_scalapack([1, 0, 1000, 600, 64, 64, 0, 0, 500], [2, 3], Some(0));
/// assert!(short.unwrap_err().to_string().contains("has 512 rows"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// A number that no descriptor has, or an LLD of fewer rows than the process has.
pub fn from_scalapack(
    desc: [i32; 9],
    grid: [usize; 2],
    row: Option<usize>,
) -> Result<(Descriptor<2>, usize), InterchangeError> {
    const FORMAT: Format = Format::Scalapack;
    let [dtype, _, _, _, _, _, _, _, lld] = desc;
    if dtype != BLOCK_CYCLIC_2D {
        let reason = "only 1 is a dense block-cyclic matrix";
        return Err(wrong(FORMAT, "DTYPE", None, i128::from(dtype), reason));
    }
    let entry = |at: usize| count(FORMAT, NAMES[at], None, desc[at]);
    let layout = Layout::scalapack(entry(4)?, entry(5)?, grid[0], grid[1], entry(6)?, entry(7)?);
    let descriptor = checked(FORMAT, [entry(2)?, entry(3)?], layout)?;
    let mut leading = 1;
    if let Some(row) = row {
        if row >= grid[0] {
            let reason = format!("the grid has {} rows of processes", grid[0]);
            return Err(wrong(FORMAT, "the row of this process", None, row as i128, reason));
        }
        let rows = descriptor.axis(0).numroc(row);
        leading = count(FORMAT, "LLD", None, lld)?;
        if leading < rows.max(1) {
            let reason = match rows {
                0 => "it is at least 1, on a process without rows of the matrix, too".to_owned(),
                _ => format!("the process has {rows} rows of the matrix"),
            };
            return Err(wrong(FORMAT, "LLD", None, i128::from(lld), reason));
        }
    }
    Ok((descriptor, leading))
}

/// Returns the descriptor of a matrix as `rank` fills it, with this CTXT and the least LLD. On a
/// rank outside of the grid, CTXT is −1 and LLD is 1.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::Descriptor;
/// use redist::layout::interchange::to_scalapack;
/// use redist::Layout;
/// let layout: Layout<2> = "scalapack(64, 64, 2, 3)".parse()?;
/// let a = Descriptor::new([1000, 600], layout)?;
/// assert_eq!(to_scalapack(&a, 5, 0)?, [1, 5, 1000, 600, 64, 64, 0, 0, 512]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// ScaLAPACK has no such matrix; the error names the dimension.
pub fn to_scalapack(
    descriptor: &Descriptor<2>,
    context: i32,
    rank: usize,
) -> Result<[i32; 9], InterchangeError> {
    const FORMAT: Format = Format::Scalapack;
    let layout = descriptor.layout();
    if layout.storage != StorageOrder::Fortran {
        return Err(cannot_say(FORMAT, None, "local matrices are stored column by column there"));
    }
    let sides = [0, 1].map(|dimension| {
        let axis = descriptor.axis(dimension);
        let Some(block) = axis.regular_block() else {
            let reason = "blocks of different sizes: all but the last are alike there";
            return Err(cannot_say(FORMAT, Some(dimension), reason));
        };
        let whole = Some(dimension);
        let extent = int(FORMAT, whole, "the extent", axis.extent())?;
        let first = int(FORMAT, whole, "the first coordinate", axis.first())?;
        Ok([extent, int(FORMAT, whole, "the block", block)?, first])
    });
    let [rows, columns] = sides;
    let ([m, mb, rsrc], [n, nb, csrc]) = (rows?, columns?);
    let coordinates = descriptor.coordinates(rank);
    let context = if coordinates.is_some() { context } else { -1 };
    let local = coordinates.map_or(0, |[row, _]| descriptor.axis(0).numroc(row));
    let lld = int(FORMAT, Some(0), "the number of local rows", local.max(1))?;
    Ok([BLOCK_CYCLIC_2D, context, m, n, mb, nb, rsrc, csrc, lld])
}
