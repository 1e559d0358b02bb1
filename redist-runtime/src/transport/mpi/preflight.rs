//! The comparison of all ranks' proposals before anything moves, in logarithmically many messages.

use super::communicator::OwnCommunicator;
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::transport::Proposal;
use crate::transport::wire::{self, Subject, Verdict, WireError};

/// This rank's proposal: a fixed number of words, to be replaced by the least over all ranks, and
/// all values.
pub(super) struct Preflight {
    /// Words that the least over all ranks replaces.
    words: [u64; wire::PREFLIGHT_WORDS],
    /// All values; `None` if this rank has no plan.
    body: Option<Vec<u64>>,
}

impl Preflight {
    /// Words of a rank among so many.
    pub fn of((rank, ranks): (usize, usize), proposal: &Result<Proposal<'_>, Error>) -> Self {
        let body = proposal.as_ref().ok().map(wire::body);
        let has_gaps = proposal.as_ref().is_ok_and(Proposal::has_gaps);
        Self { words: wire::head(rank, ranks, body.as_deref(), has_gaps), body }
    }

    pub fn words(&mut self) -> &mut [u64; wire::PREFLIGHT_WORDS] {
        &mut self.words
    }
}

/// Returns the proposal if every rank could prepare and all propose the same, with the lowest rank
/// whose local arrays are not dense. Collective; all ranks fail alike. Ranks have compared hashes,
/// whose least words `preflight` has, and compare all values if hashes agree.
pub(super) fn agreed<'a>(
    communicator: &OwnCommunicator,
    proposal: Result<Proposal<'a>, Error>,
    Preflight { words: least, body }: Preflight,
) -> Result<(Proposal<'a>, Option<usize>), Error> {
    let (rank, ranks) = (communicator.rank(), communicator.size());
    let verdict = wire::read_head(&least, ranks).map_err(|error| error.told_by(rank))?;
    let mut lowest_strided = None;
    let differs = match verdict {
        Verdict::Failed(failed) => {
            return Err(communicator.failure_of(failed, proposal.as_ref().err())?);
        }
        Verdict::OtherSetup => return Err(Error::DifferentMoves { rank }),
        Verdict::Differs(subject) => Some(subject),
        Verdict::Alike { strided, .. } => {
            lowest_strided = strided;
            values_differ(communicator, body.unwrap_or_default())?
        }
    };
    let proposal = proposal?;
    match differs {
        None => Ok((proposal, lowest_strided)),
        Some(subject) => Err(difference(communicator, &proposal, subject)?),
    }
}

/// Returns the subject that differs between ranks, whose bodies have the same length.
fn values_differ(
    communicator: &OwnCommunicator,
    mut body: Vec<u64>,
) -> Result<Option<Subject>, Error> {
    let words = body.len();
    body.extend_from_within(..);
    body[words..].iter_mut().for_each(|word| *word = !*word);
    communicator.minima_of(&mut body)?;
    wire::read_body(&body).map_err(|error| error.told_by(communicator.rank()))
}

/// Returns the same error about a difference on all ranks. Collective.
fn difference(
    communicator: &OwnCommunicator,
    proposal: &Proposal<'_>,
    subject: Subject,
) -> Result<Error, Error> {
    let texts = match subject {
        // By name, or by other properties if the names are the same.
        Subject::Element => vec![proposal.element.name().into(), described(proposal.element)],
        Subject::Plan => {
            vec![proposal.description.to_string(), format!("{:?}", proposal.numbers)]
        }
        Subject::Method => vec![proposal.method.to_string()],
        Subject::Options => vec![proposal.options.to_string()],
    };
    let found = different_texts(communicator, &texts)?;
    let method = |text: &str| Method::ALL.into_iter().find(|known| known.to_string() == text);
    let here = 0;
    let told = found.and_then(|(rank, theirs, ours)| {
        Some(match subject {
            Subject::Element => Error::DifferentElement { rank, theirs, here, ours },
            Subject::Plan => Error::DifferentPlan { rank, theirs, here, ours },
            Subject::Options => Error::DifferentOptions { rank, theirs, here, ours },
            Subject::Method => {
                let (theirs, ours) = (method(&theirs)?, method(&ours)?);
                Error::DifferentSchedule { rank, theirs, here, ours }
            }
        })
    });
    Ok(told.unwrap_or_else(|| {
        let text = format!("its {subject:?} differs, but not in words");
        WireError::Malformed(text).told_by(communicator.rank())
    }))
}

/// Returns what this rank has prepared, or the error of the lowest rank with one. Collective.
pub(super) fn all_prepared<T>(
    communicator: &OwnCommunicator,
    mine: Result<T, Error>,
) -> Result<T, Error> {
    match lowest(communicator, mine.is_err())? {
        Some(rank) => Err(communicator.failure_of(rank, mine.as_ref().err())?),
        None => mine,
    }
}

/// Describes an element type in words that distinguish it from others of the same name.
fn described(element: ElementType) -> String {
    let (bytes, alignment) = (element.bytes(), element.alignment());
    format!("{} (of {bytes} bytes, aligned to {alignment})", element.identity())
}

/// Returns the lowest rank that differs from rank 0, and both texts of the first one. Collective.
fn different_texts(
    communicator: &OwnCommunicator,
    texts: &[String],
) -> Result<Option<(usize, String, String)>, Error> {
    for mine in texts {
        let ours = communicator.broadcast_text(0, mine)?;
        if let Some(rank) = lowest(communicator, ours != *mine)? {
            let theirs = communicator.broadcast_text(rank, mine)?;
            return Ok(Some((rank, theirs, ours)));
        }
    }
    Ok(None)
}

pub(super) fn lowest(communicator: &OwnCommunicator, yes: bool) -> Result<Option<usize>, Error> {
    let none = communicator.size() as u64;
    let [lowest] = communicator.minima([if yes { communicator.rank() as u64 } else { none }])?;
    Ok((lowest < none).then_some(lowest as usize))
}
