//! Plans of any number of dimensions, for other languages.

use crate::foreign::{Darray, DarrayDist, Mesh};
use redist::exec::{AnyBinder, Redistribution, TypedPlan};
use redist::layout::interchange::{InterchangeError, to_darray, to_placements, to_scalapack};
use redist::layout::{BlockCyclic, Dist, LocalArray, StorageOrder};
use redist::plan::{AnyPlan, Figure, ParsePlanError, RankMessages, RelabelError};
use redist::{AnyElement, Layout, Plan, Side};
#[cfg(feature = "draw")]
use redist_draw::{DrawError, Drawing, PageTexts};
use redist_explain::{Asked, Described, PlanReport};
use std::any::Any;
use std::fmt;
use std::ops::Deref;

/// The reason why a description is no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoPlan {
    #[error(
        "an array has at most {MAX_DIMENSIONS} dimensions, this one has {}; join neighbours that both \
         layouts keep whole", .0
    )]
    Dimensions(usize),
    #[error(transparent)]
    Parse(#[from] ParsePlanError),
    #[error(transparent)]
    Relabel(#[from] RelabelError),
    #[error(transparent)]
    Copies(#[from] redist::Error),
}

/// A rank's part of the array on one side, in elements. Lists are in the order of axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LocalPart {
    /// Number of indices of the rank; zeros if it holds nothing.
    pub extents: Vec<usize>,
    /// Distance of neighbours in a dense local array.
    pub strides: Vec<usize>,
    /// Elements of a dense local array.
    pub len: usize,
}

impl LocalPart {
    /// Describes a local array.
    pub fn of<const D: usize>(local: &LocalArray<D>) -> Self {
        Self { extents: local.extents().into(), strides: local.strides().into(), len: local.len() }
    }

    /// Returns the part as an array whose length follows from its shape: a rank without the only element
    /// of an array without dimensions has an empty list.
    pub fn as_array(self) -> Self {
        match self.extents.is_empty() && self.len == 0 {
            true => Self { extents: vec![0], strides: vec![1], len: 0 },
            false => self,
        }
    }

    /// Returns the elements from the first to the last one, with these distances of neighbours.
    pub fn span(&self, strides: &[usize]) -> usize {
        if self.len == 0 {
            return 0;
        }
        let last = |(extent, stride): (&usize, &usize)| (extent - 1) * stride;
        1 + self.extents.iter().zip(strides).map(last).sum::<usize>()
    }

    /// Returns `true` if an array is dense, and has these extents. Arrays of one dimension, or of
    /// another number of dimensions, are told only by their lengths.
    pub fn is_shape(&self, shape: &[usize], strides: &[isize]) -> bool {
        let is_empty = self.len == 0 && shape.contains(&0);
        if shape.len() < 2 || shape.len() != self.extents.len() || is_empty {
            return true;
        }
        let along = self.extents.iter().zip(&self.strides).zip(strides);
        // A single index never uses its stride.
        shape == self.extents
            && along.into_iter().all(|((n, own), found)| *n <= 1 || Ok(*own) == (*found).try_into())
    }
}

/// The functions of a [`DoorPlan`], for any number of dimensions.
pub trait OfAnySize: Send + Sync {
    fn any(&self) -> AnyPlan;
    fn binder(&self, element: AnyElement) -> AnyBinder;
    fn explain(&self) -> String;
    /// Reports the plan, for elements of so many bytes that the caller names so.
    fn report(&self, element: (&str, usize), asked: Asked) -> PlanReport;
    fn dimensions(&self) -> usize;
    fn extents(&self) -> Vec<usize>;
    /// Returns the extents of a side's stored array, in its own order of axes.
    fn stored(&self, side: Side) -> Vec<usize>;
    fn layout(&self, side: Side) -> String;
    fn local(&self, side: Side, rank: usize) -> LocalPart;
    fn global_index(&self, side: Side, rank: usize, offset: usize) -> Option<Vec<usize>>;
    fn axis_indices(&self, side: Side, rank: usize) -> Vec<Vec<i64>>;
    fn owner(&self, side: Side, index: &[usize]) -> Option<usize>;
    fn messages(&self, rank: usize) -> RankMessages;
    fn steps(&self) -> Figure;
    fn stays(&self) -> Figure;
    /// Returns the bytes of the rank that needs the most.
    fn memory(&self, element: AnyElement) -> Figure;
    /// Passes the number of each element of a local array on, in the order of memory. Elements of
    /// the moved part are numbered in the source's order of axes; others have none.
    fn for_each_number(&self, side: Side, rank: usize, visit: &mut dyn FnMut(Option<usize>));
    /// Returns the plan that deals a side's stored array, which rank 0 has whole in C's order.
    fn scattering(&self, side: Side) -> DoorPlan;
    #[cfg(feature = "draw")]
    fn draw(&self, drawing: &Drawing) -> Result<String, DrawError>;
    #[cfg(feature = "draw")]
    fn html(&self, drawing: &Drawing, element: AnyElement) -> Result<String, DrawError>;
    fn inverse(&self) -> DoorPlan;
    fn relabelled(&self) -> Result<DoorPlan, NoPlan>;
    /// Returns the relabelled plan, and the new place of each rank.
    fn relabelling(&self) -> Result<DoorRelabelled, NoPlan>;
    /// Returns the descriptor of ScaLAPACK that a side has on a rank, with this context. `None` for
    /// arrays that are no matrices.
    fn scalapack(
        &self,
        side: Side,
        context: i32,
        rank: usize,
    ) -> Option<Result<[i32; 9], InterchangeError>>;
    /// Returns the arguments of `MPI_Type_create_darray` for a side's stored array.
    fn darray(&self, side: Side) -> Result<Darray, InterchangeError>;
    /// Returns the mesh of devices of a side's stored array.
    fn mesh(&self, side: Side) -> Result<Mesh, InterchangeError>;
    /// Returns the plan as `serde` writes it.
    fn saved(&self) -> serde_json::Result<String>;
}

/// A plan with other ranks in the cells of the destination's grid.
pub struct DoorRelabelled {
    pub plan: DoorPlan,
    /// By rank of the plan: the rank that now has its cell of the destination's grid. A rank outside
    /// of the grid has itself.
    pub table: Vec<usize>,
    /// Elements that stay on their rank in the order that was written, and in this one.
    pub stayed_and_stays: [usize; 2],
}

impl<const D: usize> OfAnySize for Plan<D> {
    fn any(&self) -> AnyPlan {
        AnyPlan::from(self)
    }

    fn binder(&self, element: AnyElement) -> AnyBinder {
        AnyBinder::new(self, element)
    }

    fn explain(&self) -> String {
        // The description of a plan does not depend on the elements.
        TypedPlan::<u8, D>::from(*self).explain()
    }

    fn report(&self, (name, bytes): (&str, usize), asked: Asked) -> PlanReport {
        let element = name.into();
        let described = Described { element, element_bytes: Some(bytes), ..Default::default() };
        PlanReport::new(self, described, asked)
    }

    fn dimensions(&self) -> usize {
        D
    }

    fn extents(&self) -> Vec<usize> {
        self.extents().into()
    }

    fn stored(&self, side: Side) -> Vec<usize> {
        self.descriptor(side).extents().into()
    }

    fn layout(&self, side: Side) -> String {
        self.descriptor(side).layout().to_string()
    }

    fn local(&self, side: Side, rank: usize) -> LocalPart {
        LocalPart::of(&self.descriptor(side).local(rank))
    }

    fn global_index(&self, side: Side, rank: usize, offset: usize) -> Option<Vec<usize>> {
        let local = self.descriptor(side).local(rank);
        (offset < local.len()).then(|| local.global_index(offset).into())
    }

    fn axis_indices(&self, side: Side, rank: usize) -> Vec<Vec<i64>> {
        let array = self.descriptor(side);
        let Some(coordinates) = array.coordinates(rank) else { return vec![Vec::new(); D] };
        let along = |dimension: usize| along(&array.axis(dimension), coordinates[dimension]);
        (0..D).map(along).collect()
    }

    fn owner(&self, side: Side, index: &[usize]) -> Option<usize> {
        let (array, index) = (self.descriptor(side), <[usize; D]>::try_from(index).ok()?);
        let is_inside = index.iter().zip(array.extents()).all(|(index, extent)| *index < extent);
        is_inside.then(|| array.owner(index))
    }

    fn messages(&self, rank: usize) -> RankMessages {
        self.messages_of(rank)
    }

    fn steps(&self) -> Figure {
        Plan::steps(self)
    }

    fn stays(&self) -> Figure {
        Plan::stays(self)
    }

    fn memory(&self, element: AnyElement) -> Figure {
        Plan::memory(self, element.bytes())
    }

    fn for_each_number(&self, side: Side, rank: usize, visit: &mut dyn FnMut(Option<usize>)) {
        let (array, extents) = (self.descriptor(side), self.extents());
        let at = array.layout().at;
        for index in array.local(rank).global_indices() {
            let number = (0..D).try_fold(0, |number: usize, dimension| {
                let axis = self.axis_on(side, dimension);
                let moved = index[axis].checked_sub(at[axis])?;
                (moved < extents[dimension]).then(|| number * extents[dimension] + moved)
            });
            visit(number);
        }
    }

    fn scattering(&self, side: Side) -> DoorPlan {
        let array = self.descriptor(side);
        let whole = Layout::new([Dist::Collapsed; D], [1; D]);
        let mut dealt = *array.layout();
        (dealt.of, dealt.at, dealt.axes) = (None, whole.at, whole.axes);
        let plan = Plan::new(array.extents(), whole, dealt);
        DoorPlan(Box::new(plan.expect("a side of a plan has its extents").indexed()))
    }

    #[cfg(feature = "draw")]
    fn draw(&self, drawing: &Drawing) -> Result<String, DrawError> {
        drawing.page(self)
    }

    #[cfg(feature = "draw")]
    fn html(&self, drawing: &Drawing, element: AnyElement) -> Result<String, DrawError> {
        let name = AnyElement::words_of(element.name()).unwrap_or(element.name());
        drawing.html(self, &PageTexts { element: name.into(), name: None })
    }

    fn inverse(&self) -> DoorPlan {
        DoorPlan(Box::new(Plan::inverse(self)))
    }

    fn relabelled(&self) -> Result<DoorPlan, NoPlan> {
        Ok(DoorPlan(Box::new(Plan::relabelled(self)?)))
    }

    fn relabelling(&self) -> Result<DoorRelabelled, NoPlan> {
        let best = Plan::relabelling(self)?;
        let (old, new) =
            (self.descriptor(Side::Destination), best.plan.descriptor(Side::Destination));
        let mut table: Vec<usize> = (0..Plan::ranks(self)).collect();
        for cell in 0..old.ranks() {
            table[old.nth_rank(cell)] = new.nth_rank(cell);
        }
        let stayed_and_stays = [best.stayed, best.stays];
        Ok(DoorRelabelled { plan: DoorPlan(Box::new(best.plan)), table, stayed_and_stays })
    }

    fn scalapack(
        &self,
        side: Side,
        context: i32,
        rank: usize,
    ) -> Option<Result<[i32; 9], InterchangeError>> {
        let array: &dyn Any = self.descriptor(side);
        array.downcast_ref().map(|matrix| to_scalapack(matrix, context, rank))
    }

    fn darray(&self, side: Side) -> Result<Darray, InterchangeError> {
        let (gsizes, dists, psizes, order) = to_darray(self.descriptor(side))?;
        let dists = dists.into_iter().map(DarrayDist::of).collect();
        let fortran = order == StorageOrder::Fortran;
        Ok(Darray { gsizes: gsizes.into(), dists, psizes: psizes.into(), fortran })
    }

    fn mesh(&self, side: Side) -> Result<Mesh, InterchangeError> {
        let (extents, ranks, placements) = to_placements(self.descriptor(side))?;
        Ok(Mesh { extents, ranks, placements })
    }

    fn saved(&self) -> serde_json::Result<String> {
        serde_json::to_string(self)
    }
}

fn along(axis: &BlockCyclic, coordinate: usize) -> Vec<i64> {
    if axis.regular_block().is_some() {
        let own = 0..axis.numroc(coordinate);
        return own.filter_map(|local| Some(axis.global(coordinate, local)? as i64)).collect();
    }
    let mut found = Vec::with_capacity(axis.numroc(coordinate));
    let mut block = axis.block_at(0);
    while block.start < axis.extent() {
        if axis.owner_of_block(block.number) == coordinate {
            found.extend(block.start as i64..block.end() as i64);
        }
        block = axis.block_after(block);
    }
    found
}

/// A plan whose number of dimensions is a value: a [`Plan`].
pub struct DoorPlan(Box<dyn OfAnySize>);

macro_rules! by_dimensions {
    ($parsed:ident, $given:expr, $($dimensions:literal)*) => {
        match $given.0.len() {
            $($dimensions => $parsed::<$dimensions>($given),)*
            other => Err($crate::plan::NoPlan::Dimensions(other).into()),
        }
    };
}
pub(crate) use by_dimensions;

/// Each number of dimensions up to it has code.
pub const MAX_DIMENSIONS: usize = 8;

fn parsed<const D: usize>((extents, from, to): (&[usize], &str, &str)) -> Result<DoorPlan, NoPlan> {
    let extents = extents.try_into().expect("as many extents as dimensions");
    Ok(DoorPlan(Box::new(Plan::<D>::parse(extents, from, to)?)))
}

impl<const D: usize> From<Plan<D>> for DoorPlan {
    fn from(plan: Plan<D>) -> Self {
        Self(Box::new(plan))
    }
}

impl DoorPlan {
    /// Plans the move of an array between layouts in the notation: see [`Plan::parse`].
    ///
    /// # Errors
    /// As there, and too many dimensions.
    pub fn parse(extents: &[usize], from: &str, to: &str) -> Result<Self, NoPlan> {
        by_dimensions!(parsed, (extents, from, to), 0 1 2 3 4 5 6 7 8)
    }
}

impl Deref for DoorPlan {
    type Target = dyn OfAnySize;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for DoorPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [from, to] = [Side::Source, Side::Destination].map(|side| self.layout(side));
        write!(f, "{:?}: {from} → {to}", self.extents())
    }
}
