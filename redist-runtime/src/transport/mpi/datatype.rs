//! Datatypes of the library's, made from loops: their size is that of the loops' text, not that of
//! what they describe.
//!
//! Unsafe, since handles are the library's. Lengths are split where they are more than its `int`s
//! hold.

use super::communicator::checked;
use super::constants::no_datatype;
use crate::element::ElementType;
use crate::error::Error;
use crate::program::{Loop, MessageLoops, StridedRuns};
use ::mpi::ffi::{self, MPI_Aint, MPI_Count, MPI_Datatype};
use ::mpi::traits::{AsRaw, Equivalence};
use std::ffi::c_int;
use std::ops::Range;
use std::rc::Rc;

/// A datatype of our own. Freed when dropped; what was made from it stays.
#[derive(Debug)]
pub(super) struct Datatype(MPI_Datatype);

impl Drop for Datatype {
    fn drop(&mut self) {
        if !::mpi::is_finalized() {
            // SAFETY: `Maker::made` alone makes such values, each of a type that it has just made, so
            // that only this frees it; MPI is not finalised.
            unsafe { ffi::MPI_Type_free(&mut self.0) };
        }
    }
}

impl Datatype {
    /// The elements of a message where they lie in a local array.
    pub fn of(message: &MessageLoops, element: ElementType, rank: usize) -> Result<Self, Error> {
        let maker = Maker::new(element, rank);
        let mut shape = TypeShape::Together(maker.bytes(message.unit)?);
        for of in message.loops.iter().rev() {
            shape = maker.along(of, &shape)?;
        }
        let mut made = maker.structure(&[(maker.bytes(message.start)?, shape)])?;
        // SAFETY: `made` owns the type, which is alive until it is dropped.
        checked(rank, "MPI_Type_commit", unsafe { ffi::MPI_Type_commit(&mut made.0) })?;
        Ok(made)
    }

    pub fn raw(&self) -> MPI_Datatype {
        self.0
    }

    /// How many bytes it describes.
    pub fn bytes(&self, rank: usize) -> Result<usize, Error> {
        let mut size: MPI_Count = 0;
        // SAFETY: this owns the type, which is alive until it is dropped; the number outlives the
        // call.
        let code = unsafe { ffi::MPI_Type_size_x(self.0, &mut size) };
        checked(rank, "MPI_Type_size_x", code)?;
        // Negative where the library cannot tell.
        Ok(usize::try_from(size).unwrap_or(usize::MAX))
    }

    /// The bytes from the first that it describes to the last, from the beginning of the array.
    pub fn extent(&self, rank: usize) -> Result<Range<usize>, Error> {
        let (mut start, mut len): (MPI_Aint, MPI_Aint) = (0, 0);
        // SAFETY: this owns the type, which is alive until it is dropped; both numbers outlive the
        // call.
        let code = unsafe { ffi::MPI_Type_get_true_extent(self.0, &mut start, &mut len) };
        checked(rank, "MPI_Type_get_true_extent", code)?;
        Ok(start as usize..start.saturating_add(len) as usize)
    }
}

/// What a type is made from.
#[derive(Clone, Debug)]
enum TypeShape {
    /// Bytes that lie together.
    Together(MPI_Aint),
    Made(Rc<Datatype>),
}

impl TypeShape {
    fn made(made: Datatype) -> Self {
        Self::Made(Rc::new(made))
    }
}

/// A number of one type, one after the other.
struct TypeBlock {
    len: c_int,
    of: MPI_Datatype,
    /// Keeps a type of ours alive.
    _kept: Option<Rc<Datatype>>,
}

/// Makes types for one element type.
struct Maker {
    rank: usize,
    /// Bytes of an element.
    element: usize,
    /// What elements are made of: a type of a number of bytes that is aligned no more than they
    /// are.
    unit: (usize, MPI_Datatype),
}

/// What the library's counts hold.
const MOST: usize = c_int::MAX as usize;

impl Maker {
    fn new(element: ElementType, rank: usize) -> Self {
        let unit = match element.bytes() | element.alignment() {
            bits if bits.is_multiple_of(8) => (8, u64::equivalent_datatype().as_raw()),
            bits if bits.is_multiple_of(4) => (4, u32::equivalent_datatype().as_raw()),
            bits if bits.is_multiple_of(2) => (2, u16::equivalent_datatype().as_raw()),
            _ => (1, u8::equivalent_datatype().as_raw()),
        };
        Self { rank, element: element.bytes(), unit }
    }

    fn bytes(&self, elements: usize) -> Result<MPI_Aint, Error> {
        let bytes =
            elements.checked_mul(self.element).and_then(|bytes| MPI_Aint::try_from(bytes).ok());
        bytes.ok_or_else(|| self.too_many(elements, "elements"))
    }

    fn too_many(&self, number: usize, what: &str) -> Error {
        let reason = format!(
            "rank {} needs more than a datatype can have; bind with the route `Messages`",
            self.rank
        );
        Error::Unavailable { what: format!("a datatype of {number} {what}"), reason }
    }

    /// What a message has along one dimension, where `of` is what it has along the faster ones.
    fn along(&self, of: &Loop, inner: &TypeShape) -> Result<TypeShape, Error> {
        let stride = |indices: usize| self.bytes(indices.saturating_mul(of.stride));
        let stretches = |stretches: &[StridedRuns]| -> Result<Vec<_>, Error> {
            let stretch = |stretch: &StridedRuns| {
                let run = self.repeated(stretch.len, stride(1)?, inner)?;
                Ok((
                    stride(stretch.start)?,
                    self.repeated(stretch.count, stride(stretch.spacing)?, &run)?,
                ))
            };
            stretches.iter().map(stretch).collect()
        };
        let mut parts = Vec::new();
        if of.repeats > 0 && !of.periodic.is_empty() {
            let period = self.sequence(stretches(&of.periodic)?)?;
            parts.push((0, self.repeated(of.repeats, stride(of.period)?, &period)?));
        }
        parts.extend(stretches(&of.rest)?);
        self.sequence(parts)
    }

    /// The same `count` times, `stride` bytes from start to start.
    fn repeated(
        &self,
        count: usize,
        stride: MPI_Aint,
        shape: &TypeShape,
    ) -> Result<TypeShape, Error> {
        match shape {
            _ if count == 1 => Ok(shape.clone()),
            TypeShape::Together(bytes) if *bytes == stride => {
                let bytes = usize::try_from(*bytes).ok().and_then(|bytes| bytes.checked_mul(count));
                let bytes = bytes.and_then(|bytes| MPI_Aint::try_from(bytes).ok());
                Ok(TypeShape::Together(bytes.ok_or_else(|| self.too_many(count, "runs"))?))
            }
            _ if count > MOST => {
                let most = self.repeated(MOST, stride, shape)?;
                let rounds = self.repeated(count / MOST, stride * MOST as MPI_Aint, &most)?;
                let rest = (
                    stride * (count - count % MOST) as MPI_Aint,
                    self.repeated(count % MOST, stride, shape)?,
                );
                self.sequence(vec![(0, rounds), rest])
            }
            _ => self.vector(count, stride, shape),
        }
    }

    fn vector(
        &self,
        count: usize,
        stride: MPI_Aint,
        shape: &TypeShape,
    ) -> Result<TypeShape, Error> {
        let block = self.block(shape)?;
        // SAFETY: the block's type is one of the library's, or alive as long as the block, which has
        // a share of it; `made` calls this with a place that outlives the call.
        let vector = self.made("MPI_Type_create_hvector", |made| unsafe {
            ffi::MPI_Type_create_hvector(count as c_int, block.len, stride, block.of, made)
        });
        vector.map(TypeShape::made)
    }

    /// Shapes one after the other, each at a place of its own.
    fn sequence(&self, parts: Vec<(MPI_Aint, TypeShape)>) -> Result<TypeShape, Error> {
        match parts.as_slice() {
            [(0, only)] => Ok(only.clone()),
            parts => self.structure(parts).map(TypeShape::made),
        }
    }

    fn structure(&self, parts: &[(MPI_Aint, TypeShape)]) -> Result<Datatype, Error> {
        let count = c_int::try_from(parts.len())
            .map_err(|_| self.too_many(parts.len(), "runs of a period"))?;
        let blocks: Vec<TypeBlock> =
            parts.iter().map(|(_, shape)| self.block(shape)).collect::<Result<_, _>>()?;
        let places: Vec<MPI_Aint> = parts.iter().map(|(place, _)| *place).collect();
        let (lens, types): (Vec<_>, Vec<_>) =
            blocks.iter().map(|block| (block.len, block.of)).unzip();
        // SAFETY: all three lists have `count` entries, and the types are the library's, or alive as
        // long as the blocks, which have shares of them; `made` calls this with a place that
        // outlives the call.
        self.made("MPI_Type_create_struct", |made| unsafe {
            ffi::MPI_Type_create_struct(count, lens.as_ptr(), places.as_ptr(), types.as_ptr(), made)
        })
    }

    /// A shape as a number of one type.
    fn block(&self, shape: &TypeShape) -> Result<TypeBlock, Error> {
        let units = match shape {
            TypeShape::Made(made) => {
                return Ok(TypeBlock { len: 1, of: made.0, _kept: Some(Rc::clone(made)) });
            }
            TypeShape::Together(bytes) => *bytes as usize / self.unit.0,
        };
        match c_int::try_from(units) {
            Ok(len) => Ok(TypeBlock { len, of: self.unit.1, _kept: None }),
            Err(_) => self.block(&self.long(units)?),
        }
    }

    /// More units than the library counts to.
    fn long(&self, units: usize) -> Result<TypeShape, Error> {
        let bytes = |units: usize| (units * self.unit.0) as MPI_Aint;
        let most = self.vector(MOST, bytes(1), &TypeShape::Together(bytes(1)))?;
        let whole = self.vector(units / MOST, bytes(MOST), &most)?;
        let rest = (bytes(units - units % MOST), TypeShape::Together(bytes(units % MOST)));
        self.sequence(vec![(0, whole), rest])
    }

    fn made(
        &self,
        call: &'static str,
        make: impl FnOnce(&mut MPI_Datatype) -> c_int,
    ) -> Result<Datatype, Error> {
        let mut raw = no_datatype();
        checked(self.rank, call, make(&mut raw))?;
        Ok(Datatype(raw))
    }
}
