use crate::exchange::Agreed;
use crate::told::Told;
use redist::exec::{Binder, Redistribution};
use redist::layout::Ranks;
use redist::mpi::RawCommunicator;
use redist::{Bound, Element, Error, Layout, RuntimePlan, Side};
use redist_mpi::Communicator;
use std::slice;

/// A plan for elements of one width, at any addresses, as in Fortran.
pub(crate) enum Move {
    Four(Bound<[u8; 4], 2>),
    Eight(Bound<[u8; 8], 2>),
    Sixteen(Bound<[u8; 16], 2>),
}

impl Move {
    pub fn bind(told: &Told, sides: &[Agreed; 2], context: &Communicator) -> Result<Self, Error> {
        Ok(match told.width {
            4 => Self::Four(bind(told, sides, context)?),
            8 => Self::Eight(bind(told, sides, context)?),
            _ => Self::Sixteen(bind(told, sides, context)?),
        })
    }

    /// Collective.
    ///
    /// # Safety
    /// `source` and `destination` are local arrays as the call's descriptors say, of elements of
    /// this width, the last column whole. Nothing else uses them until this returns.
    pub unsafe fn run(&mut self, source: *const u8, destination: *mut u8) -> Result<(), Error> {
        // SAFETY: the arrays are of elements of this width, as the caller promises.
        unsafe {
            match self {
                Self::Four(bound) => run(bound, source.cast(), destination.cast()),
                Self::Eight(bound) => run(bound, source.cast(), destination.cast()),
                Self::Sixteen(bound) => run(bound, source.cast(), destination.cast()),
            }
        }
    }
}

fn bind<T: Element>(
    told: &Told,
    sides: &[Agreed; 2],
    context: &Communicator,
) -> Result<Bound<T, 2>, Error> {
    let extents = told.extents.map(|extent| extent as usize);
    let [from, to] = sides.each_ref().map(|side| layout(side, extents));
    let plan = RuntimePlan::<T, 2>::new(extents, from, to)?;
    let mut binder = plan.binder();
    if let Some((uplo, diag)) = told.part {
        binder = binder.trapezoid(uplo, diag);
    }
    binder = padded(binder, told, Side::Source);
    binder = padded(binder, told, Side::Destination);
    // SAFETY: the context's communicator is alive as long as the program may call routines with it.
    // Plans that are bound to it go when it is freed.
    binder.bind(&unsafe { RawCommunicator::new(context.as_raw())? })
}

/// Drops the columns after the section: a local array need not have them.
fn layout(side: &Agreed, moved: [usize; 2]) -> Layout<2> {
    let number = |value: i64| value as usize;
    let ([mb, nb], [p, q]) = (side.blocks().map(number), side.grid().map(number));
    let [rsrc, csrc] = side.source().map(number);
    let [i, j] = side.first().map(|first| number(first) - 1);
    let first = side.ranks[0];
    let are_consecutive = side.ranks.iter().enumerate().all(|(at, &rank)| rank == first + at);
    let ranks = if are_consecutive { Ranks::From(first) } else { Ranks::map(&side.ranks) };
    Layout::scalapack(mb, nb, p, q, rsrc, csrc)
        .ranks(ranks)
        .of([number(side.extents()[0]), j + moved[1]])
        .at([i, j])
}

/// Sets LLD only for padding, because dense arrays take shorter ways.
fn padded<'a, R: Redistribution<2>>(
    binder: Binder<'a, R, 2>,
    told: &Told,
    side: Side,
) -> Binder<'a, R, 2> {
    match &told.sides[side as usize] {
        Some(matrix) if matrix.lld() > matrix.rows().max(1) => {
            binder.leading_dimension(side, matrix.lld() as usize)
        }
        _ => binder,
    }
}

/// # Safety
/// As [`Move::run`].
unsafe fn run<T: Element>(
    bound: &mut Bound<T, 2>,
    source: *const T,
    destination: *mut T,
) -> Result<(), Error> {
    let [taken, given] = [Side::Source, Side::Destination].map(|side| bound.local_len(side));
    let (from, to) = (source as usize, destination as usize);
    let (from_end, to_end) = (from + taken * size_of::<T>(), to + given * size_of::<T>());
    let overlap = taken > 0 && given > 0 && from < to_end && to < from_end;
    // SAFETY: the caller's arrays are as the descriptors, from which the lengths are. Bytes need no
    // alignment, and any bytes are elements. Nothing else uses the arrays. If the two overlap, as a
    // whole or in rows of one allocation, the source is a copy.
    unsafe {
        let source = array(source, taken);
        let copy = overlap.then(|| source.to_vec());
        match copy {
            Some(copy) => bound.run(&copy, array_mut(destination, given)),
            None => bound.run(source, array_mut(destination, given)),
        }
    }
}

/// # Safety
/// As `slice::from_raw_parts`, but that a pointer to nothing may be null.
unsafe fn array<'a, T>(first: *const T, len: usize) -> &'a [T] {
    // SAFETY: the caller promises a live array at `first` of `len` elements, at least one here.
    if len == 0 { &[] } else { unsafe { slice::from_raw_parts(first, len) } }
}

/// # Safety
/// As `slice::from_raw_parts_mut`, but that a pointer to nothing may be null.
unsafe fn array_mut<'a, T>(first: *mut T, len: usize) -> &'a mut [T] {
    // SAFETY: the caller promises a live array at `first` of `len` elements, at least one here.
    if len == 0 { &mut [] } else { unsafe { slice::from_raw_parts_mut(first, len) } }
}
