//! Groups of ranks: split, joined with others of the same launch, or with a program that was
//! started by itself.

use super::attribute::is_over;
use super::communicator::{OwnCommunicator, checked};
use super::constants::{no_communicator, no_info, world};
use super::handlers::ErrorsReturned;
use crate::error::Error;
use ::mpi::ffi::{self, MPI_Comm};
use std::ffi::{CString, c_int};

/// Groups of ranks: made, split and joined. All collective.
impl OwnCommunicator {
    /// Another duplicate.
    pub fn again(&self) -> Result<Self, Error> {
        self.live().duplicate()
    }

    /// The largest tag that messages may have.
    pub fn largest_tag(&self) -> Result<c_int, Error> {
        let largest = self.attribute_of_world(ffi::MPI_TAG_UB as c_int)?;
        // What the standard promises.
        Ok(largest.unwrap_or(32_767))
    }

    /// The number of this rank's program in the launch.
    pub fn program(&self) -> Result<usize, Error> {
        let number = self.attribute_of_world(ffi::MPI_APPNUM as c_int)?.unwrap_or(-1);
        usize::try_from(number).map_err(|_| {
            let reason =
                "the launcher does not number the programs of a launch (MPI_APPNUM)".into();
            Error::Coupling { rank: self.rank(), reason }
        })
    }

    /// A number that the library itself keeps on the world.
    fn attribute_of_world(&self, key: c_int) -> Result<Option<c_int>, Error> {
        let (mut value, mut found) = (std::ptr::null_mut::<c_int>(), 0);
        // SAFETY: the world is alive; such an attribute is a pointer to a number that lives as long
        // as the library.
        unsafe {
            let place = (&raw mut value).cast();
            let code = ffi::MPI_Comm_get_attr(world(), key, place, &mut found);
            self.check("MPI_Comm_get_attr", code)?;
            Ok((found != 0 && !value.is_null()).then(|| *value))
        }
    }

    /// The ranks with one color, numbered by `order`.
    pub fn split(&self, color: usize, order: usize) -> Result<Self, Error> {
        let (color, order) = (color as c_int, order as c_int);
        // SAFETY: our communicator is alive (`live`), and an intracommunicator, as is what the call
        // makes of it, which has no other owner.
        unsafe {
            Self::made(self.rank(), "MPI_Comm_split", |own| {
                ffi::MPI_Comm_split(self.raw, color, order, own)
            })
        }
    }

    /// Joins these ranks with others, whose leader is rank `leader` of `peers`; the leader here is
    /// rank 0.
    pub fn intercommunicator(
        &self,
        peers: &Self,
        leader: usize,
        tag: usize,
    ) -> Result<Intercommunicator, Error> {
        let (leader, tag) = (leader as c_int, tag as c_int);
        // SAFETY: both communicators are alive as long as they are borrowed (`live`); `joined` calls
        // this with a place that outlives the call.
        self.joined("MPI_Intercomm_create", |raw| unsafe {
            ffi::MPI_Intercomm_create(self.raw, 0, peers.raw, leader, tag, raw)
        })
    }

    /// A port on rank 0. All ranks fail alike.
    pub fn open_port(&self) -> Result<Option<Port>, Error> {
        let port = (self.rank() == 0).then(Port::open).transpose();
        let failed = port.as_ref().err().map(Error::to_string).unwrap_or_default();
        let reason = self.broadcast_text(0, &failed)?;
        if port.is_ok() && !reason.is_empty() {
            Err(Error::PeerFailed { rank: 0, reason })
        } else {
            port
        }
    }

    /// Waits for others to connect to a port, which rank 0 has opened.
    pub fn accept(&self, port: Option<&Port>) -> Result<Intercommunicator, Error> {
        let name = port.map_or(std::ptr::null(), |port| port.0.as_ptr());
        // SAFETY: our communicator is alive (`live`); the name is read on rank 0 only, where there is
        // one, which outlives the call, as does the place that `joined` calls this with.
        self.joined("MPI_Comm_accept", |raw| unsafe {
            ffi::MPI_Comm_accept(name, no_info(), 0, self.raw, raw)
        })
    }

    /// Connects to a port of this name.
    pub fn connect(&self, port: &str) -> Result<Intercommunicator, Error> {
        let name = CString::new(port).unwrap_or_default();
        // SAFETY: our communicator is alive (`live`); the name outlives the call, as does the place
        // that `joined` calls this with.
        self.joined("MPI_Comm_connect", |raw| unsafe {
            ffi::MPI_Comm_connect(name.as_ptr(), no_info(), 0, self.raw, raw)
        })
    }

    fn joined(
        &self,
        call: &'static str,
        join: impl FnOnce(&mut MPI_Comm) -> c_int,
    ) -> Result<Intercommunicator, Error> {
        let mut raw = no_communicator();
        self.check(call, join(&mut raw))?;
        Ok(Intercommunicator(raw))
    }
}

/// Two groups of ranks that see each other. Freed when dropped.
#[derive(Debug)]
pub(super) struct Intercommunicator(MPI_Comm);

impl Intercommunicator {
    /// All ranks of both groups on one communicator; the group that says `high` comes second.
    /// Collective over both.
    pub fn merge(&self, high: bool) -> Result<OwnCommunicator, Error> {
        let high = c_int::from(high);
        // SAFETY: this owns the intercommunicator, which is alive until it is dropped; what the call
        // makes is an intracommunicator that has no other owner.
        unsafe {
            OwnCommunicator::made(0, "MPI_Intercomm_merge", |own| {
                ffi::MPI_Intercomm_merge(self.0, high, own)
            })
        }
    }
}

impl Drop for Intercommunicator {
    fn drop(&mut self) {
        if !is_over() {
            // SAFETY: `joined` alone makes such values, of a handle that only this frees, after which
            // nothing uses it; MPI is not finalised. An error has no place to be told.
            unsafe { ffi::MPI_Comm_free(&mut self.0) };
        }
    }
}

/// A port at which other programs can connect. Closed when dropped.
#[derive(Debug)]
pub(super) struct Port(CString);

impl Port {
    fn open() -> Result<Self, Error> {
        let _guard = ErrorsReturned::new();
        let mut name = vec![0u8; ffi::MPI_MAX_PORT_NAME as usize + 1];
        // SAFETY: the name has the room that the library asks for, one byte more than
        // `MPI_MAX_PORT_NAME`, and outlives the call.
        let code = unsafe { ffi::MPI_Open_port(no_info(), name.as_mut_ptr().cast()) };
        checked(0, "MPI_Open_port", code)?;
        let len = name.iter().position(|&byte| byte == 0).unwrap_or(0);
        name.truncate(len);
        Ok(Self(CString::new(name).unwrap_or_default()))
    }

    /// The name that others connect to.
    pub fn name(&self) -> &str {
        self.0.to_str().unwrap_or_default()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        if !is_over() {
            // SAFETY: `open` alone makes such values, of a port that only this closes; its name, which
            // ends with a zero, outlives the call. An error has no place to be told.
            unsafe { ffi::MPI_Close_port(self.0.as_ptr()) };
        }
    }
}
