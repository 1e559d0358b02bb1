//! Messages to a rank whose move fails. They are received, so that their senders go on.

use super::near::NodeEnd;
use super::transfers::Transfers;
use crate::error::Error;
use std::mem;
use std::thread;

/// Receives the messages of senders that do not refuse the move as well. Memory for messages is made
/// only if some come: a rank with a wrong array may lack it for those of the plan.
pub(super) fn receive_what_comes(
    transfers: &mut Transfers,
    near: &NodeEnd,
    senders: Vec<usize>,
) -> Result<(), Error> {
    let board = &near.progress.board;
    // Ranks of this node have told that they send, and a parcel does not tell of one sender.
    let is_sure = |rank: &usize| board.pages.is_here(*rank) || transfers.is_joined(*rank);
    let (sure, mut others): (Vec<usize>, Vec<usize>) = senders.into_iter().partition(is_sure);
    let mut has_memory = false;
    receive(transfers, near, &sure, &mut has_memory)?;
    while !others.is_empty() {
        board.pages.serve()?;
        let (coming, refusing) = first_words(transfers, near, &others)?;
        receive(transfers, near, &coming, &mut has_memory)?;
        others.retain(|rank| !coming.contains(rank) && !refusing.contains(rank));
        if has_memory {
            transfers.progress(false)?;
        }
        thread::yield_now();
    }
    if has_memory { transfers.all(near) } else { Ok(()) }
}

/// Begins to receive the messages of some ranks.
fn receive(
    transfers: &mut Transfers,
    near: &NodeEnd,
    ranks: &[usize],
    has_memory: &mut bool,
) -> Result<(), Error> {
    if ranks.is_empty() {
        return Ok(());
    }
    if !mem::replace(has_memory, true) {
        transfers.restart(near.progress.number());
    }
    transfers.receive(|rank| ranks.contains(&rank))
}

/// Returns the ranks of which a message has come, and those that refuse the move, or take no part.
fn first_words(
    transfers: &Transfers,
    near: &NodeEnd,
    ranks: &[usize],
) -> Result<(Vec<usize>, Vec<usize>), Error> {
    let (number, mut coming, mut refusing) = (near.progress.number(), Vec::new(), Vec::new());
    while let Some((rank, _)) = transfers.next_refusal(number)? {
        refusing.push(rank);
    }
    for rank in ranks {
        if transfers.has_refused(number, *rank) {
            refusing.push(*rank);
        } else if transfers.has_come(number, *rank)? {
            coming.push(*rank);
        } else if near.absence(*rank, false)?.is_some() {
            refusing.push(*rank);
        }
    }
    Ok((coming, refusing))
}
