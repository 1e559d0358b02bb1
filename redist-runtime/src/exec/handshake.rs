//! How two programs get to know each other's layouts.

use super::greeting;
use crate::error::Error;
use crate::layout::Layout;
use crate::plan::Side;
use crate::transport::mpi::Coupling;
use crate::transport::wire::WireError;

impl Coupling {
    /// Tells the other program this one's layout and the extents of the array, as far as it knows
    /// them, and gets the other's. Collective; its cost does not depend on the number of ranks but
    /// for the depth of a broadcast.
    ///
    /// The layout that comes back can be given to an item of `redistribute!`, or to
    /// [`RuntimePlan`](super::RuntimePlan), as it is.
    ///
    /// # Errors
    /// Neither program knows the extents, or they know different ones; a layout of another number
    /// of dimensions, or on ranks that are not its program's; [`Error::DifferentWire`] where the
    /// other program speaks another version of the wire format; what the library says.
    pub fn handshake<const D: usize>(
        &self,
        own: Layout<D>,
        extents: Option<[usize; D]>,
    ) -> Result<(Layout<D>, [usize; D]), Error> {
        let [from, to] = self.exchange(greeting::written(&(own, extents)).as_bytes())?;
        let told = [self.read(&from)?, self.read(&to)?];
        let ([from, to], extents) = greeting::settled(told, self.producers(), self.size())
            .map_err(|text| self.disagreement(text))?;
        Ok((if self.role() == Side::Source { to } else { from }, extents))
    }

    fn read<const D: usize>(&self, bytes: &[u8]) -> Result<greeting::Told<D>, Error> {
        greeting::read(bytes).map_err(|error| match error {
            WireError::Malformed(text) => self.disagreement(text),
            error => error.told_by(self.rank()),
        })
    }

    fn disagreement(&self, text: String) -> Error {
        Error::Coupling { rank: self.rank(), reason: text }
    }
}
