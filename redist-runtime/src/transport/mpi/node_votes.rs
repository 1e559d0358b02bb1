//! Votes of the ranks of a node, where there are several nodes.
//!
//! Unsafe, since the memory is the library's.

use super::communicator::OwnCommunicator;
use super::preflight::all_prepared;
use super::vote::Maxima;
use super::window::Window;
use crate::error::Error;
use crate::transport::ballots::{self, Ballots};
use crate::transport::nodes::Nodes;

/// Memory in which the ranks of this node vote; `None` where a node has none. Collective over all
/// ranks, `own`.
pub(super) fn ballots(
    own: &OwnCommunicator,
    node: &OwnCommunicator,
    nodes: &Nodes,
) -> Result<Option<(Ballots<Maxima>, Window)>, Error> {
    let Some((window, parts)) = Window::on_pages(own, node, ballots::PART_BYTES)? else {
        return Ok(None);
    };
    let names = nodes.members(nodes.of(own.rank())).to_vec();
    // SAFETY: each part has that many bytes from an address on that is a multiple of a page, in a
    // window of the ranks of this node alone, all of which come here. It is closed when votes in it
    // are over (`Context::close`), and forgotten otherwise. No rank goes on before all have
    // met below, the window synchronised.
    let ballots = unsafe { Ballots::new(parts, names, node.rank()) };
    window.synchronise()?;
    all_prepared(own, None)?;
    Ok(Some((ballots, window)))
}
