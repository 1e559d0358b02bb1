//! The MPI of a run, and the launches of its jobs. Ranks load the library of their launcher.

use crate::case::Launcher;
use crate::oversubscribed::cores;
use redist_mpi::{Flavour, Library};
use std::env;
use std::fmt;
use std::path::Path;
use std::process::Command;
use std::sync::OnceLock;

/// A launched harness must not pass these on, because its ranks would join the wrong job.
const INHERITED: [&str; 6] = ["OMPI_", "PMIX_", "PMI_", "HYDRA_", "HYDI_", "PRTE_"];

/// Settings of Open MPI. It refuses root without the first two, and more ranks than cores without
/// the third and fourth (for versions before and from 5). Ranks that share a core must yield it.
/// Containers forbid the fifth's direct copies.
const OPEN_MPI: [(&str, &str); 7] = [
    ("OMPI_ALLOW_RUN_AS_ROOT", "1"),
    ("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
    ("OMPI_MCA_rmaps_base_oversubscribe", "1"),
    ("PRTE_MCA_rmaps_default_mapping_policy", ":oversubscribe"),
    ("OMPI_MCA_btl_vader_single_copy_mechanism", "none"),
    ("OMPI_MCA_hwloc_base_binding_policy", "none"),
    ("OMPI_MCA_mpi_yield_when_idle", "1"),
];

const VARIABLE: &str = "REDIST_MPI_TESTS_OVER";

/// Returns the eager limit of this rank's MPI to another node, as far as the library relies on it.
pub fn unasked_bytes() -> usize {
    match Implementation::of_this_rank() {
        Implementation::OpenMpi => 60 << 10,
        Implementation::Mpich => 16 << 10,
    }
}

/// Returns `true` if this rank's MPI joins programs by ports. Debian's MPICH over UCX has none.
pub fn has_ports() -> bool {
    Implementation::of_this_rank() == Implementation::OpenMpi
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Implementation {
    OpenMpi,
    Mpich,
}

impl fmt::Display for Implementation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::OpenMpi => "openmpi",
            Self::Mpich => "mpich",
        })
    }
}

impl Implementation {
    const ALL: [Self; 2] = [Self::OpenMpi, Self::Mpich];

    /// Returns the harness's MPI: the MPI that [`VARIABLE`] names, or the first installed one.
    pub fn asked_for() -> Self {
        static ASKED_FOR: OnceLock<Implementation> = OnceLock::new();
        *ASKED_FOR.get_or_init(|| match env::var(VARIABLE) {
            Ok(name) => {
                let named = Self::ALL.into_iter().find(|one| one.to_string() == name);
                named.unwrap_or_else(|| panic!("{VARIABLE} is openmpi or mpich, not `{name}`"))
            }
            Err(_) => {
                let first = Self::ALL.into_iter().find(|one| is_installed(one.debian_launcher()));
                first.unwrap_or_else(Self::of_the_usual_launcher)
            }
        })
    }

    fn of_the_usual_launcher() -> Self {
        let said = Command::new("mpiexec").arg("--version").output();
        let text = said.map(|said| String::from_utf8_lossy(&said.stdout).into_owned());
        let is_open_mpi = |text: String| text.contains("Open MPI") || text.contains("OpenRTE");
        if text.is_ok_and(is_open_mpi) { Self::OpenMpi } else { Self::Mpich }
    }

    /// Returns the MPI that this rank has loaded.
    pub fn of_this_rank() -> Self {
        match library().flavour() {
            Flavour::OpenMpi => Self::OpenMpi,
            _ => Self::Mpich,
        }
    }

    fn other(self) -> Self {
        match self {
            Self::OpenMpi => Self::Mpich,
            Self::Mpich => Self::OpenMpi,
        }
    }

    /// Returns `true` if ranks keep their cores while they wait; Open MPI's, as set, do not.
    pub fn spins(self) -> bool {
        self == Self::Mpich
    }

    /// Returns the most ranks of a run: twice the cores, if they spin, or `REDIST_MPI_MOST_RANKS`.
    pub fn most_ranks(self) -> usize {
        let asked = env::var("REDIST_MPI_MOST_RANKS").ok().and_then(|text| text.parse().ok());
        let most = if self.spins() { (2 * cores()).max(4) } else { usize::MAX };
        asked.map_or(most, |asked: usize| asked.min(most))
    }

    /// Returns Debian's name, which distinguishes libraries that are installed side by side.
    fn debian_launcher(self) -> &'static str {
        match self {
            Self::OpenMpi => "mpiexec.openmpi",
            Self::Mpich => "mpiexec.mpich",
        }
    }

    fn debian_library(self) -> &'static str {
        match self {
            Self::OpenMpi => "libmpi.so.40",
            Self::Mpich => "libmpich.so.12",
        }
    }

    fn launcher(self) -> String {
        let usual = || {
            if is_installed(self.debian_launcher()) { self.debian_launcher() } else { "mpiexec" }
                .to_owned()
        };
        env::var("MPIEXEC").unwrap_or_else(|_| usual())
    }

    pub fn command(self, launcher: Launcher, program: &Path, ranks: &[usize]) -> Command {
        let (by, words) = match launcher {
            Launcher::Own => (self, self.launcher()),
            Launcher::Foreign => (self.other(), self.other().debian_launcher().to_owned()),
        };
        let mut words = words.split_whitespace().map(str::to_owned);
        let mut command = Command::new(words.next().unwrap_or_default());
        command.args(words);
        by.set_up(&mut command);
        if launcher == Launcher::Foreign {
            command.env(redist_mpi::VARIABLE, self.debian_library());
        }
        for (number, ranks) in ranks.iter().enumerate() {
            command.args((number > 0).then_some(":")).args(["-n", &ranks.to_string()]).arg(program);
        }
        command
    }

    fn set_up(self, command: &mut Command) {
        let names = env::vars_os().map(|(name, _)| name);
        for name in
            names.filter(|name| INHERITED.iter().any(|of| name.to_string_lossy().starts_with(of)))
        {
            command.env_remove(name);
        }
        match self {
            Self::OpenMpi => command.envs(OPEN_MPI).arg("--tag-output"),
            Self::Mpich => command.arg("-prepend-rank"),
        };
    }

    pub fn has(self, launcher: Launcher) -> bool {
        launcher == Launcher::Own || is_installed(self.other().debian_launcher())
    }
}

fn library() -> &'static Library {
    Library::get().expect("ranks have a library")
}

fn is_installed(program: &str) -> bool {
    env::var_os("PATH")
        .is_some_and(|path| env::split_paths(&path).any(|folder| folder.join(program).is_file()))
}
