//! Layouts in numbers, and in the words of other libraries: as texts in the notation.

use crate::errors::{PlanError, plan_error};
use crate::words::{argument, no_such, one_of, optional, yes_or_no};
use pyo3::prelude::*;
use pyo3::types::PyList;
use redist::layout::interchange::Placement;
use redist_doors::{Darray, DarrayDist, LayoutNumbers, Mesh, Submatrix, of_scalapack};

/// Returns a layout in the notation, from numbers.
///
/// Each dimension has a length of `blocks`: -1 if it is not distributed, 0 for one block for each
/// rank; or a list with the size of each rank's block. The `grid` has the extents of the process
/// grid, ignored for dimensions that are not distributed. The grid coordinates of block 0 are `first`.
/// The `ranks` of the communicator form the grid. Axis `d` of the source is axis `axes[d]` here. The
/// part that moves begins at index `at` of a stored array with the shape `of`.
#[pyfunction]
#[pyo3(signature = (
    blocks, grid, *, first=None, ranks=None, column_major_ranks=None, fortran=None, axes=None, of=None, at=None
))]
#[pyo3(
    text_signature = "(blocks, grid, *, first=None, ranks=None, column_major_ranks=False, fortran=False, axes=None, of=None, at=None)"
)]
#[expect(clippy::too_many_arguments, reason = "keywords of Python")]
pub fn layout(
    blocks: &Bound<'_, PyAny>,
    grid: &Bound<'_, PyAny>,
    first: Option<&Bound<'_, PyAny>>,
    ranks: Option<&Bound<'_, PyAny>>,
    column_major_ranks: Option<&Bound<'_, PyAny>>,
    fortran: Option<&Bound<'_, PyAny>>,
    axes: Option<&Bound<'_, PyAny>>,
    of: Option<&Bound<'_, PyAny>>,
    at: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let flag = |name, given: Option<&Bound<'_, PyAny>>| {
        given.map_or(Ok(false), |given| yes_or_no(name, given))
    };
    let list = |name, given, is: &str| -> PyResult<Vec<i64>> {
        let write = format!("a list with a number for each dimension: {is}");
        Ok(optional(name, given, &write)?.unwrap_or_default())
    };
    if at.is_some() && of.is_none() {
        let words = "at is an index of the stored array, whose shape is missing; write `of`, too";
        return Err(PlanError::new_err(words));
    }
    let ranks_are = "a list of ranks, from 0 on, one for each cell of the grid";
    let (blocks, sizes) = blocks_of(blocks)?;
    let numbers = LayoutNumbers {
        blocks,
        grid: list("grid", Some(grid), "how many ranks it is dealt to")?,
        first: list("first", first, "the grid coordinate of block 0")?,
        ranks: optional("ranks", ranks, ranks_are)?.unwrap_or_default(),
        column_major_ranks: flag("column_major_ranks", column_major_ranks)?,
        fortran: flag("fortran", fortran)?,
        sizes,
        axes: list("axes", axes, "the axis that it is here")?,
        of: list("of", of, "the extent of the stored array")?,
        at: list("at", at, "the first index of the part that moves")?,
    };
    numbers.notation().map_err(plan_error)
}

/// Reads the blocks of each dimension, and the sizes of those that are lists.
fn blocks_of(blocks: &Bound<'_, PyAny>) -> PyResult<(Vec<i64>, Vec<i64>)> {
    let write = "a list with a number for each dimension: the length of its blocks, 0 for one \
                 block for each rank, or -1 if it is not distributed; or a list with the size of each \
                 rank's block";
    let given: Vec<Bound<'_, PyAny>> = argument("blocks", blocks, write)?;
    let (mut lengths, mut all_sizes) = (Vec::new(), Vec::new());
    for (dimension, one) in given.iter().enumerate() {
        if let Ok(sizes) = one.extract::<Vec<i64>>() {
            lengths.push(LayoutNumbers::GEN_BLOCK);
            all_sizes.extend(sizes);
            continue;
        }
        let length: i64 = argument(&format!("blocks[{dimension}]"), one, write)?;
        if length < LayoutNumbers::COLLAPSED {
            return Err(no_such(&format!("blocks[{dimension}]"), one, write));
        }
        lengths.push(length);
    }
    Ok((lengths, all_sizes))
}

/// Returns the layout of a matrix of ScaLAPACK, or of its part sub(A), in the notation.
///
/// `desc` has the nine integers of `DESCINIT`, of which CTXT and LLD are not looked at. The `grid`
/// has rows and columns, whose processes are ranks in row-major order. The part begins at row `ia`
/// and column `ja`, which count from 1. It has the `shape`, and all that follows without one.
#[pyfunction]
#[pyo3(signature = (desc, grid, *, shape=None, ia=None, ja=None))]
#[pyo3(text_signature = "(desc, grid, *, shape=None, ia=1, ja=1)")]
pub fn scalapack(
    desc: &Bound<'_, PyAny>,
    grid: &Bound<'_, PyAny>,
    shape: Option<&Bound<'_, PyAny>>,
    ia: Option<&Bound<'_, PyAny>>,
    ja: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let desc_is = "the nine integers of a descriptor: DTYPE, CTXT, M, N, MB, NB, RSRC, CSRC, LLD";
    let desc: [i32; 9] = argument("desc", desc, desc_is)?;
    let grid: [i64; 2] =
        argument("grid", grid, "the rows and columns of the process grid, as (2, 3)")?;
    let first = |name, given| -> PyResult<i64> {
        Ok(optional(name, given, "a row or a column, from 1 on")?.unwrap_or(1))
    };
    let first = [first("ia", ia)?, first("ja", ja)?];
    let rest = [0, 1].map(|dimension: usize| {
        (i64::from(desc[2 + dimension]) + 1).saturating_sub(first[dimension])
    });
    let extents =
        optional("shape", shape, "rows and columns of the part, as (30, 20)")?.unwrap_or(rest);
    of_scalapack(desc, Submatrix { extents, first }, grid).map_err(plan_error)
}

/// The words for distributions of `MPI_Type_create_darray`.
const DISTRIBUTIONS: [(&str, DarrayDist); 3] = [
    ("none", DarrayDist::Whole),
    ("block", DarrayDist::Block(None)),
    ("cyclic", DarrayDist::Cyclic(None)),
];

/// Returns the layout that the arguments of `MPI_Type_create_darray` say, in the notation.
///
/// Each dimension has a distribution, "none", "block" or "cyclic", and a length of its blocks or
/// `None` for MPI's default. mpi4py's constants stand for the same. The `order` is "C" or "F". Ranks
/// fill the grid `psizes` in row-major order.
#[pyfunction]
#[pyo3(signature = (gsizes, distribs, dargs, psizes, order=None))]
#[pyo3(text_signature = "(gsizes, distribs, dargs, psizes, order='C')")]
pub fn darray(
    gsizes: &Bound<'_, PyAny>,
    distribs: &Bound<'_, PyAny>,
    dargs: &Bound<'_, PyAny>,
    psizes: &Bound<'_, PyAny>,
    order: Option<&Bound<'_, PyAny>>,
) -> PyResult<String> {
    let mpi = Constants::of(gsizes.py())?;
    let each = "a list with an entry for each dimension";
    let list = |name, given| -> PyResult<Vec<Bound<'_, PyAny>>> { argument(name, given, each) };
    let (dists, given_dargs) = (list("distribs", distribs)?, list("dargs", dargs)?);
    let gsizes: Vec<i32> = argument("gsizes", gsizes, each)?;
    for (name, found) in [("distribs", dists.len()), ("dargs", given_dargs.len())] {
        if found != gsizes.len() {
            return Err(PlanError::new_err(format!(
                "{name} has {found} entries, but gsizes has {}; write one for each dimension",
                gsizes.len()
            )));
        }
    }
    let dists = dists.iter().zip(&given_dargs).map(|(dist, darg)| mpi.distribution(dist, darg));
    let darray = Darray {
        dists: dists.collect::<PyResult<_>>()?,
        psizes: argument("psizes", psizes, each)?,
        fortran: order.map_or(Ok(false), |order| mpi.is_fortran(order))?,
        gsizes,
    };
    darray.notation().map_err(plan_error)
}

/// Gsizes, distributions, dargs, psizes and order.
pub type DarrayWords = (Vec<i32>, Vec<&'static str>, Vec<Option<i32>>, Vec<i32>, &'static str);

/// Returns the arguments that [`darray`] takes.
pub fn darray_words(darray: Darray) -> DarrayWords {
    let said = darray.dists.into_iter().map(|dist| match dist {
        DarrayDist::Whole => ("none", None),
        DarrayDist::Block(darg) => ("block", darg),
        DarrayDist::Cyclic(darg) => ("cyclic", darg),
    });
    let (distribs, dargs) = said.unzip();
    (darray.gsizes, distribs, dargs, darray.psizes, if darray.fortran { "F" } else { "C" })
}

/// Returns a mesh as nested lists of ranks, and its placements in words.
pub fn mesh_words<'py>(py: Python<'py>, mesh: &Mesh) -> PyResult<(Bound<'py, PyAny>, Vec<String>)> {
    let mut rows: Vec<Bound<'py, PyAny>> = Vec::with_capacity(mesh.ranks.len());
    for rank in &mesh.ranks {
        rows.push(rank.into_pyobject(py)?.into_any());
    }
    for extent in mesh.extents.iter().rev() {
        let lists = rows.chunks(*extent).map(|row| Ok(PyList::new(py, row)?.into_any()));
        rows = lists.collect::<PyResult<_>>()?;
    }
    let words = mesh.placements.iter().map(|placement| match placement {
        Placement::Shard(dim) => format!("shard({dim})"),
        Placement::StridedShard { dim, split_factor } => format!("strided({dim}, {split_factor})"),
        Placement::Replicate => "replicate".into(),
        Placement::Partial => "partial".into(),
    });
    // A mesh has one device at least, and so one list of all.
    Ok((rows.swap_remove(0), words.collect()))
}

/// mpi4py's module of constants, if the program has imported it.
struct Constants<'py>(Option<Bound<'py, PyAny>>);

impl<'py> Constants<'py> {
    fn of(py: Python<'py>) -> PyResult<Self> {
        // Importing it would initialise MPI.
        let modules = py.import("sys")?.getattr("modules")?;
        let mpi = modules.call_method1("get", ("mpi4py.MPI",))?;
        Ok(Self((!mpi.is_none()).then_some(mpi)))
    }

    fn is(&self, name: &str, given: &Bound<'py, PyAny>) -> bool {
        let constant = self.0.as_ref().and_then(|mpi| mpi.getattr(name).ok());
        constant.is_some_and(|constant| given.eq(constant).unwrap_or(false))
    }

    fn distribution(
        &self,
        dist: &Bound<'py, PyAny>,
        darg: &Bound<'py, PyAny>,
    ) -> PyResult<DarrayDist> {
        let named = ["DISTRIBUTE_NONE", "DISTRIBUTE_BLOCK", "DISTRIBUTE_CYCLIC"];
        let found = named.iter().position(|name| self.is(name, dist));
        let kind = match found {
            Some(number) => DISTRIBUTIONS[number].1,
            None => one_of("distribs", dist, DISTRIBUTIONS)?,
        };
        let is_default = darg.is_none() || self.is("DISTRIBUTE_DFLT_DARG", darg);
        let write = "the length of blocks, or None for MPI's default";
        let darg: Option<i32> =
            if is_default { None } else { Some(argument("dargs", darg, write)?) };
        match (kind, darg) {
            (DarrayDist::Whole, Some(_)) => Err(PlanError::new_err(format!(
                "dargs has {} for a dimension that is not distributed; write None",
                darg.unwrap_or_default()
            ))),
            (DarrayDist::Block(_), darg) => Ok(DarrayDist::Block(darg)),
            (DarrayDist::Cyclic(_), darg) => Ok(DarrayDist::Cyclic(darg)),
            (kind, None) => Ok(kind),
        }
    }

    fn is_fortran(&self, order: &Bound<'py, PyAny>) -> PyResult<bool> {
        if self.is("ORDER_C", order) || self.is("ORDER_FORTRAN", order) {
            return Ok(self.is("ORDER_FORTRAN", order));
        }
        one_of("order", order, [("C", false), ("F", true)])
            .map_err(|_| no_such("order", order, "\"C\" or \"F\""))
    }
}
