//! Where ranks run: on this machine, or dealt in turn to emulated nodes (`tests/cluster`).

use redist::Plan;
use std::error::Error;
use std::fmt;
use std::path::PathBuf;
use std::process::{Command, ExitStatus};
use std::str::FromStr;

/// How fast nodes reach each other.
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

/// Seconds in which the busiest link carries what it has to, with as many bytes an element: ranks
/// are dealt to nodes in turn.
pub fn wire<const D: usize>(plan: &Plan<D>, bytes: usize, nodes: usize, link: &Link) -> f64 {
    let (mut out, mut into) = (vec![0; nodes], vec![0; nodes]);
    for (from, to) in (0..plan.ranks()).flat_map(|p| (0..plan.ranks()).map(move |q| (p, q))) {
        if from % nodes != to % nodes {
            let elements = plan.volume(from, to);
            out[from % nodes] += elements;
            into[to % nodes] += elements;
        }
    }
    let busiest = out.into_iter().chain(into).max().unwrap_or_default();
    (bytes * busiest) as f64 / link.rate
}

/// Nodes that are up as long as this value is there.
pub struct Cluster(());

fn script(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/cluster").join(name)
}

fn call(name: &str, arguments: &[String]) -> std::io::Result<ExitStatus> {
    Command::new(script(name)).args(arguments).status()
}

impl Cluster {
    /// Sets up as many nodes, with links if their speed is named.
    ///
    /// # Errors
    /// This machine allows no such thing; the script says why.
    pub fn up(nodes: usize, link: Option<&Link>) -> Result<Self, Box<dyn Error>> {
        let link = link.map(ToString::to_string);
        let arguments: Vec<String> = [nodes.to_string()].into_iter().chain(link).collect();
        match call("up", &arguments)? {
            status if status.success() => Ok(Self(())),
            status => Err(format!("there are no nodes to measure on ({status})").into()),
        }
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        // Where it fails, the next one says so.
        let _ = call("down", &[]);
    }
}

/// The launcher with as many ranks, which need not be as many as there are cores.
pub fn launcher(ranks: usize, on_nodes: bool) -> Command {
    let mut command = if on_nodes {
        let mut command = Command::new(script("mpiexec"));
        command.arg("openmpi");
        command
    } else {
        let mut command = Command::new("mpiexec.openmpi");
        // Containers run as root.
        command.envs([("OMPI_ALLOW_RUN_AS_ROOT", "1"), ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")]);
        command.arg("--oversubscribe");
        command
    };
    // Where there are fewer cores than ranks, those that wait must not spin.
    command.args(["--bind-to", "none", "--mca", "mpi_yield_when_idle", "1", "-n"]);
    command.arg(ranks.to_string());
    command
}
