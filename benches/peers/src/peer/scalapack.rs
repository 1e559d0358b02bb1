//! ScaLAPACK's own routine, which plans in every call.

use super::Context;
use redist::Redistribution;
use redist::layout::RankOrder;
use redist_moves::arrays::Scalar;
use redist_moves::peer::{Geometry, Peer};
use redist_scalapack::{Descriptor, Grid, Matrix, gemr2d};

/// The way by ScaLAPACK's `p?gemr2d`.
struct Gemr2d {
    /// M and N.
    extents: [usize; 2],
    all: Grid,
    from: Descriptor,
    to: Descriptor,
    /// A grid must outlive the descriptors that name it.
    _grids: [Grid; 2],
}

impl Gemr2d {
    fn call<T: redist_scalapack::Scalar>(&self, source: &[T], destination: &mut [T]) {
        let from = Matrix { descriptor: &self.from, at: [0; 2], local: source };
        let to = Matrix { descriptor: &self.to, at: [0; 2], local: destination };
        gemr2d(self.extents, from, to, &self.all);
    }
}

impl<T: Scalar> Peer<T> for Gemr2d {
    fn run(&mut self, source: &[T], destination: &mut [T]) {
        match T::NAME {
            "f32" => self
                .call::<f32>(bytemuck::cast_slice(source), bytemuck::cast_slice_mut(destination)),
            _ => self
                .call::<f64>(bytemuck::cast_slice(source), bytemuck::cast_slice_mut(destination)),
        }
    }
}

pub fn prepare<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>(
    context: &Context<'_, R, D>,
) -> Result<Box<dyn Peer<T>>, String> {
    let Geometry { extents, from, to } = *context.geometry.ok_or("not a layout of ScaLAPACK's")?;
    let grid = |shape| Grid::new(context.world, shape, RankOrder::Row);
    let grids = [grid(from.shape), grid(to.shape)];
    let all = grid([1, mpi::traits::Communicator::size(context.world) as usize]);
    let [from, to] = [(from, &grids[0]), (to, &grids[1])]
        .map(|(side, grid)| Descriptor::new(extents, side.blocks, [0; 2], grid));
    Ok(Box::new(Gemr2d { extents, all, from, to, _grids: grids }))
}
