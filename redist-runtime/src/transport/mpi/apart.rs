//! Programs that are launched apart: they find each other by a file, and are joined by a port.

use super::communicator::OwnCommunicator;
use super::coupling::Coupling;
use super::groups::{Intercommunicator, Port};
use super::live::duplicate;
use super::programs::Programs;
use crate::error::Error;
use crate::plan::Side;
use crate::transport::rendezvous::Rendezvous;
use crate::transport::wire::notice::Notice;
use redist_mpi::AsCommunicator;
use std::env;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// What to do where programs cannot be launched apart.
const TOGETHER: &str = "launch all programs together, as in `mpirun -n 3 producer : -n 4 consumer`";

impl Coupling {
    /// Couples two programs that are launched apart: both name one file, which need not exist, in a
    /// folder that rank 0 of either can write to. The source waits there for the destination, and
    /// the destination for the source, for so long. Collective over `communicator`.
    ///
    /// Of Open MPI 4 this needs a server of ports, `ompi-server -r FILE`, and `--ompi-server
    /// file:FILE` for the launcher of each program; each launch has to be on one node then, that of
    /// its launcher. Programs of one launch need neither. MPICH over UCX has no
    /// ports, and so cannot do this at all.
    ///
    /// # Errors
    /// [`Error::Rendezvous`], with the file: the other program has not come in time, the library
    /// cannot join the two, or the file cannot be used; the same on every rank of a program, and on
    /// the other program as well, unless that has not come. Else as [`accept`](Coupling::accept).
    pub fn rendezvous(
        communicator: &impl AsCommunicator,
        role: Side,
        file: impl AsRef<Path>,
        limit: Duration,
    ) -> Result<Self, Error> {
        let own = duplicate(communicator)?;
        let inter = meet(&own, role == Side::Source, file.as_ref(), limit)?;
        Self::merged(inter, own.size(), role)
    }
}

impl Programs {
    /// Joins programs that are launched apart, any number of them, each of which says its own number,
    /// from 0, and how many there are. They join one by one, in the order of their numbers: program
    /// `k` meets those before it at `file` with `.k` behind its name, and each meeting may take so
    /// long. Collective over `communicator`.
    ///
    /// # Errors
    /// As [`Coupling::rendezvous`]; or the number is not less than that of programs.
    pub fn rendezvous(
        communicator: &impl AsCommunicator,
        program: usize,
        programs: usize,
        file: impl AsRef<Path>,
        limit: Duration,
    ) -> Result<Self, Error> {
        let mut joined = duplicate(communicator)?;
        if program >= programs {
            let reason = format!("there is no program {program} of {programs}");
            return Err(Error::Coupling { rank: joined.rank(), reason });
        }
        let place = |number: usize| {
            let mut name = file.as_ref().as_os_str().to_owned();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        if program > 0 {
            joined = meet(&joined, false, &place(program), limit)?.merge(true)?;
        }
        for next in program + 1..programs {
            joined = meet(&joined, true, &place(next), limit)?.merge(false)?;
        }
        Self::sorted(joined, program)
    }
}

/// Joins these ranks with those of a program that does the other of accepting and connecting.
fn meet(
    own: &OwnCommunicator,
    accepts: bool,
    file: &Path,
    limit: Duration,
) -> Result<Intercommunicator, Error> {
    let failed = |reason| Error::Rendezvous { file: file.display().to_string(), reason };
    // The connecting program asks for one, too, so that it does not wait for one that cannot accept.
    let port = own.open_port().map_err(|error| failed(no_ports(&error)))?;
    let launch = Launch::of(own)?;
    let there = Rendezvous::at(file, limit);
    let found = match (own.rank(), accepts) {
        (0, true) => there.accept(launch.notice(port.as_ref())).map(|()| String::new()),
        (0, false) => there.connect(launch.notice(None)),
        _ => Ok(String::new()),
    };
    let reason = own.broadcast_text(0, found.as_ref().err().map_or("", String::as_str))?;
    if !reason.is_empty() {
        return Err(failed(reason));
    }
    if accepts {
        own.accept(port.as_ref())
    } else {
        drop(port);
        own.connect(&own.broadcast_text(0, found.as_deref().unwrap_or_default())?)
    }
}

fn no_ports(error: &Error) -> String {
    format!("this library has no ports ({}); {TOGETHER}, or use one that has", error.reason())
}

/// How the ranks of a program were launched, as far as it bears on whom they can meet. Open MPI's
/// launchers, up to version 4, tell their ranks by the environment; of others nothing is known.
struct Launch {
    /// What the launch is known by.
    name: String,
    has_server: bool,
    /// Whether all ranks are on the node of the launcher.
    is_beside: bool,
}

impl Launch {
    /// Collective.
    fn of(own: &OwnCommunicator) -> Result<Self, Error> {
        let known = |name: &str| env::var(name).unwrap_or_default();
        let name = known("OMPI_MCA_orte_hnp_uri");
        // A rank on another node talks to a daemon there.
        let is_beside = name == known("OMPI_MCA_orte_local_daemon_uri");
        let [is_beside] = own.minima([u64::from(is_beside)])?;
        let has_server = !known("OMPI_MCA_pmix_server_uri").is_empty();
        Ok(Self { name, has_server, is_beside: is_beside == 1 })
    }

    fn notice(self, port: Option<&Port>) -> Notice {
        let obstacle = match &self {
            Launch { name, .. } if name.is_empty() => String::new(),
            Launch { has_server: false, .. } => format!(
                "was launched without a server of ports, which Open MPI needs to join launches: start \
                 `ompi-server --no-daemonize -r FILE`, and give `--ompi-server file:FILE` to the launcher of each \
                 program, or {TOGETHER}"
            ),
            Launch { is_beside: false, .. } => format!(
                "has ranks on other nodes than its launcher's, and Open MPI 4 cannot join such a launch to another: \
                 launch each program on one node, from there, or {TOGETHER}"
            ),
            _ => String::new(),
        };
        let port = port.map_or(String::new(), |port| port.name().to_owned());
        Notice { port, launch: self.name, obstacle, ..Notice::default() }
    }
}
