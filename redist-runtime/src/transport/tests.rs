//! Helpers that tests of several ways share.

use super::threads::Rank;
use super::{
    Access, Arrays, Lent, MessageSizes, Options, Partners, Proposal, RankGroup, Source, Target,
};
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::schedule::Method;

/// Opens a channel between threads, shares this rank's array, and lets `copy` read all ranks'
/// arrays.
pub fn lend(
    rank: &Rank,
    source: &[u8],
    copy: impl FnOnce(Lent<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut channel = rank.open(Ok(Proposal {
        element: ElementType::of::<u8>(),
        numbers: &[],
        description: format_args!(""),
        method: Method::AllAtOnce,
        arrays: &Default::default(),
        partners: &|| Partners::new(rank.rank(), rank.size(), |_, _| true),
        options: &Options::default(),
        sizes: MessageSizes::NEVER,
    }))?;
    let mut arrays = Arrays { source: Source::Own(source), target: Target::Own(&mut []) };
    // SAFETY: the access is dropped before this returns or unwinds.
    match unsafe { channel.meet(Ok(()), &mut arrays) }? {
        Access::Lent(lent) => copy(lent),
        _ => panic!("all ranks share"),
    }
}
