//! The interfaces that MPI libraries have.

#[cfg(test)]
mod tests;

use std::fmt;

/// An interface of compiled programs to MPI.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Flavour {
    /// MPICH's, 3.1 and later, which Intel MPI, MVAPICH and Cray MPICH have as well.
    Mpich,
    /// Open MPI's, 3 and later.
    OpenMpi,
    /// The standard's, MPI 5.0, chapter 20: `libmpi_abi`.
    Standard,
    /// The standard's with two numbers of drafts before October 2025: `libmpi_abi` of Intel MPI up
    /// to 2021.19.
    Draft,
}

impl Flavour {
    /// Returns the interface of a library with this version text. `is_standard`: it has a version
    /// of the standard interface. `has_variables`: it exports variables as Open MPI does.
    pub(crate) fn of(version: &str, is_standard: bool, has_variables: bool) -> Option<Self> {
        const OF_MPICH: [&str; 5] = ["MPICH", "Intel(R) MPI", "MVAPICH", "ParaStation", "psmpi"];
        const TOO_OLD: [&str; 4] =
            ["Open MPI v1.", "Open MPI v2.", "MPICH Version:\t1.", "MPICH Version:\t2."];
        if TOO_OLD.iter().any(|old| version.starts_with(old)) {
            None
        } else if is_standard {
            Some(if is_draft(version) { Self::Draft } else { Self::Standard })
        } else if has_variables {
            Some(Self::OpenMpi)
        } else {
            OF_MPICH.iter().any(|name| version.contains(name)).then_some(Self::Mpich)
        }
    }
}

/// Returns `true` if a library with the standard's interface has the numbers of a draft. Only its
/// text shows that, because all say that their interface is 1.0.
fn is_draft(version: &str) -> bool {
    /// The last release that is known to have them.
    const LAST: u32 = 19;
    let minor = version
        .strip_prefix("Intel(R) MPI Library 2021.")
        .and_then(|rest| rest.split(|digit: char| !digit.is_ascii_digit()).next()?.parse().ok());
    minor.is_some_and(|minor: u32| minor <= LAST)
}

impl fmt::Display for Flavour {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Mpich => "the interface of MPICH",
            Self::OpenMpi => "the interface of Open MPI",
            Self::Standard => "the interface of MPI 5.0",
            Self::Draft => "the interface of MPI 5.0 as a draft numbers it",
        })
    }
}
