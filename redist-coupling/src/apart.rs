//! Programs of several launches: they find each other by a file, and a port joins them.

use crate::groups::{self, Intercommunicator, Port};
use crate::notice::Notice;
use crate::rendezvous::Rendezvous;
use redist_runtime::Error;
use redist_runtime::transport::mpi::groups::OwnCommunicator;
use std::env;
use std::path::Path;
use std::time::Duration;

const TOGETHER: &str = "launch all programs together, as in `mpirun -n 3 producer : -n 4 consumer`";

/// Joins these ranks with those of a program in the other role: one accepts, one connects.
pub fn meet(
    own: &OwnCommunicator,
    accepts: bool,
    file: &Path,
    limit: Duration,
) -> Result<Intercommunicator, Error> {
    let failed = |reason| Error::Rendezvous { file: file.display().to_string(), reason };
    // The connecting program opens a port, too, so that it never waits for one that cannot accept.
    let port = groups::open_port(own).map_err(|error| failed(no_ports(&error)))?;
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
        groups::accept(own, port.as_ref())
    } else {
        drop(port);
        groups::connect(own, &own.broadcast_text(0, found.as_deref().unwrap_or_default())?)
    }
}

fn no_ports(error: &Error) -> String {
    format!("this library has no ports ({}); {TOGETHER}, or use one that has", error.reason())
}

/// The launch of a program, as far as it limits its partners. Launchers of Open MPI up to version 4
/// set environment variables; other launchers set none.
struct Launch {
    name: String,
    has_server: bool,
    is_beside: bool,
}

impl Launch {
    fn of(own: &OwnCommunicator) -> Result<Self, Error> {
        let known = |name: &str| env::var(name).unwrap_or_default();
        let name = known("OMPI_MCA_orte_hnp_uri");
        // A rank on another node reports to a daemon there.
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
