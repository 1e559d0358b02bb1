//! All ranks compare what they bring before anything moves, in a number of messages logarithmic in
//! their number.

use super::communicator::OwnCommunicator;
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::transport::{Options, Proposal};

/// The proposal, if every rank could prepare and all propose the same. Collective; all ranks fail
/// alike.
///
/// Everything is compared at once; what differs is only asked for where something does.
pub(super) fn agreed<'a>(
    communicator: &OwnCommunicator,
    proposal: Result<Proposal<'a>, Error>,
) -> Result<Proposal<'a>, Error> {
    let none = communicator.size() as u64;
    let unprepared = if proposal.is_err() { communicator.rank() as u64 } else { none };
    let [element, digest, method, options] = words(proposal.as_ref().ok());
    let mine = [unprepared, element, !element, digest, !digest, method, !method, options, !options];
    let [
        failed,
        element,
        not_element,
        digest,
        not_digest,
        method,
        not_method,
        options,
        not_options,
    ] = communicator.minima(mine)?;
    if failed < none {
        return Err(failure_of(communicator, failed as usize, proposal.as_ref().err())?);
    }
    let proposal = proposal?;
    if element != !not_element {
        different_element(communicator, proposal.element)?;
    }
    if digest != !not_digest {
        different_plan(communicator, &proposal)?;
    }
    if method != !not_method {
        different_schedule(communicator, proposal.method)?;
    }
    if options != !not_options {
        different_options(communicator, &proposal)?;
    }
    Ok(proposal)
}

/// Element type, plan, schedule and options in a word each.
fn words(proposal: Option<&Proposal<'_>>) -> [u64; 4] {
    let Some(Proposal { element, digest, method, options, .. }) = proposal else { return [0; 4] };
    let method = Method::ALL.iter().position(|other| other == method).unwrap_or_default() as u64;
    [fingerprint(&described(*element)), digest.0, method, fingerprint(&in_words(options))]
}

/// FNV-1a: the same whatever built the program.
fn fingerprint(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |state, byte| {
        (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Nothing, if every rank could prepare. Collective; all ranks fail alike.
pub(super) fn all_prepared(
    communicator: &OwnCommunicator,
    error: Option<&Error>,
) -> Result<(), Error> {
    match lowest(communicator, error.is_some())? {
        Some(rank) => Err(failure_of(communicator, rank, error)?),
        None => Ok(()),
    }
}

/// What a rank says of another that failed, or of itself. Collective.
pub(super) fn failure_of(
    communicator: &OwnCommunicator,
    rank: usize,
    own: Option<&Error>,
) -> Result<Error, Error> {
    let text = own.map(Error::reason).unwrap_or_default();
    let reason = communicator.broadcast_text(rank, &text)?;
    Ok(own.cloned().unwrap_or(Error::PeerFailed { rank, reason }))
}

/// An element type in words that tell it from any other of the same name.
fn described(element: ElementType) -> String {
    let (bytes, alignment) = (element.bytes(), element.alignment());
    format!("{} (of {bytes} bytes, aligned to {alignment})", element.name())
}

/// By name, or where names are the same, by what else differs.
fn different_element(communicator: &OwnCommunicator, element: ElementType) -> Result<(), Error> {
    for mine in [element.name().to_owned(), described(element)] {
        let ours = communicator.broadcast_text(0, &mine)?;
        if let Some(rank) = lowest(communicator, ours != mine)? {
            let theirs = communicator.broadcast_text(rank, &mine)?;
            return Err(Error::DifferentElement { rank, theirs, here: 0, ours });
        }
    }
    Ok(())
}

/// Options in words, with the release: ranks of two programs may have been built with two, which
/// divide arrays differently.
fn in_words(options: &Options) -> String {
    format!("{options}, redist {}", env!("CARGO_PKG_VERSION"))
}

fn different_options(communicator: &OwnCommunicator, proposal: &Proposal<'_>) -> Result<(), Error> {
    let mine = in_words(proposal.options);
    let ours = communicator.broadcast_text(0, &mine)?;
    let Some(rank) = lowest(communicator, ours != mine)? else { return Ok(()) };
    let theirs = communicator.broadcast_text(rank, &mine)?;
    Err(Error::DifferentOptions { rank, theirs, here: 0, ours })
}

fn different_plan(communicator: &OwnCommunicator, proposal: &Proposal<'_>) -> Result<(), Error> {
    let digest = proposal.digest.to_string();
    let differs = communicator.broadcast_text(0, &digest)? != digest;
    let Some(rank) = lowest(communicator, differs)? else { return Ok(()) };
    let description = proposal.description.to_string();
    let ours = communicator.broadcast_text(0, &description)?;
    let theirs = communicator.broadcast_text(rank, &description)?;
    Err(Error::DifferentPlan { rank, theirs, here: 0, ours })
}

fn different_schedule(communicator: &OwnCommunicator, method: Method) -> Result<(), Error> {
    let parse = |text: String| {
        Method::ALL.into_iter().find(|method| method.to_string() == text).unwrap_or(method)
    };
    let ours = parse(communicator.broadcast_text(0, &method.to_string())?);
    let Some(rank) = lowest(communicator, method != ours)? else { return Ok(()) };
    let theirs = parse(communicator.broadcast_text(rank, &method.to_string())?);
    Err(Error::DifferentSchedule { rank, theirs, here: 0, ours })
}

/// The lowest rank that says yes. Collective.
pub(super) fn lowest(communicator: &OwnCommunicator, yes: bool) -> Result<Option<usize>, Error> {
    let none = communicator.size() as u64;
    let [lowest] = communicator.minima([if yes { communicator.rank() as u64 } else { none }])?;
    Ok((lowest < none).then_some(lowest as usize))
}
