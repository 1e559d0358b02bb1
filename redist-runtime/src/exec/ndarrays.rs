//! Arrays of the crate `ndarray`, moved as they are.

use super::Bound;
use super::mover::Mover;
use crate::element::Element;
use crate::error::Error;
use crate::plan::Side;
use crate::program::StridedArray;
use crate::transport::{Source, Target};
use ndarray::{Array, ArrayRef, ArrayViewMut, Dim, Dimension, IntoDimension, ShapeBuilder};

/// With the feature `ndarray`.
#[cfg(feature = "ndarray")]
impl<T: Element, const D: usize> Bound<T, D> {
    /// An array of the crate `ndarray` for this rank's part on one side, in the order of its storage
    /// (C or Fortran), of [`local_shape`](Bound::local_shape), with what the rank has said that it
    /// is padded with; every element is `value`.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::{Error, plan::Side, transport::threads};
    /// use ndarray::s;
    ///
    /// let plan = RuntimePlan::<f64, 2>::parse([6, 4], "(block, *) onto 3", "scalapack(2, 2, 1, 2)")?;
    /// threads::run(3, |rank| {
    ///     // Rows with a halo of one above and one below.
    ///     let mut bound = plan.binder().within(Side::Source, [4, 4], [1, 0]).bind(rank)?;
    ///     let mut rows = bound.array(Side::Source, -1.0)?;
    ///     rows.slice_mut(s![1..3, ..]).fill(rank.rank() as f64);
    ///     let mut tiles = bound.array(Side::Destination, 0.0)?;
    ///     bound.run_arrays(&rows, &mut tiles)?;
    ///     if rank.rank() < 2 {
    ///         assert_eq!((tiles.shape(), tiles.strides()), (&[6, 2][..], &[1, 6][..]));
    ///         assert_eq!(tiles.column(1).to_vec(), [0.0, 0.0, 1.0, 1.0, 2.0, 2.0]);
    ///     }
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::ArrayGaps`] where [`strides`](super::Binder::strides) leave gaps, so that the array is
    /// not the whole of its memory. Not collective.
    pub fn array(&self, side: Side, value: T) -> Result<Array<T, Dim<[usize; D]>>, Error>
    where
        [usize; D]: IntoDimension<Dim = Dim<[usize; D]>>,
        Dim<[usize; D]>: Dimension,
    {
        let (shape, strides) = (self.local_shape(side), self.local_strides(side));
        let gaps = || Error::ArrayGaps { rank: self.rank(), side };
        let len = shape.iter().fold(1, |len: usize, extent| len.saturating_mul(*extent));
        if len < self.local_len(side) {
            return Err(gaps());
        }
        let (shape, strides) = (shape.into_dimension(), strides.into_dimension());
        let elements = vec![value; len];
        let made = match len {
            // Strides of nothing are 0 here, which are none there.
            0 => Array::from_shape_vec(shape, elements),
            _ => Array::from_shape_vec(shape.strides(strides), elements),
        };
        made.map_err(|_| gaps())
    }

    /// As [`run`](Bound::run), between arrays of the crate `ndarray` or views of them, of any type of
    /// dimension: of [`local_shape`](Bound::local_shape) and [`local_strides`](Bound::local_strides),
    /// which [`array`](Bound::array) makes. A rank that holds nothing may bring any array without
    /// elements. Collective.
    ///
    /// A source may be a view with gaps, such as the interior of a halo: its elements are first copied to
    /// where the plan was bound to find them, in memory that what is bound keeps. A destination has
    /// none: what lies in its gaps may be other code's. Bring the whole array, and say which box of it is
    /// moved by [`within`](super::Binder::within), which spares a source that copy, too.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use ndarray::{Array2, s};
    /// use redist::exec::{Redistribution, RuntimePlan};
    /// use redist::{Error, plan::Side, transport::threads};
    ///
    /// let plan = RuntimePlan::<f64, 2>::parse([8, 6], "(block, block) onto (2, 2)", "(block, *) onto 4")?;
    /// threads::run(4, |rank| {
    ///     // Four rows and three columns, and a halo of one around them.
    ///     let mut halo = Array2::from_elem((6, 5), -1.0);
    ///     halo.slice_mut(s![1..5, 1..4]).fill(rank.rank() as f64);
    ///     let mut bound = plan.bind(rank)?;
    ///     let mut rows = bound.array(Side::Destination, 0.0)?;
    ///     bound.run_arrays(&halo.slice(s![1..5, 1..4]), &mut rows)?;
    ///     let left = f64::from(2 * (rank.rank() as u32 / 2));
    ///     assert_eq!(rows.row(1).to_vec(), [left, left, left, left + 1.0, left + 1.0, left + 1.0]);
    ///     Ok::<_, Error>(())
    /// })?;
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// As [`run`](Bound::run); [`Error::ArrayShape`] and [`Error::ArrayGaps`] where an array is
    /// another one.
    pub fn run_arrays<A: Dimension, B: Dimension>(
        &mut self,
        source: &ArrayRef<T, A>,
        destination: &mut ArrayRef<T, B>,
    ) -> Result<(), Error> {
        let (from, to) = (Side::Source, Side::Destination);
        let has_gaps = self.has_gaps(source, from);
        let fits = match has_gaps {
            true => Ok(()),
            false => self.mover.fits(from, source.shape(), source.strides()),
        };
        let rank = self.rank();
        let gaps = |side| Error::ArrayGaps { rank, side };
        let mut gathered = core::mem::take(&mut self.gathered);
        let slices = fits.and_then(|()| {
            if self.has_gaps(destination, to) {
                return Err(gaps(to));
            }
            self.mover.fits(to, destination.shape(), destination.strides())?;
            let source = match has_gaps {
                true => gather(source, self.mover.array(from), &mut gathered),
                false => source.as_slice_memory_order(),
            };
            let destination = destination.as_slice_memory_order_mut();
            Ok((source.ok_or(gaps(from))?, destination.ok_or(gaps(to))?))
        });
        let moved = match slices {
            Ok((source, destination)) => self.run(source, destination),
            // The others learn of it.
            Err(error) => self.mover.run(Err(error), Source::Own(&[]), Target::Own(&mut [])),
        };
        self.gathered = gathered;
        moved
    }

    /// True where an array is a view of this rank's part, with more between its elements.
    fn has_gaps<A: Dimension>(&self, array: &ArrayRef<T, A>, side: Side) -> bool {
        array.as_slice_memory_order().is_none()
            && array.shape() == self.plan.local(side, self.rank()).extents()
            && array.strides().iter().all(|stride| *stride > 0)
    }
}

/// The elements of a view, where the plan was bound to find them.
fn gather<'a, T: Element, A: Dimension>(
    view: &ArrayRef<T, A>,
    array: &StridedArray,
    memory: &'a mut Vec<T>,
) -> Option<&'a [T]> {
    memory.resize(array.len, T::ZERO);
    let mut strides = view.raw_dim();
    strides.slice_mut().copy_from_slice(&array.strides);
    let shape = view.raw_dim().strides(strides);
    ArrayViewMut::from_shape(shape, &mut memory[array.first..]).ok()?.assign(view);
    Some(memory)
}

impl Mover {
    /// Whether an array has the shape that holds this rank's, and its strides.
    fn fits(&self, side: Side, shape: &[usize], strides: &[isize]) -> Result<(), Error> {
        let array: &StridedArray = self.array(side);
        let is_empty = array.len == 0 && shape.contains(&0);
        // Where there is but one index, its stride is never used.
        let mut axes = shape.iter().zip(strides).zip(&array.strides);
        let same = |((extent, found), wanted): ((&usize, &isize), &usize)| {
            *extent <= 1 || usize::try_from(*found) == Ok(*wanted)
        };
        if is_empty || shape == array.shape && axes.all(same) {
            return Ok(());
        }
        Err(Error::ArrayShape {
            rank: self.rank(),
            side,
            shape: array.shape.clone(),
            strides: array.strides.clone(),
            found_shape: shape.to_vec(),
            found_strides: strides.to_vec(),
        })
    }
}
