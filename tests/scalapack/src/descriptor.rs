//! Descriptors of ScaLAPACK, made by its own tools.

use crate::blacs::{Grid, integer};
use crate::ffi;
use std::ffi::c_int;

/// A matrix's DESC, and the extents of this rank's part by NUMROC.
#[derive(Clone, Debug)]
pub struct Descriptor {
    pub(crate) desc: ffi::Desc,
    /// LOCr, LOCc; zeros outside the grid.
    local: [usize; 2],
}

impl Descriptor {
    /// Makes it of [M, N], [MB, NB] and [RSRC, CSRC] on a grid, with the least leading dimension.
    pub fn new(extents: [usize; 2], blocks: [usize; 2], source: [usize; 2], grid: &Grid) -> Self {
        Self::padded(extents, blocks, source, grid, 0)
    }

    /// Makes a descriptor with a larger leading dimension on this rank.
    pub fn padded(
        extents: [usize; 2],
        blocks: [usize; 2],
        source: [usize; 2],
        grid: &Grid,
        more: usize,
    ) -> Self {
        let [extents, blocks, source] = [extents, blocks, source].map(|pair| pair.map(integer));
        let local = grid.coordinates().map_or([0; 2], |at| {
            [0, 1].map(|d| numroc(extents[d], blocks[d], at[d], source[d], grid.shape()[d]))
        });
        let leading = integer(local[0].max(1) + more);
        let [[m, n], [mb, nb], [rsrc, csrc]] = [extents, blocks, source];
        // Outside the grid the context is -1, which p?gemr2d wants and DESCINIT rejects.
        let mut desc = [1, grid.context(), m, n, mb, nb, rsrc, csrc, leading];
        if grid.coordinates().is_some() {
            desc = descinit(desc);
        }
        Self { desc, local }
    }

    /// Returns LOCr and LOCc: the extents of this rank's part, in elements; zeros outside the grid.
    pub fn local_extents(&self) -> [usize; 2] {
        self.local
    }

    /// LLD.
    pub fn leading_dimension(&self) -> usize {
        self.desc[8].try_into().expect("LLD is at least 1")
    }

    /// Returns the elements of this rank's local array, with the padding of its columns.
    pub fn local_len(&self) -> usize {
        if self.local[0] == 0 { 0 } else { self.leading_dimension() * self.local[1] }
    }

    pub(crate) fn extents(&self) -> [c_int; 2] {
        [self.desc[2], self.desc[3]]
    }
}

fn numroc(n: c_int, nb: c_int, coordinate: c_int, first: c_int, ranks: c_int) -> usize {
    // SAFETY: NUMROC reads five integers and returns one.
    let local = unsafe { ffi::numroc_(&n, &nb, &coordinate, &first, &ranks) };
    local.try_into().expect("NUMROC counts elements")
}

fn descinit([_, context, m, n, mb, nb, rsrc, csrc, leading]: ffi::Desc) -> ffi::Desc {
    let (mut desc, mut info) = ([0; 9], 0);
    // SAFETY: DESCINIT writes nine integers to the first argument and one integer to the last. It
    // reads all further arguments.
    unsafe {
        ffi::descinit_(
            desc.as_mut_ptr(),
            &m,
            &n,
            &mb,
            &nb,
            &rsrc,
            &csrc,
            &context,
            &leading,
            &mut info,
        );
    }
    assert_eq!(info, 0, "DESCINIT does not take argument {}", -info);
    desc
}
