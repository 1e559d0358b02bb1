//! Moves a distributed array from one block-cyclic layout to another.
//!
//! It takes the place of ScaLAPACK's `p?gemr2d`, of COSTA, and of packing by hand around
//! `MPI_Alltoallv`. The macro [`redistribute!`] plans a move while the crate compiles, a
//! [`TypedPlan`] in the program. Ranks are threads, or MPI processes with the feature `mpi`.
//!
//! ```
//! use redist::{Error, Redistribution, Side, redistribute, threads};
//!
//! redistribute! {
//!     /// ScaLAPACK's tiles to whole columns.
//!     struct ToColumns: [f64; 600, 1200] {
//!         from: scalapack(64, 64, 2, 3), to: (*, block) onto 6 storage fortran,
//!     }
//! }
//!
//! let columns = threads::run(6, |rank| {
//!     let mut bound = ToColumns::new().bind(rank)?; // once
//!     let tiles = vec![rank.rank() as f64; bound.local_len(Side::Source)];
//!     let mut columns = vec![0.0; bound.local_len(Side::Destination)];
//!     bound.run(&tiles, &mut columns)?; // as often as needed
//!     Ok::<_, Error>(columns)
//! })?;
//! // The first column: 64 rows from rank 0, 64 rows from rank 3, and so on.
//! assert_eq!([columns[0][0], columns[0][64], columns[0][128]], [0.0, 3.0, 0.0]);
//! # Ok::<(), threads::Failure<Error>>(())
//! ```
//!
#![cfg_attr(doc, doc = include_str!("../docs/images/tiles-to-columns.svg"))]
//!
//! The macro finds whether a dimension is kr→r, r→kr or general, and puts window tables and
//! unrolled packing code into the binary. The same planner plans sizes that are known only at run
//! time. A mistake in a layout is a compile error at the word that is wrong.
//!
//! | to | look at |
//! |---|---|
//! | begin | [getting started](docs::getting_started), the [cookbook](docs::cookbook) |
//! | write a layout | [the notation](docs::notation), [`Layout`], [`layout::Descriptor`] |
//! | declare a move | [`redistribute!`], or [`TypedPlan`] for layouts from a file |
//! | say how local arrays lie in memory: halos, padding, strides | [`exec::Binder::within`], [`exec::Binder::strides`] |
//! | move | [`Redistribution::bind`], [`Bound::run`], [`Bound::run_with`] a function |
//! | see a plan | [`Redistribution::explain`], [`Plan`] |
//! | choose ranks | [`threads::run`], [MPI](docs::mpi), [coupled programs](docs::coupling) |
//! | choose elements | [`trait@Element`], [its page](docs::elements) |

#![cfg_attr(docsrs, feature(doc_cfg))]

mod redistribute;

/// Functions that [`redistribute!`] calls. Not for direct use, and not stable.
#[doc(hidden)]
pub mod __macros {
    pub use redist_macros::{beside, redistribute};
}

pub use redist_macros::Element;
#[cfg(feature = "bytemuck")]
pub use redist_runtime::Plain;
pub use redist_runtime::exec::{Bound, Redistribution, Started, TypedPlan, WithCopies};
pub use redist_runtime::layout::Layout;
pub use redist_runtime::plan::{Plan, Side};
pub use redist_runtime::transport::{Transport, threads};
pub use redist_runtime::{Element, Error, ok};

// Each name is documented in one place. Hidden ones serve expansions, bindings of other languages,
// the command line and tests: nothing is promised of them.
#[doc(hidden)]
pub use redist_runtime::{
    AnyElement,
    exec::{Inverse, Kernels, Tier},
    layout::{Dist, RankOrder, Ranks, StorageOrder},
    plan::{Axis, Piece},
    program,
};

/// Layouts: distributions, grids and orders of one side, and its local arrays.
pub mod layout {
    #[doc(hidden)]
    pub use redist_runtime::layout::*;
    pub use redist_runtime::layout::{
        CopiesAlongError, Descriptor, Dist, Factor, FactorDist, LayoutError, LocalArray,
        NotationError, RankOrder, Ranks, StorageOrder, interchange,
    };
}

/// Plans: figures and errors of a [`Plan`], schedules of its messages.
pub mod plan {
    #[doc(hidden)]
    pub use redist_runtime::plan::*;
    pub use redist_runtime::plan::{
        Diag, Figure, MessageViews, Method, ParsePlanError, Place, PlanError, RankMessages,
        RelabelError, Uplo, View,
    };
}

/// Binding plans to ranks, and running them.
pub mod exec {
    #[cfg(feature = "mpi")]
    pub use redist_coupling::{ArrayPart, JoinedParts, ProgramPart, StartedParts};
    #[doc(hidden)]
    pub use redist_runtime::exec::*;
    pub use redist_runtime::exec::{
        Batch, BatchArrays, Binder, BoundBatch, BoundIndexMove, BoundReduction, BoundWithCopies,
        Conjugate, DestinationArray, ElementCopier, IndexMove, Inverse, ListVolume, Packing,
        PartsError, PlanWithCopies, Reduction, Route, SourceArray, StartedBatch, StartedIndexMove,
        Unpacking, conjugated, converted, max, min, scale_add, sum,
    };
    #[doc(hidden)]
    pub use redist_runtime::plan::schedule::Step;
    pub use redist_runtime::program::Envelope;
    pub use redist_runtime::program::lists::{IndexList, IndexRun};
}

/// Ranks are MPI processes, of one program or of several that meet.
#[cfg(feature = "mpi")]
pub mod mpi {
    pub use redist_coupling::{Coupling, Programs};
    pub use redist_runtime::transport::mpi::*;
}

#[doc(hidden)]
pub mod transport {
    #[cfg(feature = "mpi")]
    pub use crate::mpi;
    pub use redist_runtime::transport::*;
}

/// Tests the examples of pages that are not in the book.
#[cfg(doctest)]
mod tested {
    #[doc = include_str!("../README.md")]
    mod readme {}
    #[doc = include_str!("../docs/internals/planning.md")]
    mod planning {}
    #[doc = include_str!("../docs/internals/moving.md")]
    mod moving {}
    #[doc = include_str!("../docs/internals/binary.md")]
    mod binary {}
    #[doc = include_str!("../docs/internals/schedules.md")]
    mod schedules {}
}

/// Makes a page of `docs/` a module. Pages have reference links: the definitions of `links.md` come
/// first, and hold here; those at the page's end hold on the repository's web view.
macro_rules! pages {
    ($($name:ident: $path:literal)*) => {
        $(
            #[cfg_attr(not(feature = "mpi"), doc = include_str!("links_without_mpi.md"))]
            #[doc = include_str!("links.md")]
            #[doc = include_str!($path)]
            pub mod $name {}
        )*
    };
}

/// Pages that explain.
///
/// # In the repository
///
/// `docs/README.md` is an index by task. `docs/c.md`, `docs/python.md`, `docs/cli.md` and
/// `docs/checkpoints.md` are about other languages, the command line and files, `docs/internals/` about the code, `benches/results/` has
/// all measurements.
pub mod docs {
    pages! {
        getting_started: "../docs/getting-started.md"
        cookbook: "../docs/cookbook.md"
        notation: "../docs/notation.md"
        elements: "../docs/elements.md"
        transforms: "../docs/transforms.md"
        mpi: "../docs/mpi.md"
        coupling: "../docs/coupling.md"
        scalapack: "../docs/scalapack.md"
        trust: "../docs/trust.md"
    }
}
