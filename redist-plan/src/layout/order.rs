//! Orders of ranks in a grid, and of elements in a local array.

use core::fmt;

/// How consecutive ranks fill the process grid: BLACS' `order` argument of `blacs_gridinit`.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::{Descriptor, Dist, Layout, RankOrder};
/// let rows = Layout::new([Dist::Block, Dist::Block], [2, 3]);
/// let columns = rows.order(RankOrder::Col);
/// let owner = |layout| Descriptor::new([2, 3], layout).map(|array| array.owner([1, 0]));
/// assert_eq!((owner(rows), owner(columns)), (Ok(3), Ok(1)));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RankOrder {
    /// Row-major, the last grid dimension fastest (BLACS `'R'`, `MPI_Cart_create`). The default.
    #[default]
    Row,
    /// Column-major, the first grid dimension fastest (BLACS `'C'`).
    Col,
}

/// How a rank stores its local array.
///
/// ```
/// # use redist_plan as redist;
/// use redist::layout::{Dist, RankOrder, StorageOrder};
/// use redist::Layout;
/// let tiles = Layout::new([Dist::Block; 2], [2, 2]);
/// let tiles = tiles.order(RankOrder::Col).storage(StorageOrder::Fortran);
/// assert_eq!(tiles.to_string(), "(block, block) onto (2, 2) order col storage fortran");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum StorageOrder {
    /// C order: the last dimension is contiguous. The default.
    #[default]
    C,
    /// Fortran order: the first dimension is contiguous. ScaLAPACK's local arrays are stored so.
    Fortran,
}

impl fmt::Display for RankOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RankOrder::Row => "row",
            RankOrder::Col => "col",
        })
    }
}

impl fmt::Display for StorageOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            StorageOrder::C => "c",
            StorageOrder::Fortran => "fortran",
        })
    }
}
