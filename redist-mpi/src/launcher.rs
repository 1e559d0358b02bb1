//! The launcher of this process, if the environment names it.

use std::env;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launcher {
    /// `true` if it is Open MPI's; else it is one that speaks to MPICH.
    pub is_open_mpi: bool,
    pub ranks: usize,
}

impl Launcher {
    pub fn of_this_process() -> Option<Self> {
        Self::told(|name| env::var(name).ok())
    }

    fn told(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let ranks = |name| variable(name)?.trim().parse().ok();
        let of = |is_open_mpi| move |ranks| Self { is_open_mpi, ranks };
        ranks("OMPI_COMM_WORLD_SIZE").map(of(true)).or_else(|| ranks("PMI_SIZE").map(of(false)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_tells_the_launcher() {
        let told = |name: &'static str, value: &'static str| {
            Launcher::told(|asked| (asked == name).then(|| value.to_owned()))
        };
        let launcher = |is_open_mpi, ranks| Some(Launcher { is_open_mpi, ranks });
        assert_eq!(told("OMPI_COMM_WORLD_SIZE", "4"), launcher(true, 4));
        assert_eq!(told("PMI_SIZE", " 2\n"), launcher(false, 2));
        assert_eq!(told("PMI_SIZE", "many"), None);
        assert_eq!(told("HOME", "1"), None);
    }
}
