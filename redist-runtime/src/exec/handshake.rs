//! How two programs get to know each other's layouts.

use crate::error::Error;
use crate::layout::{Layout, NotationError};
use crate::plan::Side;
use crate::transport::mpi::Coupling;
use std::ops::Range;

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
    /// of dimensions, or on ranks that are not its program's; what the library says.
    pub fn handshake<const D: usize>(
        &self,
        own: Layout<D>,
        extents: Option<[usize; D]>,
    ) -> Result<(Layout<D>, [usize; D]), Error> {
        let ours =
            format!("{own}; {}", extents.map_or(String::new(), |extents| format!("{extents:?}")));
        let [from, to] = self.exchange_texts(&ours)?;
        let (from, to) = (self.parse::<D>(&from)?, self.parse::<D>(&to)?);
        self.check_ranks(Side::Source, &from.0, 0..self.producers())?;
        self.check_ranks(Side::Destination, &to.0, self.producers()..self.size())?;
        let extents = match (from.1, to.1) {
            (Some(a), Some(b)) if a != b => {
                return Err(self.disagreement(format!(
                    "the producer's array has extents {a:?}, the consumer's {b:?}"
                )));
            }
            (Some(extents), _) | (None, Some(extents)) => extents,
            (None, None) => {
                return Err(
                    self.disagreement("neither program knows the extents of the array".into())
                );
            }
        };
        Ok((if self.role() == Side::Source { to.0 } else { from.0 }, extents))
    }

    /// A layout on the other program's ranks would have them hold what they know nothing of.
    fn check_ranks<const D: usize>(
        &self,
        side: Side,
        layout: &Layout<D>,
        own: Range<usize>,
    ) -> Result<(), Error> {
        let (first, grid) = (layout.ranks_from, layout.grid);
        let ranks = grid.iter().try_fold(1, |ranks: usize, &extent| ranks.checked_mul(extent));
        match ranks.and_then(|ranks| first.checked_add(ranks)) {
            Some(end) if first >= own.start && end <= own.end => Ok(()),
            _ => {
                let text =
                    format!("the {side}'s ranks are {own:?} here, but its layout is `{layout}`");
                Err(self.disagreement(text))
            }
        }
    }

    fn parse<const D: usize>(&self, text: &str) -> Result<(Layout<D>, Option<[usize; D]>), Error> {
        let (layout, extents) = text.split_once("; ").unwrap_or((text, ""));
        let no_layout =
            |error: NotationError| format!("`{layout}` is no layout here: {}", error.message);
        let layout = layout.parse().map_err(|error| self.disagreement(no_layout(error)))?;
        let numbers: Vec<usize> = extents
            .trim_matches(['[', ']'])
            .split(", ")
            .filter_map(|number| number.parse().ok())
            .collect();
        Ok((layout, numbers.try_into().ok()))
    }

    fn disagreement(&self, text: String) -> Error {
        Error::Coupling { rank: self.rank(), reason: text }
    }
}
