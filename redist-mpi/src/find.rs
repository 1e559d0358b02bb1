//! Finds the library: first among the libraries that the process has loaded, then among libraries
//! that it can load. Unsafe, because a library runs code of its own when it is loaded.

use crate::error::{LibraryError, VARIABLE};
use libloading::os::unix::{Library, RTLD_GLOBAL, RTLD_LAZY};
use std::ffi::{CString, c_void};
use std::{env, mem, ptr};

/// Names by which libraries are loaded, of Open MPI 3 and later.
const OPEN_MPI: &[&str] = match cfg!(target_vendor = "apple") {
    true => &["libmpi.40.dylib"],
    false => &["libmpi.so.40"],
};

/// Names of MPICH 3.1 and later, and of libraries with its interface; the last one is Debian's.
const MPICH: &[&str] = match cfg!(target_vendor = "apple") {
    true => &["libmpi.12.dylib"],
    false => &["libmpi.so.12", "libmpich.so.12"],
};

/// File names of libraries with the interface of MPI 5.0, the newest first.
const STANDARD: &[&str] = match cfg!(target_vendor = "apple") {
    true => &["libmpi_abi.1.dylib", "libmpi_abi.0.dylib"],
    false => &["libmpi_abi.so.1", "libmpi_abi.so.0"],
};

/// A library that stays loaded until the process ends.
pub(crate) struct Loaded {
    own: Library,
    /// The names that the program itself sees, if the library is among them. Tools that stand
    /// before the library, and the program's own copies of its variables, are found only there.
    program: Option<Library>,
    pub name: String,
}

impl Loaded {
    fn new(own: Library, name: impl Into<String>) -> Self {
        // Tools stand before other names than this one.
        let known = |library: &Library| symbol(library, "PMPI_Get_library_version");
        let program = Library::this();
        let is_seen = known(&own).is_some() && known(&own) == known(&program);
        Self { own, program: is_seen.then_some(program), name: name.into() }
    }

    pub fn address(&self, name: &str) -> Option<*const c_void> {
        self.program
            .as_ref()
            .and_then(|program| symbol(program, name))
            .or_else(|| symbol(&self.own, name))
    }

    /// Keeps the library loaded for good, and returns its name.
    pub fn stay(mut self) -> String {
        let name = mem::take(&mut self.name);
        mem::forget(self);
        name
    }
}

fn symbol(library: &Library, name: &str) -> Option<*const c_void> {
    let name = CString::new(name).ok()?;
    // SAFETY: this call only returns the address, and uses it as nothing.
    let symbol = unsafe { library.get::<*const c_void>(name.as_bytes_with_nul()) }.ok()?;
    let address = symbol.as_raw_ptr().cast_const();
    (!address.is_null()).then_some(address)
}

/// Returns the library that the variable names. Else it is a library that the process has loaded.
/// Else it is a library that the program is linked with under another name, or the first that loads
/// by its name.
pub(crate) fn find() -> Result<Loaded, LibraryError> {
    let mut loaded = loaded();
    if let Some(path) = env::var_os(VARIABLE).filter(|path| !path.is_empty()) {
        return named(&path.to_string_lossy(), loaded);
    }
    if loaded.len() > 1 {
        return Err(two(&loaded[0].name, &loaded[1].name));
    }
    loaded.pop().or_else(of_the_program).map_or_else(by_name, Ok)
}

fn two(first: &str, second: &str) -> LibraryError {
    LibraryError::Two { first: first.into(), second: second.into() }
}

fn named(path: &str, loaded: Vec<Loaded>) -> Result<Loaded, LibraryError> {
    if let Some(there) = open(path, libc::RTLD_NOLOAD) {
        return Ok(Loaded::new(there, path));
    }
    if let Some(other) = loaded.into_iter().next().or_else(of_the_program) {
        return Err(two(&other.name, path));
    }
    // SAFETY: the user names a library of MPI, made to be loaded by programs.
    unsafe { Library::open(Some(path), RTLD_LAZY | RTLD_GLOBAL) }
        .map(|library| Loaded::new(library, path))
        .map_err(|error| LibraryError::NotLoaded { path: path.into(), reason: reason(&error) })
}

/// Returns the system's text, which is in the source of the loader's error.
fn reason(error: &libloading::Error) -> String {
    std::error::Error::source(error).map_or_else(|| error.to_string(), ToString::to_string)
}

fn loaded() -> Vec<Loaded> {
    let mut found = Vec::<(*mut c_void, Loaded)>::new();
    for &name in STANDARD.iter().chain(OPEN_MPI).chain(MPICH) {
        let Some(library) = open(name, libc::RTLD_NOLOAD) else { continue };
        let handle = library.into_raw();
        if found.iter().all(|(other, _)| !ptr::eq(*other, handle)) {
            // SAFETY: `into_raw` has just given the handle up.
            found.push((handle, Loaded::new(unsafe { Library::from_raw(handle) }, name)));
        }
    }
    found.into_iter().map(|(_, library)| library).collect()
}

/// Returns the library that the program is linked with: as an archive, or by an unknown name.
fn of_the_program() -> Option<Loaded> {
    let library = Library::this();
    symbol(&library, "MPI_Get_library_version")?;
    Some(Loaded::new(library, "of the program itself"))
}

/// Returns the first that can be loaded: of the launcher's kind, if the environment shows that.
fn by_name() -> Result<Loaded, LibraryError> {
    let order = match Launcher::of_this_process() {
        Some(Launcher { is_open_mpi: false, .. }) => [MPICH, STANDARD, OPEN_MPI],
        _ => [OPEN_MPI, MPICH, STANDARD],
    };
    let names = || order.into_iter().flatten().copied();
    names()
        .find_map(|name| Some(Loaded::new(open(name, RTLD_GLOBAL)?, name)))
        .ok_or_else(|| LibraryError::NotFound { tried: names().collect::<Vec<_>>().join(", ") })
}

fn open(name: &str, flags: i32) -> Option<Library> {
    // SAFETY: with `RTLD_NOLOAD` nothing is loaded. Else it is a library of MPI by its name, made
    // to be loaded by programs.
    unsafe { Library::open(Some(name), RTLD_LAZY | flags) }.ok()
}

/// Returns `true` if a launcher has started this process as one of several ranks, by the environment,
/// or may have. No library is loaded for it.
pub fn is_launched() -> bool {
    Launcher::of_this_process().is_some_and(|launcher| launcher.ranks != Some(1))
}

/// The launcher of this process, if the environment names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Launcher {
    /// `true` for Open MPI's launcher; `false` for a launcher that speaks to MPICH.
    pub is_open_mpi: bool,
    /// Ranks of the job; `None` if the launcher does not say.
    pub ranks: Option<usize>,
}

/// Variables of launchers that do not say how many ranks there are, and whether Open MPI reads them.
const SILENT: [(&str, bool); 3] = [("PMIX_RANK", true), ("PMI_RANK", false), ("PMI_ID", false)];

/// Slurm's number of the processes that `srun` has started, whichever library they load.
const OF_SLURM: &str = "SLURM_STEP_NUM_TASKS";

impl Launcher {
    pub fn of_this_process() -> Option<Self> {
        Self::told(|name| env::var(name).ok())
    }

    fn told(variable: impl Fn(&str) -> Option<String>) -> Option<Self> {
        let ranks = |name| variable(name)?.trim().parse().ok();
        let of = |is_open_mpi| move |ranks| Self { is_open_mpi, ranks: Some(ranks) };
        let told = ranks("OMPI_COMM_WORLD_SIZE")
            .map(of(true))
            .or_else(|| ranks("PMI_SIZE").map(of(false)));
        told.or_else(|| {
            let silent = SILENT.iter().find(|(name, _)| variable(name).is_some());
            let ranks = ranks(OF_SLURM);
            let is_open_mpi = silent.is_none_or(|(_, is_open_mpi)| *is_open_mpi);
            (silent.is_some() || ranks.is_some()).then_some(Self { is_open_mpi, ranks })
        })
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
        assert_eq!(told("OMPI_COMM_WORLD_SIZE", "4"), launcher(true, Some(4)));
        assert_eq!(told("PMI_SIZE", " 2\n"), launcher(false, Some(2)));
        assert_eq!(told("PMI_SIZE", "many"), None);
        assert_eq!(told("PMIX_RANK", "0"), launcher(true, None));
        assert_eq!(told("PMI_ID", "1"), launcher(false, None));
        assert_eq!(told("SLURM_STEP_NUM_TASKS", "3"), launcher(true, Some(3)));
        assert_eq!(told("HOME", "1"), None);
    }
}
