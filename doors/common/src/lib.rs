//! Common code of the C interface and the Python package: plans and copies of any number of dimensions,
//! layouts as numbers, shared arrays by their address, ranks that are threads. Arrays in files, too.
// Names say enough to the doors, the only users.
#![allow(missing_docs)]
#![forbid(unsafe_code)]

mod batch;
mod combine;
mod copies;
mod files;
mod foreign;
mod handshake;
mod interchange;
mod joined;
mod layout;
mod lists;
mod plan;
mod ranks;
mod saved;
mod scaled;
mod shared;
mod simulated;
pub mod words;

pub use batch::{DoorBatch, Moved, overlapping};
pub use combine::{Combine, combined};
pub use copies::{CopiesOfAnySize, DoorCopies, simulate_batch, simulate_copies};
pub use files::{FileRun, FileWork};
pub use foreign::{Darray, DarrayDist, Mesh};
pub use handshake::{NoHandshake, handshake};
pub use interchange::{NoLayout, Submatrix, between_meshes, descriptor_of, of_scalapack};
pub use joined::{DoorPart, join_parts};
pub use layout::{LayoutError, LayoutNumbers};
pub use lists::NumberLists;
pub use plan::{DoorPlan, DoorRelabelled, LocalPart, MAX_DIMENSIONS, NoPlan};
pub use ranks::{Bindable, DoorRanks};
pub use redist_explain::{Asked, DEFAULT_MAX_PAIRS};
pub use redist_files::{ArrayOutcome, FilesError, Manifest, RunOptions};
pub use saved::{NotRead, from_json, to_json};
pub use scaled::{OfRuns, Scaling, scaled};
pub use shared::{free_shared, free_shared_anywhere, keep_shared, overlap, run_between};
pub use simulated::{
    NotVerified, RankArrays, run_scaled, simulate, simulate_by, simulate_scaled, simulate_with,
    verify,
};
