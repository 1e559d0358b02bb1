//! Ranks that share the work of a run: each plans alike, works on a share, and hears of all failures.

use super::error::FilesError;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Ranks that share the work of a run. All of them make the same calls in one order.
pub trait Peers {
    /// Returns the number of this rank.
    fn rank(&self) -> usize;

    /// Returns the number of ranks.
    fn ranks(&self) -> usize;

    /// Brings the words of all ranks to rank 0, by rank; other ranks get none.
    ///
    /// # Errors
    /// A rank is lost.
    fn gather(&self, words: Vec<u8>) -> Result<Vec<Vec<u8>>, String>;

    /// Brings the words of rank 0 to all ranks that are left, whatever the others bring.
    ///
    /// # Errors
    /// A rank is lost.
    fn tell(&self, words: Vec<u8>) -> Result<Vec<u8>, String>;
}

/// One rank, which does all the work.
#[derive(Clone, Copy, Debug, Default)]
pub struct Alone;

impl Peers for Alone {
    fn rank(&self) -> usize {
        0
    }

    fn ranks(&self) -> usize {
        1
    }

    fn gather(&self, words: Vec<u8>) -> Result<Vec<Vec<u8>>, String> {
        Ok(vec![words])
    }

    fn tell(&self, words: Vec<u8>) -> Result<Vec<u8>, String> {
        Ok(words)
    }
}

/// Ranks, and how far apart they are.
#[derive(Clone, Copy)]
pub struct Team<'a> {
    pub peers: &'a dyn Peers,
    /// `true` if they are on several machines.
    pub is_far: bool,
}

impl Team<'_> {
    pub fn alone() -> Self {
        Self { peers: &Alone, is_far: false }
    }

    pub fn is_first(&self) -> bool {
        self.peers.rank() == 0
    }
}

/// Ends a step of all ranks: fails on each of them if it has failed on one, in the words of that rank.
/// Collective.
///
/// # Errors
/// The step has failed on a rank.
pub fn agreed(peers: &dyn Peers, own: Result<(), FilesError>) -> Result<(), FilesError> {
    agree(peers, own, |_| Ok(()))
}

/// Ends a step of all ranks, each of which keeps what it has.
pub fn settled<T>(peers: &dyn Peers, own: Result<T, FilesError>) -> Result<T, FilesError> {
    agreed(peers, own.as_ref().map(|_| ()).map_err(Clone::clone))?;
    own
}

/// Ends a step of all ranks. If it was well on all, rank 0 joins what they bring, and tells all ranks.
pub fn agree<T, U>(
    peers: &dyn Peers,
    own: Result<T, FilesError>,
    join: impl FnOnce(Vec<T>) -> Result<U, FilesError>,
) -> Result<U, FilesError>
where
    T: Serialize + DeserializeOwned,
    U: Serialize + DeserializeOwned,
{
    if peers.ranks() == 1 {
        return join(vec![own?]);
    }
    let brought = peers.gather(encoded(&own)).map_err(lost);
    // Ranks that are left hear of one that is lost.
    first(peers, || {
        let brought = brought?;
        let all = brought.iter().map(|words| decoded(words)).collect();
        join(all_well(all)?)
    })
}

/// Does a step on rank 0 alone, which tells all ranks how it went.
pub fn first<U: Serialize + DeserializeOwned>(
    peers: &dyn Peers,
    act: impl FnOnce() -> Result<U, FilesError>,
) -> Result<U, FilesError> {
    if peers.ranks() == 1 {
        return act();
    }
    let own = if peers.rank() == 0 { encoded(&act()) } else { Vec::new() };
    decoded(&peers.tell(own).map_err(lost)?)
}

/// Returns what all ranks bring, or the failure of the first rank that has failed. The rank is named
/// unless all have failed in the same words.
fn all_well<T>(all: Vec<Result<T, FilesError>>) -> Result<Vec<T>, FilesError> {
    let ranks = all.len();
    let (mut well, mut failed) = (Vec::with_capacity(ranks), Vec::new());
    for (rank, own) in all.into_iter().enumerate() {
        match own {
            Ok(own) => well.push(own),
            Err(error) => failed.push((rank, error)),
        }
    }
    let Some((rank, error)) = failed.first() else { return Ok(well) };
    if failed.len() == ranks && failed.iter().all(|(_, other)| other == error) {
        return Err(error.clone());
    }
    let more = match failed.len() - 1 {
        0 => String::new(),
        1 => "; one more rank has failed".into(),
        more => format!("; {more} more ranks have failed"),
    };
    Err(error.clone().with(|words| format!("rank {rank}: {words}{more}")))
}

fn lost(words: String) -> FilesError {
    FilesError::Failed(format!("ranks do not hear of each other any more: {words}"))
}

fn encoded<T: Serialize>(own: &Result<T, FilesError>) -> Vec<u8> {
    serde_json::to_vec(own).unwrap_or_default()
}

fn decoded<T: DeserializeOwned>(words: &[u8]) -> Result<T, FilesError> {
    let unknown = |error| {
        FilesError::Failed(format!(
            "the words of a rank are not understood; start the same version of `redist` on all ranks \
             ({error})"
        ))
    };
    serde_json::from_slice::<Result<T, FilesError>>(words).map_err(unknown)?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failed(words: &str) -> Result<u8, FilesError> {
        Err(FilesError::Failed(words.into()))
    }

    #[test]
    fn the_first_failure_is_told_with_its_rank() {
        let told = |all| all_well(all).map_err(|error| error.to_string());
        assert_eq!(told(vec![Ok(1), Ok(2)]), Ok(vec![1, 2]));
        assert_eq!(told(vec![Ok(1), failed("full")]), Err("rank 1: full".into()));
        assert_eq!(told(vec![failed("full"), failed("full")]), Err("full".into()));
        let both = told(vec![Ok(1), failed("full"), failed("gone")]);
        assert_eq!(both, Err("rank 1: full; one more rank has failed".into()));
    }

    #[test]
    fn words_of_another_version_are_an_error() {
        let own = encoded(&Ok(vec![7u8]));
        assert_eq!(decoded::<Vec<u8>>(&own), Ok(vec![7]));
        let told = decoded::<Vec<String>>(&own).expect_err("other words").to_string();
        assert!(told.contains("same version"), "{told}");
        let asked = Err::<(), _>(FilesError::Asked("no".into()));
        assert_eq!(decoded::<()>(&encoded(&asked)), asked);
    }
}
