//! The shared arrays that a rank brings to a move.

use super::communicator::OwnCommunicator;
use super::shared::SharedBytes;
use crate::error::Error;
use crate::plan::Side;
use crate::transport::{Arrays, Source, Target};

pub(super) fn shared<'a>(arrays: &'a Arrays<'_>) -> [Option<&'a SharedBytes>; 2] {
    let source = match &arrays.source {
        Source::Shared(array) => Some(*array),
        Source::Own(_) => None,
    };
    let target = match &arrays.target {
        Target::Shared(array) => Some(&**array),
        Target::Own(_) | Target::Kept => None,
    };
    [source, target]
}

/// Checks that this rank's shared arrays are of the ranks of a plan, and makes its writes visible
/// to those it meets next.
pub(super) fn recognised(arrays: &Arrays<'_>, communicator: &OwnCommunicator) -> Result<(), Error> {
    for (side, array) in [Side::Source, Side::Destination].into_iter().zip(shared(arrays)) {
        let Some(array) = array else { continue };
        array.check_that_it_is_ours();
        if !array.belongs_to(communicator)? {
            return Err(Error::ForeignArray { rank: communicator.rank(), side });
        }
        array.synchronise()?;
    }
    Ok(())
}
