//! All ranks compare what they bring before anything moves, in a number of messages logarithmic in their number.

use super::communicator::OwnCommunicator;
use super::fragments::fragment_size;
use super::route::Route;
use crate::element::Element;
use crate::error::Error;
use crate::plan::Digest;
use crate::plan::schedule::Method;
use crate::transport::Proposal;
use std::any::type_name;

/// The proposal, if every rank could prepare and all propose the same. Collective; all ranks fail alike.
pub(super) fn agreed<'a, T: Element>(
    communicator: &OwnCommunicator,
    proposal: Result<Proposal<'a>, Error>,
    route: Route,
) -> Result<Proposal<'a>, Error> {
    all_prepared(communicator, proposal.as_ref().err())?;
    let proposal = proposal?;
    same_element::<T>(communicator)?;
    same_plan(communicator, proposal.digest, proposal.method)?;
    same_route(communicator, route)?;
    Ok(proposal)
}

/// Nothing, if every rank could prepare. Collective; all ranks fail alike.
pub(super) fn all_prepared(communicator: &OwnCommunicator, error: Option<&Error>) -> Result<(), Error> {
    match lowest(communicator, error.is_some())? {
        Some(rank) => Err(failure_of(communicator, rank, error)?),
        None => Ok(()),
    }
}

/// What a rank says of another that failed, or of itself. Collective.
pub(super) fn failure_of(communicator: &OwnCommunicator, rank: usize, own: Option<&Error>) -> Result<Error, Error> {
    let text = own.map(Error::to_string).unwrap_or_default();
    let reason = communicator.broadcast_text(rank, &text)?;
    Ok(own.cloned().unwrap_or(Error::PeerFailed { rank, reason }))
}

fn same_element<T>(communicator: &OwnCommunicator) -> Result<(), Error> {
    let ours = communicator.broadcast_text(0, type_name::<T>())?;
    let Some(rank) = lowest(communicator, ours != type_name::<T>())? else { return Ok(()) };
    let theirs = communicator.broadcast_text(rank, type_name::<T>())?;
    Err(Error::DifferentElement { rank, theirs, here: 0, ours })
}

fn same_route(communicator: &OwnCommunicator, route: Route) -> Result<(), Error> {
    let mine = match route {
        Route::Fragments | Route::Automatic => format!("{route} ({} bytes a fragment)", fragment_size()),
        _ => route.to_string(),
    };
    let ours = communicator.broadcast_text(0, &mine)?;
    let Some(rank) = lowest(communicator, ours != mine)? else { return Ok(()) };
    let theirs = communicator.broadcast_text(rank, &mine)?;
    Err(Error::DifferentRoute { rank, theirs, here: 0, ours })
}

fn same_plan(communicator: &OwnCommunicator, digest: Digest, method: Method) -> Result<(), Error> {
    let word = Method::ALL.iter().position(|other| *other == method).unwrap_or_default() as u64;
    let [least, most, first, last] = communicator.minima([digest.0, !digest.0, word, !word])?;
    if least != !most {
        return different_plan(communicator, digest);
    }
    if first != !last { different_schedule(communicator, method) } else { Ok(()) }
}

fn different_plan(communicator: &OwnCommunicator, digest: Digest) -> Result<(), Error> {
    let parse = |text: String| Digest(u64::from_str_radix(&text, 16).unwrap_or_default());
    let ours = parse(communicator.broadcast_text(0, &digest.to_string())?);
    let Some(rank) = lowest(communicator, digest != ours)? else { return Ok(()) };
    let theirs = parse(communicator.broadcast_text(rank, &digest.to_string())?);
    Err(Error::DifferentPlan { rank, theirs, here: 0, ours })
}

fn different_schedule(communicator: &OwnCommunicator, method: Method) -> Result<(), Error> {
    let parse = |text: String| Method::ALL.into_iter().find(|method| method.to_string() == text).unwrap_or(method);
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
