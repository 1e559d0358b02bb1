//! Joins groups of ranks: by leaders, or by a port. Unsafe, because the library is called.

use crate::communicator::Communicator;
use crate::constant::Constant;
use crate::error::{Error, Failure, int};
use crate::functions::Functions;
use crate::handle::{Comm, Handle};
use crate::launches;
use crate::library::Library;
use crate::life::{callable, is_over, running};
use std::ffi::{CString, c_int, c_void};
use std::marker::PhantomData;

/// Two joined groups of ranks. Freed when dropped.
#[derive(Debug)]
pub struct Intercommunicator {
    raw: Handle<Comm>,
    library: &'static Library,
    thread: PhantomData<*const ()>,
}

impl Communicator {
    /// Joins these ranks, led by rank 0, with others, led by rank `leader` of `peers`. Collective.
    pub fn intercommunicator(
        &self,
        peers: &Self,
        leader: usize,
        tag: i32,
    ) -> Result<Intercommunicator, Error> {
        let leader = int(leader)?;
        // SAFETY: both communicators are alive, and intracommunicators.
        self.joined(|mpi, new| unsafe {
            mpi.MPI_Intercomm_create(self.raw, 0, peers.raw, leader, tag, new)
        })
    }

    /// Waits for another program to connect to a port of rank 0. Collective.
    ///
    /// # Panics
    /// On rank 0, if it brings no port.
    pub fn accept(&self, port: Option<&Port>) -> Result<Intercommunicator, Error> {
        assert!(self.rank() != 0 || port.is_some(), "rank 0 brings the port");
        let name = port.map_or(std::ptr::null(), |port| port.name.as_ptr());
        let info = self.library.handle(Constant::INFO_NULL);
        // SAFETY: the communicator is alive. The library reads the name only on rank 0. There is
        // one there (checked above), and it outlives the call.
        let joined =
            self.joined(|mpi, new| unsafe { mpi.MPI_Comm_accept(name, info, 0, self.raw, new) });
        joined.inspect(|_| launches::note_another())
    }

    /// Connects to a port of this name; only the name on rank 0 counts. Collective.
    pub fn connect(&self, port: &str) -> Result<Intercommunicator, Error> {
        let name = CString::new(port).unwrap_or_default();
        let info = self.library.handle(Constant::INFO_NULL);
        // SAFETY: the communicator is alive, and the name outlives the call.
        let joined = self.joined(|mpi, new| unsafe {
            mpi.MPI_Comm_connect(name.as_ptr(), info, 0, self.raw, new)
        });
        joined.inspect(|_| launches::note_another())
    }

    fn joined(
        &self,
        join: impl FnOnce(&Functions, *mut c_void) -> Result<(), Failure>,
    ) -> Result<Intercommunicator, Error> {
        let (library, mpi) = (self.library, self.mpi()?);
        let raw = library.written(Constant::COMM_NULL, |new| join(mpi, new))?;
        launches::note(raw);
        Ok(Intercommunicator { raw, library, thread: PhantomData })
    }
}

impl Intercommunicator {
    /// Joins all ranks of both groups; the group that passes `high` comes second. Collective.
    pub fn merge(&self, high: bool) -> Result<Communicator, Error> {
        callable(self.library)?;
        let (inter, high) = (self.raw, c_int::from(high));
        // SAFETY: this owns the intercommunicator, which is alive. The call makes an
        // intracommunicator that has no other owner.
        unsafe {
            Communicator::made(self.library, |mpi, new| mpi.MPI_Intercomm_merge(inter, high, new))
        }
    }
}

impl Drop for Intercommunicator {
    fn drop(&mut self) {
        if !is_over() {
            launches::forget(self.raw);
            // SAFETY: this owns the intercommunicator, and nothing uses it after this. The error
            // has no receiver.
            self.raw.in_memory(self.library.is_narrow, |place| unsafe {
                let _ = self.library.functions.MPI_Comm_free(place);
            });
        }
    }
}

/// A port, to which other programs can connect. Closed when dropped.
#[derive(Debug)]
pub struct Port {
    name: CString,
    library: &'static Library,
    thread: PhantomData<*const ()>,
}

impl Port {
    /// Opens a port. Local.
    ///
    /// # Errors
    /// The library's, if the errors of calls without a communicator [are
    /// returned](Communicator::errors_returned); else they end the job. MPICH over UCX has no
    /// ports.
    pub fn open() -> Result<Self, Error> {
        let library = running()?;
        let info = library.handle(Constant::INFO_NULL);
        let mut name = vec![0_u8; library.word(Constant::MAX_PORT_NAME) + 1];
        // SAFETY: MPI is there, as `running` has checked. The name has one byte more than the
        // library asks for, and outlives the call.
        unsafe { library.functions.MPI_Open_port(info, name.as_mut_ptr().cast()) }?;
        name.truncate(name.iter().position(|&byte| byte == 0).unwrap_or(0));
        let name = CString::new(name).unwrap_or_default();
        Ok(Self { name, library, thread: PhantomData })
    }

    /// Returns the name that other programs connect to.
    pub fn name(&self) -> &str {
        self.name.to_str().unwrap_or_default()
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        if !is_over() {
            // SAFETY: `open` opened the port, which only this closes. The name ends with a zero,
            // and outlives the call. The error has no receiver.
            let _ = unsafe { self.library.functions.MPI_Close_port(self.name.as_ptr()) };
        }
    }
}
