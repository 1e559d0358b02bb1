//! Layouts in the words of other libraries. Unsafe, because C passes pointers.

use super::copies::{Copies, combine_of};
use super::plan::{Plan, dimensions_of, extents, rank_of};
use super::side;
use crate::guard::guarded;
use crate::layout::{Layout, check_size, notation};
use crate::pointers::{
    list, optional, put, put_each, put_handle, put_numbers, put_text, reference,
};
use crate::status::{Refusal, Status, length};
use redist::layout::interchange::Placement;
use redist_doors::{
    Darray, DarrayDist, Mesh as DoorMesh, NoLayout, Submatrix, between_meshes, descriptor_of,
    of_scalapack,
};
use std::ffi::c_char;

impl From<NoLayout> for Refusal {
    fn from(error: NoLayout) -> Self {
        match error {
            NoLayout::Plan(error) => error.into(),
            NoLayout::Interchange(error) => Self::new(Status::RedistLayout, error.to_string()),
            NoLayout::Number { .. } | NoLayout::Entries { .. } => Self::argument(error.to_string()),
        }
    }
}

/// Stores a layout of numbers as a text in the notation, for an array of `dimensions`. The text is to be
/// freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_layout_text(
    dimensions: i32,
    layout: *const Layout,
    text: *mut *mut c_char,
) -> Status {
    guarded(|| {
        let dimensions = dimensions_of(dimensions)?;
        // SAFETY: the header demands NULL, or a layout whose lists have as many entries, and NULL or a
        // place for the text.
        unsafe { put_text(text, notation(layout, dimensions, "layout")?, "text") }
    })
}

/// Stores the layout of a submatrix of ScaLAPACK, sub(A), as a text in the notation. `desc` is the
/// array descriptor of its matrix, nine integers as DESCINIT fills them; CTXT and LLD are not looked at
/// (`redist_options` takes a leading dimension). `m` and `n` are the submatrix's rows and columns: the
/// extents of the array that moves. `ia` and `ja` are its first row and column, and count from 1. The
/// process grid has `rows` and `columns`; its processes are ranks in row-major order. For others, add
/// ` order col` or ` ranks a..b` to the text. A submatrix that is not inside of its matrix is
/// `REDIST_ARGUMENT`; a descriptor that is none is `REDIST_LAYOUT`. The text is to be freed by
/// `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_layout_scalapack(
    desc: *const i32,
    m: i64,
    n: i64,
    ia: i64,
    ja: i64,
    rows: i64,
    columns: i64,
    text: *mut *mut c_char,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or nine numbers.
        let desc = unsafe { list(desc, 9, "desc") }?.try_into().expect("nine numbers");
        let part = Submatrix { extents: [m, n], first: [ia, ja] };
        let made = of_scalapack(desc, part, [rows, columns])?;
        // SAFETY: the header demands NULL, or a place for the text.
        unsafe { put_text(text, made, "text") }
    })
}

/// Stores the array descriptor of a side of a plan, nine integers as DESCINIT fills them on a rank, with
/// this CTXT and the least LLD. A rank outside of the grid has CTXT -1. Layouts that ScaLAPACK does not
/// have are `REDIST_LAYOUT`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_scalapack(
    plan: *const Plan,
    side: i32,
    context: i32,
    rank: i64,
    desc: *mut i32,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for nine numbers.
        unsafe {
            let plan = &reference(plan, "plan")?.0;
            let made = descriptor_of(plan, side, (context, rank_of(plan, rank)?))?;
            put(desc.cast::<[i32; 9]>(), || made, "desc")
        }
    })
}

/// `MPI_DISTRIBUTE_NONE`.
pub const REDIST_DISTRIBUTE_NONE: i32 = 0;
/// `MPI_DISTRIBUTE_BLOCK`.
pub const REDIST_DISTRIBUTE_BLOCK: i32 = 1;
/// `MPI_DISTRIBUTE_CYCLIC`.
pub const REDIST_DISTRIBUTE_CYCLIC: i32 = 2;
/// `MPI_DISTRIBUTE_DFLT_DARG`.
pub const REDIST_DISTRIBUTE_DFLT_DARG: i32 = 0;

/// As `redist_layout_darray`, which calls this, for callers without MPI's header: a
/// `REDIST_DISTRIBUTE_…` for each dimension, of which `REDIST_DISTRIBUTE_DFLT_DARG` is a `darg`, and
/// `fortran` not 0 for `MPI_ORDER_FORTRAN`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_layout_darray_numbers(
    dimensions: i32,
    gsizes: *const i32,
    distribs: *const i32,
    dargs: *const i32,
    psizes: *const i32,
    fortran: i32,
    text: *mut *mut c_char,
) -> Status {
    guarded(|| {
        let count = dimensions_of(dimensions)?;
        // SAFETY: the header demands NULL, or lists with as many entries, which nothing writes to.
        let (gsizes, distribs, dargs, psizes) = unsafe {
            (
                list(gsizes, count, "gsizes")?,
                list(distribs, count, "distribs")?,
                list(dargs, count, "dargs")?,
                list(psizes, count, "psizes")?,
            )
        };
        let dists = distribs.iter().zip(dargs).map(|(how, darg)| distribution(*how, *darg));
        let made = Darray {
            gsizes: gsizes.to_vec(),
            dists: dists.collect::<Result<_, _>>()?,
            psizes: psizes.to_vec(),
            fortran: fortran != 0,
        };
        // SAFETY: the header demands NULL, or a place for the text.
        unsafe { put_text(text, made.notation()?, "text") }
    })
}

fn distribution(how: i32, darg: i32) -> Result<DarrayDist, Refusal> {
    let darg = (darg != REDIST_DISTRIBUTE_DFLT_DARG).then_some(darg);
    match how {
        REDIST_DISTRIBUTE_NONE => Ok(DarrayDist::Whole),
        REDIST_DISTRIBUTE_BLOCK => Ok(DarrayDist::Block(darg)),
        REDIST_DISTRIBUTE_CYCLIC => Ok(DarrayDist::Cyclic(darg)),
        other => Err(Refusal::argument(format!(
            "`distribs` has {other}, which is no MPI_DISTRIBUTE_… of the program's MPI library"
        ))),
    }
}

/// As `redist_plan_darray`, which calls this, for callers without MPI's header: numbers are as for
/// `redist_layout_darray_numbers`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_darray_numbers(
    plan: *const Plan,
    side: i32,
    gsizes: *mut i32,
    distribs: *mut i32,
    dargs: *mut i32,
    psizes: *mut i32,
    fortran: *mut i32,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live plan, and NULL or places for as many entries.
        unsafe {
            let found = reference(plan, "plan")?.0.darray(side).map_err(NoLayout::from)?;
            let said: Vec<[i32; 2]> = found.dists.iter().copied().map(said).collect();
            put_each(gsizes, found.gsizes.iter().copied());
            put_each(distribs, said.iter().map(|[how, _]| *how));
            put_each(dargs, said.iter().map(|[_, darg]| *darg));
            put_each(psizes, found.psizes.iter().copied());
            put_each(fortran, [i32::from(found.fortran)].into_iter());
        }
        Ok(())
    })
}

/// Returns the numbers of a distribution.
fn said(dist: DarrayDist) -> [i32; 2] {
    let (how, darg) = match dist {
        DarrayDist::Whole => (REDIST_DISTRIBUTE_NONE, None),
        DarrayDist::Block(darg) => (REDIST_DISTRIBUTE_BLOCK, darg),
        DarrayDist::Cyclic(darg) => (REDIST_DISTRIBUTE_CYCLIC, darg),
    };
    [how, darg.unwrap_or(REDIST_DISTRIBUTE_DFLT_DARG)]
}

/// Stores the mesh of a side of a plan: its number of dimensions, at most 16, and for each of them devices,
/// placement and split factor, as in a `redist_mesh`. `ranks` are those of its devices, in row-major order;
/// they are at most as many as the plan's (`redist_plan_size`). Layouts that no mesh has are
/// `REDIST_LAYOUT`, and the message names the dimension. Each pointer may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_mesh(
    plan: *const Plan,
    side: i32,
    dimensions: *mut i32,
    extents: *mut i64,
    placements: *mut i32,
    split_factors: *mut i64,
    ranks: *mut i64,
) -> Status {
    guarded(|| {
        let side = self::side(side)?;
        // SAFETY: the header demands NULL or a live plan, and NULL or places for as many entries.
        unsafe {
            let found = reference(plan, "plan")?.0.mesh(side).map_err(NoLayout::from)?;
            let cut: Vec<(i32, usize)> = found.placements.iter().copied().map(placed).collect();
            put_each(dimensions, [found.extents.len() as i32].into_iter());
            put_numbers(extents, &found.extents)?;
            put_each(placements, cut.iter().map(|(dim, _)| *dim));
            put_numbers(split_factors, &cut.iter().map(|(_, factor)| *factor).collect::<Vec<_>>())?;
            put_numbers(ranks, &found.ranks)
        }
    })
}

/// Returns the dimension that a placement cuts, or what it is else, and its split factor.
fn placed(placement: Placement) -> (i32, usize) {
    match placement {
        // An array has at most `MAX_DIMENSIONS`.
        Placement::Shard(dim) => (dim as i32, 0),
        Placement::StridedShard { dim, split_factor } => (dim as i32, split_factor),
        Placement::Replicate => (REDIST_REPLICATE, 0),
        Placement::Partial => (REDIST_PARTIAL, 0),
    }
}

/// A mesh of devices, with the placement of a tensor along each of its dimensions, as PyTorch's DTensor
/// has them. Begin with `redist_mesh mesh = REDIST_MESH_INIT;`.
#[derive(Debug)]
#[repr(C)]
pub struct Mesh {
    /// `sizeof(redist_mesh)`.
    pub size: usize,
    /// Number of the mesh's dimensions.
    pub dimensions: i32,
    /// 0.
    pub reserved: i32,
    /// Devices along each dimension.
    pub extents: *const i64,
    /// The ranks of its devices, in row-major order; from 0 on if it is NULL.
    pub ranks: *const i64,
    /// The placement along each dimension: the dimension of the tensor that it cuts (`Shard`), from 0
    /// on, `REDIST_REPLICATE` or `REDIST_PARTIAL`.
    pub placements: *const i32,
    /// Along each dimension that cuts one: the split factor of a `_StridedShard`, or 0. All are 0 if it
    /// is NULL.
    pub split_factors: *const i64,
}

/// Each device along this dimension of the mesh has a copy.
pub const REDIST_REPLICATE: i32 = -1;
/// Each device along this dimension of the mesh has an addend.
pub const REDIST_PARTIAL: i32 = -2;

/// # Safety
/// The pointer is NULL, or points to a mesh. Its lists are NULL, or have an entry for each dimension,
/// `ranks` one for each device. Nothing writes to them while this runs.
unsafe fn mesh(mesh: *const Mesh, name: &str) -> Result<DoorMesh, Refusal> {
    // SAFETY: if the pointer is not NULL, there is a mesh, as the caller promises.
    let own = unsafe { reference(mesh, name) }?;
    check_size::<Mesh>(own.size, "redist_mesh")?;
    let count = length(own.dimensions.into(), &format!("{name}.dimensions"))?;
    let numbers = |list: &[i64], member: &str| {
        let name = format!("{name}.{member}");
        list.iter().map(|value| length(*value, &name)).collect::<Result<Vec<_>, _>>()
    };
    // SAFETY: each list is NULL, or has an entry for each dimension, as the caller promises.
    let (extents, placements, factors) = unsafe {
        (
            numbers(list(own.extents, count, &format!("{name}.extents"))?, "extents")?,
            list(own.placements, count, &format!("{name}.placements"))?,
            optional(own.split_factors, count),
        )
    };
    let factors = match factors.is_empty() {
        true => vec![0; count],
        false => numbers(factors, "split_factors")?,
    };
    let devices = extents.iter().try_fold(1usize, |all, extent| all.checked_mul(*extent));
    let devices = devices.filter(|devices| *devices <= MAX_DEVICES).ok_or_else(|| {
        Refusal::argument(format!("`{name}.extents` are of more than {MAX_DEVICES} devices"))
    })?;
    let ranks = match own.ranks.is_null() {
        true => (0..devices).collect(),
        // SAFETY: it is not NULL, and has an entry for each device, as the caller promises.
        false => numbers(unsafe { list(own.ranks, devices, name) }?, "ranks")?,
    };
    let placements = placements.iter().zip(factors).map(|(placement, factor)| {
        Ok(match (*placement, factor) {
            (REDIST_REPLICATE, _) => Placement::Replicate,
            (REDIST_PARTIAL, _) => Placement::Partial,
            (dim, 0) => Placement::Shard(length(dim.into(), &format!("{name}.placements"))?),
            (dim, split_factor) => {
                let dim = length(dim.into(), &format!("{name}.placements"))?;
                Placement::StridedShard { dim, split_factor }
            }
        })
    });
    let placements = placements.collect::<Result<_, Refusal>>()?;
    Ok(DoorMesh { extents, ranks, placements })
}

/// Most devices of a mesh, which has a list of their ranks.
const MAX_DEVICES: usize = 1 << 20;

/// Stores the layout of a tensor of `extents` on a mesh as a text in the notation. Meshes that replicate
/// or are partial are `REDIST_LAYOUT`: `redist_copies_meshes` plans between these. The text is to be
/// freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_layout_mesh(
    dimensions: i32,
    extents: *const i64,
    mesh: *const Mesh,
    text: *mut *mut c_char,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or lists and a mesh with as many entries, and NULL or a place
        // for the text.
        unsafe {
            let extents = self::extents(dimensions, extents)?;
            put_text(text, self::mesh(mesh, "mesh")?.notation(&extents)?, "text")
        }
    })
}

/// Plans the move of a tensor of `extents` between meshes, as `redist_copies_parse` between texts.
/// Dimensions of a mesh that replicate have copies, and partial ones of the source have addends. `combine`
/// combines these. The plan is to be freed by `redist_copies_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_copies_meshes(
    dimensions: i32,
    extents: *const i64,
    from: *const Mesh,
    to: *const Mesh,
    combine: i32,
    copies: *mut *mut Copies,
) -> Status {
    guarded(|| {
        let combine = combine_of(combine)?;
        // SAFETY: the header demands NULL, or lists and meshes with as many entries, and NULL or a place
        // for the handle.
        unsafe {
            let extents = self::extents(dimensions, extents)?;
            let (from, to) = (mesh(from, "from")?, mesh(to, "to")?);
            let made = between_meshes(&extents, [&from, &to], combine.is_some())?;
            put_handle(copies, Copies::new(made, combine), "copies")
        }
    })
}
