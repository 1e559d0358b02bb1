//! How two programs get to know each other's layouts.

use super::greeting;
use super::parts::{ArrayPart, CommonPart};
use crate::error::Error;
use crate::layout::Layout;
use crate::plan::Side;
use crate::transport::mpi::Coupling;
use crate::transport::wire::WireError;

impl Coupling {
    /// As [`handshake`](Coupling::handshake), of programs that hold parts of one array: each tells
    /// which, and how it has dealt that to its ranks, and gets what both have. A plan of these
    /// layouts and extents moves that, between arrays that each program allocates for all of its
    /// part, whichever programs it is coupled with. `None`, for both, where the parts have nothing
    /// in common.
    ///
    /// Several programs can produce one array, and several consume it, coupled in pairs.
    ///
    /// # Errors
    /// As [`handshake`](Coupling::handshake); a layout that is already that of a section, or that
    /// permutes axes; a part that ends past the largest index.
    pub fn handshake_of_parts<const D: usize>(
        &self,
        own: Layout<D>,
        part: ArrayPart<D>,
    ) -> Result<Option<CommonPart<D>>, Error> {
        let is_whole = own.of.is_none() && own.axes.is_sorted();
        // Where this program's layout will not do, the other is told by what makes no sense.
        let told = if is_whole {
            greeting::written_place(&(part.at, part.extents))
        } else {
            String::new()
        };
        let [from, to] = self.exchange(told.as_bytes())?;
        if !is_whole {
            let text = format!("`{own}` is not a layout of the whole part, with its axes in order");
            return Err(self.disagreement(text));
        }
        let places =
            [self.read(greeting::read_place(&from))?, self.read(greeting::read_place(&to))?];
        let common = greeting::common(places).map_err(|text| self.disagreement(text))?;
        let Some((at, extents)) = common else { return Ok(None) };
        let inside = std::array::from_fn(|dimension| at[dimension] - part.at[dimension]);
        let own = own.of(part.extents).at(inside);
        let (peer, extents) = self.handshake(own, Some(extents))?;
        let (from, to) = if self.role() == Side::Source { (own, peer) } else { (peer, own) };
        Ok(Some(CommonPart { part: ArrayPart { at, extents }, from, to }))
    }

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
        let told = [self.read(greeting::read(&from))?, self.read(greeting::read(&to))?];
        let ([from, to], extents) = greeting::settled(told, self.producers(), self.size())
            .map_err(|text| self.disagreement(text))?;
        Ok((if self.role() == Side::Source { to } else { from }, extents))
    }

    /// What was read of the other program's bytes, with this rank's words where it makes no sense.
    fn read<T>(&self, read: Result<T, WireError>) -> Result<T, Error> {
        read.map_err(|error| match error {
            WireError::Malformed(text) => self.disagreement(text),
            error => error.told_by(self.rank()),
        })
    }

    fn disagreement(&self, text: String) -> Error {
        Error::Coupling { rank: self.rank(), reason: text }
    }
}
