#![doc = include_str!("../README.md")]
//!
//! # Where to look
//!
//! | | |
//! |---|---|
//! | [`redistribute!`] | the macro and its grammar |
//! | [`trait@Element`] | what arrays are made of, with [a page](docs::elements) |
//! | [`Redistribution`] | what its items can do: [`bind`](Redistribution::bind), [`explain`](Redistribution::explain) |
//! | [`Bound`] | a plan bound to ranks: [`run`](Bound::run), [`run_with`](Bound::run_with) a function, and what this rank holds: [`local`](Bound::local) |
//! | [`RuntimePlan`] | the same for layouts that are known at run time |
//! | [`threads::run`] | ranks as threads |
//! | [`Layout`], [`layout::Descriptor`] | who owns what |
//! | [`Plan`] | who sends what to whom |
//! | [`docs`] | pages that explain |
//!
//! The feature `mpi` adds ranks as MPI processes, two programs that are coupled, and their pages.

mod redistribute;

/// What [`redistribute!`] calls. Not for direct use, and not stable.
#[doc(hidden)]
pub mod __macros {
    pub use redist_macros::{beside, redistribute};
}

pub use redist_macros::Element;
#[cfg(feature = "bytemuck")]
pub use redist_runtime::Plain;
pub use redist_runtime::exec::{self, Bound, Redistribution, Replication, RuntimePlan, Started};
pub use redist_runtime::layout::{self, Layout};
pub use redist_runtime::plan::{self, Plan, Side};
pub use redist_runtime::program;
pub use redist_runtime::transport::{self, Transport, threads};
pub use redist_runtime::{AnyElement, Element, Error};

/// What expansions of [`redistribute!`] name, beside the above.
#[doc(hidden)]
pub use redist_runtime::{
    exec::{Inverse, Kernels, Tier},
    layout::{Dist, RankOrder, Ranks, StorageOrder},
    plan::{Axis, Piece},
};

#[cfg(feature = "mpi")]
pub use redist_runtime::transport::mpi;

/// Pages that explain.
pub mod docs {
    #[doc = include_str!("../docs/binary.md")]
    pub mod binary {}

    #[doc = include_str!("../docs/c.md")]
    pub mod c {}

    #[doc = include_str!("../docs/cli.md")]
    pub mod cli {}

    #[doc = include_str!("../docs/cookbook.md")]
    pub mod cookbook {}

    #[doc = include_str!("../docs/elements.md")]
    pub mod elements {}

    #[doc = include_str!("../docs/faults.md")]
    pub mod faults {}

    #[doc = include_str!("../docs/interchange.md")]
    pub mod interchange {}

    #[doc = include_str!("../docs/matrix.md")]
    pub mod matrix {}

    #[doc = include_str!("../docs/notation.md")]
    pub mod notation {}

    #[doc = include_str!("../docs/performance.md")]
    pub mod performance {}

    #[doc = include_str!("../docs/planning.md")]
    pub mod planning {}

    #[doc = include_str!("../docs/python.md")]
    pub mod python {}

    #[doc = include_str!("../docs/schedules.md")]
    pub mod schedules {}

    #[doc = include_str!("../docs/scalapack.md")]
    pub mod scalapack {}

    #[doc = include_str!("../docs/scalapack-library.md")]
    pub mod scalapack_library {}

    #[doc = include_str!("../docs/transforms.md")]
    pub mod transforms {}

    #[doc = include_str!("../docs/trust.md")]
    pub mod trust {}

    #[cfg(feature = "mpi")]
    #[doc = include_str!("../docs/mpi.md")]
    pub mod mpi {}

    #[cfg(feature = "mpi")]
    #[doc = include_str!("../docs/coupling.md")]
    pub mod coupling {}
}
