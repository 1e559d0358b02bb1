use core::fmt;

/// How consecutive ranks fill the process grid: BLACS' `order` argument of `blacs_gridinit`.
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
/// use redist::layout::{Dist, Layout, RankOrder, StorageOrder};
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
