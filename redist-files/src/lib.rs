//! Arrays in files: from one layout to another, in bounded memory, complete or not at all.
#![forbid(unsafe_code)]

mod address;
mod array;
mod beside;
mod boxes;
mod check;
mod checksum;
mod chunks;
mod compact;
mod conversion;
mod copy;
mod dealt;
mod element;
mod error;
mod files;
mod folder;
mod format;
mod found;
mod index;
mod joined;
mod journal;
mod kept;
mod limits;
mod manifest;
mod opened;
mod outputs;
mod pattern;
mod peers;
mod planned;
mod pool;
mod publish;
mod readable;
mod region;
mod regular;
mod run;
mod share;
mod side;
mod staging;
#[cfg(feature = "object-store")]
mod store;
#[cfg(not(feature = "object-store"))]
#[path = "no_store.rs"]
mod store;
mod sums;
mod unfinished;
mod watch;
mod whole;

pub use array::{ArrayRequest, SideRequest};
pub use chunks::Chunking;
pub use conversion::ArrayOutcome;
pub use dealt::{Dealt, HeldLine, rank_numbered};
pub use element::bytes_of_name;
pub use error::FilesError;
pub use format::Placing;
pub use manifest::Manifest;
pub use opened::OpenedArray;
pub use peers::{Alone, Peers, agreed};
pub use run::{Expected, Run, RunOptions};
pub use watch::{Unwatched, Watch};
