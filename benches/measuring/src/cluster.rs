//! Runs ranks on this machine, or on emulated nodes in turn (`tests/cluster`).

use crate::launch::{AtTheEnd, limited};
use std::error::Error;
use std::ffi::OsStr;
use std::fmt;
use std::path::PathBuf;
use std::process::Command;
use std::str::FromStr;

/// A link between emulated nodes.
#[derive(Clone, Debug)]
pub struct Link {
    text: String,
    /// Bytes a second, either way.
    pub rate: f64,
}

impl FromStr for Link {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let rate = text.split(',').next().unwrap_or_default();
        let units = [("gbit", 1e9), ("mbit", 1e6)];
        let bits = units.iter().find_map(|(unit, bits)| {
            rate.strip_suffix(unit)?.parse::<f64>().ok().map(|number| number * bits)
        });
        let rate =
            bits.ok_or("a link is 2gbit, 500mbit, or either with `,shallow` after it")? / 8.0;
        Ok(Self { text: text.into(), rate })
    }
}

impl fmt::Display for Link {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Nodes that are up as long as this value and this process.
#[derive(Debug)]
pub struct Cluster {
    _down: AtTheEnd,
}

/// The reason why no nodes are emulated.
#[derive(Debug)]
pub enum NoNodes {
    /// This machine allows none; the script has printed why.
    Forbidden,
    Failed(Box<dyn Error>),
}

impl fmt::Display for NoNodes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoNodes::Forbidden => f.write_str("this machine allows no emulated nodes"),
            NoNodes::Failed(error) => write!(f, "there are no nodes to measure on: {error}"),
        }
    }
}

impl Error for NoNodes {}

fn script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/cluster").join(name)
}

impl Cluster {
    /// Sets up `nodes` nodes, with links if their speed is named.
    pub fn up(nodes: usize, link: Option<&Link>) -> Result<Self, NoNodes> {
        let mut up = Command::new(script("up"));
        up.arg(nodes.to_string()).args(link.map(ToString::to_string));
        let status = up.status().map_err(|error| NoNodes::Failed(error.into()))?;
        match status.code() {
            Some(0) => {}
            Some(77) => return Err(NoNodes::Forbidden),
            _ => return Err(NoNodes::Failed(status.to_string().into())),
        }
        let down = AtTheEnd::run(&script("down"));
        Ok(Self { _down: down.map_err(|error| NoNodes::Failed(error.into()))? })
    }
}

pub fn mpiexec(ranks: usize, on_nodes: bool, program: impl AsRef<OsStr>) -> Command {
    let mut command = if on_nodes {
        let mut command = limited(script("mpiexec"));
        command.arg("openmpi");
        command
    } else {
        let mut command = limited("mpiexec.openmpi");
        // Containers run as root.
        command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
        command.arg("--oversubscribe");
        command
    };
    // With fewer cores than ranks, waiting ranks must not spin.
    command.args(["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n"]);
    command.arg(ranks.to_string()).arg(program);
    command
}
