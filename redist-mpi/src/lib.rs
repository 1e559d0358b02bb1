#![doc = include_str!("../README.md")]

#[cfg(not(unix))]
compile_error!(
    "redist-mpi finds MPI libraries as Unix systems load them, and has no other way yet"
);

mod attribute;
mod collectives;
mod communicator;
mod constant;
mod element;
mod environment;
mod error;
mod find;
mod flavour;
mod functions;
mod handle;
mod key;
mod launches;
mod library;
mod life;
mod point_to_point;
mod ports;
mod request;
mod status;

pub use communicator::{AsCommunicator, Communicator, CommunicatorRef, ErrorsReturned};
pub use constant::ErrorClass;
pub use element::{Element, Operation};
pub use environment::{Environment, initialize, initialize_with, this_rank, world};
pub use error::{CallError, Error, LibraryError, VARIABLE};
pub use find::is_launched;
pub use flavour::Flavour;
pub use key::{Attribute, Key};
pub use library::Library;
pub use life::{Threading, abort, is_finalized, is_initialized, is_over, threading};
pub use point_to_point::Message;
pub use ports::{Intercommunicator, Port};
pub use request::{Request, Requests};
pub use status::Status;

/// The crate `mpi`, in the version whose communicators are taken.
#[cfg(feature = "rsmpi")]
pub use mpi as rsmpi;
