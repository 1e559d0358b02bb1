//! Moves arrays of the crate `ndarray`.

use super::Bound;
use super::mover::Mover;
use crate::element::Element;
use crate::error::Error;
use crate::plan::Side;
use crate::program::StridedArray;
use ndarray::{Array, ArrayRef, ArrayViewMut, Dim, Dimension, IntoDimension, ShapeBuilder};

impl<T: Element, const D: usize> Bound<T, D> {
    /// Makes an array of the crate `ndarray` for this rank's part: in its storage order (C or
    /// Fortran), of [`local_shape`](Bound::local_shape), padding included. Every element is
    /// `value`. Not collective.
    ///
    /// # Errors
    /// [`strides`](super::Binder::strides) leave gaps, but an array fills its memory.
    pub fn array(&self, side: Side, value: T) -> Result<Array<T, Dim<[usize; D]>>, Error>
    where
        [usize; D]: IntoDimension<Dim = Dim<[usize; D]>>,
        Dim<[usize; D]>: Dimension,
    {
        let (shape, strides) = (self.local_shape(side), self.local(side).strides());
        let gaps = || Error::ArrayGaps { rank: self.rank(), side };
        let len = shape.iter().fold(1, |len: usize, extent| len.saturating_mul(*extent));
        if len < self.local_len(side) {
            return Err(gaps());
        }
        let (shape, strides) = (shape.into_dimension(), strides.into_dimension());
        let elements = vec![value; len];
        let made = match len {
            // Strides of empty arrays are 0 here; `ndarray` has none.
            0 => Array::from_shape_vec(shape, elements),
            _ => Array::from_shape_vec(shape.strides(strides), elements),
        };
        made.map_err(|_| gaps())
    }

    /// Runs as [`run`](Bound::run), between `ndarray` arrays or views of any dimension type, of
    /// [`local_shape`](Bound::local_shape) and the strides of [`local`](Bound::local).
    /// [`array`](Bound::array) makes such arrays. A rank that holds nothing may pass any empty
    /// array. Collective.
    ///
    /// A source may be a view with gaps, such as the interior of a halo; the bound plan first
    /// gathers its elements into a buffer. A destination has no gaps, because other code may own
    /// their content. Pass the whole array and select its box by [`within`](super::Binder::within).
    /// This also saves the source's copy.
    ///
    /// ```
    /// # use redist_runtime as redist;
    /// use ndarray::{Array2, s};
    /// use redist::{Error, Redistribution, TypedPlan, Side, threads};
    ///
    /// let plan = TypedPlan::<f64, 2>::parse([8, 6], "(block, block) onto (2, 2)", "(block, *) onto 4")?;
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
    /// The errors of [`run`](Bound::run). Also if an array has another shape or has gaps.
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
            // The other ranks receive the error.
            Err(mut error) => {
                if let Error::ArrayShape { exchanged, .. } = &mut error {
                    let fits = |side, shape, strides| self.mover.fits(side, shape, strides).is_ok();
                    *exchanged = fits(from, destination.shape(), destination.strides())
                        && fits(to, source.shape(), source.strides());
                }
                self.mover.decline(error)
            }
        };
        self.gathered = gathered;
        moved
    }

    fn has_gaps<A: Dimension>(&self, array: &ArrayRef<T, A>, side: Side) -> bool {
        array.as_slice_memory_order().is_none()
            && array.shape() == self.plan.descriptor(side).local(self.rank()).extents()
            && array.strides().iter().all(|stride| *stride > 0)
    }
}

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
    fn fits(&self, side: Side, shape: &[usize], strides: &[isize]) -> Result<(), Error> {
        let array: &StridedArray = self.array(side);
        let is_empty = array.len == 0 && shape.contains(&0);
        // A single index never uses its stride.
        let mut axes = shape.iter().zip(strides).zip(&array.strides);
        let same = |((extent, found), wanted): ((&usize, &isize), &usize)| {
            *extent <= 1 || usize::try_from(*found) == Ok(*wanted)
        };
        match is_empty || shape == array.shape && axes.all(same) {
            true => Ok(()),
            false => Err(self.misfit(side, shape, strides)),
        }
    }
}
