//! Programs that the guard runs, and how they are launched.

use crate::options::Options;
use redist_measuring::busy::BusyCores;
use redist_measuring::cluster::{Cluster, NoNodes, mpiexec};
use redist_measuring::launch::limited;
use redist_measuring::{PLANT, Row, Task, Turns, bench};
use std::path::Path;
use std::process::{Command, Stdio};

/// Rows of one bench.
pub struct Group {
    pub name: &'static str,
    program: &'static str,
    launcher: Launcher,
    by_default: &'static [&'static str],
    /// Parts of the names of the library's methods; others are the same on both sides.
    judged: &'static [&'static str],
    /// Names of an item's method and of its run-time plan's, which are judged beside each other.
    rivals: Option<[&'static str; 2]>,
}

/// The way to start ranks.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Launcher {
    /// A process with as many threads.
    Itself,
    /// As many ranks on this machine.
    Mpi,
    /// As many ranks on this machine, whose cores other threads keep busy.
    Busy,
    /// As many ranks on emulated nodes.
    Nodes,
}

/// All groups, in the order of the report.
pub const GROUPS: [Group; 5] = [
    Group {
        name: "peers",
        program: "ranks",
        launcher: Launcher::Mpi,
        by_default: &[
            "64² → 32²",
            "1×2 → 2×1, 64²",
            "2×2 → 4×1, 64²",
            "2×4 → 8×1, 64²",
            "64² → 30×50",
            "8² → BLOCK",
            "1-D cyclic(10) → (2)",
            "1-D CYCLIC → BLOCK",
            "32 KiB, 8² → 4²",
            "512 KiB, 8² → 4²",
        ],
        judged: &["redist"],
        rivals: Some(["redist, static", "redist, run time"]),
    },
    Group {
        name: "busy",
        program: "ranks",
        launcher: Launcher::Busy,
        by_default: &["64² → 32²", "1-D CYCLIC → BLOCK"],
        judged: &["redist, run time"],
        rivals: None,
    },
    Group {
        name: "threads",
        program: "threads",
        launcher: Launcher::Itself,
        by_default: &[
            "64² → 32²",
            "BLOCK → 8²",
            "transposed",
            "cyclic(10) → (2)",
            "CYCLIC → BLOCK",
            "to the next rank",
        ],
        judged: &["run", "start"],
        rivals: None,
    },
    Group {
        name: "kernels",
        program: "pack",
        launcher: Launcher::Itself,
        by_default: &["1 MiB: "],
        judged: &["pack"],
        rivals: None,
    },
    Group {
        name: "nodes",
        program: "ranks",
        launcher: Launcher::Nodes,
        by_default: &[
            "8 KiB a rank, 16²",
            "64 KiB a rank, rows",
            "64 KiB a rank, cyc",
            "1 MiB a rank, rows",
            "64 KiB a rank, to the other",
            "1 MiB a rank, to the other",
        ],
        judged: &["redist, run time"],
        rivals: None,
    },
];

impl Group {
    pub fn rows(&self, options: &Options) -> Result<(Vec<Task>, Option<Cluster>), String> {
        let rows = self.listed(options)?.into_iter().filter(|task| self.wants(task, options));
        let rows: Vec<Task> = rows.collect();
        let nodes = self.nodes(options, &rows).map_err(|error| error.to_string())?;
        Ok((rows, nodes))
    }

    pub fn nodes(&self, options: &Options, rows: &[Task]) -> Result<Option<Cluster>, NoNodes> {
        let are_needed = self.launcher == Launcher::Nodes && !rows.is_empty();
        are_needed.then(|| Cluster::up(options.nodes, None)).transpose()
    }

    fn listed(&self, options: &Options) -> Result<Vec<Task>, String> {
        let mut command = Command::new(options.sides[1].join(self.program));
        command.arg("--list");
        if self.launcher == Launcher::Nodes {
            command.args(["--on-nodes", &options.nodes.to_string()]);
        }
        let told = command.stderr(Stdio::inherit()).output().map_err(|error| error.to_string())?;
        let lines = String::from_utf8_lossy(&told.stdout).into_owned();
        let task = |line: &str| {
            let (ranks, row) = line.split_once('\t')?;
            Some(Task { row: row.into(), ranks: ranks.parse().ok()? })
        };
        Ok(lines.lines().filter_map(task).collect())
    }

    fn wants(&self, task: &Task, options: &Options) -> bool {
        match &options.rows {
            Some(text) => task.row.contains(text.as_str()),
            // A name as a whole, or what begins so where rows are told apart by what comes first.
            None => self.by_default.iter().any(|name| {
                task.row == *name
                    || (name.contains(['K', 'M']) && task.row.starts_with(name) && self.is_sized())
            }),
        }
    }

    fn is_sized(&self) -> bool {
        self.program == "pack" || self.launcher == Launcher::Nodes
    }

    /// Returns the time of this commit's run-time plan over that of its item, if both were measured.
    pub fn item_gains(&self, this: &Row) -> Option<f64> {
        let [item, plan] = self.rivals?.map(|method| this.times(method));
        Some(plan?.median / item?.median)
    }

    pub fn judges(&self, method: &str) -> bool {
        self.judged.iter().any(|part| method.contains(part)) && !method.contains("memcpy")
    }

    pub fn launch(&self, options: &Options, side: usize, task: &Task, seed: u64) -> Command {
        let program = options.sides[side].join(self.program);
        let turns = Turns { seconds: options.seconds, ..Turns::default() };
        let mut command = match self.launcher {
            Launcher::Itself => bench::worker(limited(&program), task, turns, seed),
            _ => self.ranks(&program, task, turns, seed),
        };
        if let (Some(factor), 1) = (options.plant, side) {
            command.env(PLANT, factor.to_string());
        }
        command
    }

    /// Keeps the machine busy, if this group's programs are measured so, until the result is dropped.
    pub fn busy_cores(&self) -> Option<BusyCores> {
        (self.launcher == Launcher::Busy).then(BusyCores::all)
    }

    fn ranks(&self, program: &Path, task: &Task, turns: Turns, seed: u64) -> Command {
        let mut command = mpiexec(task.ranks, self.launcher == Launcher::Nodes, program);
        command.args(["--worker", &task.row, "--moves-only"]).args(turns.to_arguments(seed));
        if matches!(self.launcher, Launcher::Nodes | Launcher::Busy) {
            command.args(["--methods", self.judged[0]]);
        }
        command
    }
}
