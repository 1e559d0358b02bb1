//! Layouts in the words of other libraries, which become texts in the notation.

use crate::copies::DoorCopies;
use crate::foreign::{Darray, DarrayDist, Mesh};
use crate::plan::{DoorPlan, NoPlan, by_dimensions};
use redist::Layout;
use redist::exec::{PlanWithCopies, Reduction};
use redist::layout::interchange::{
    InterchangeError, Placed, from_darray, from_placements, from_scalapack,
};
use redist::layout::{Dist, StorageOrder};

/// A part of a matrix of ScaLAPACK: `M`, `N`, and `IA`, `JA`, which count from 1.
#[derive(Clone, Copy, Debug)]
pub struct Submatrix {
    /// Rows and columns.
    pub extents: [i64; 2],
    /// The first row and column.
    pub first: [i64; 2],
}

/// The reason why words of another library are no layout.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoLayout {
    #[error(transparent)]
    Interchange(#[from] InterchangeError),
    #[error("{name} is {value}, and {must}")]
    Number { name: &'static str, value: i64, must: &'static str },
    #[error("{name} has {found} entries, but must have {needed}")]
    Entries { name: &'static str, found: usize, needed: usize },
    #[error(transparent)]
    Plan(#[from] NoPlan),
}

fn number(name: &'static str, value: i64, least: i64) -> Result<usize, NoLayout> {
    let must = if least == 0 { "must not be negative" } else { "must be at least 1" };
    let found = usize::try_from(value).ok().filter(|_| value >= least);
    found.ok_or(NoLayout::Number { name, value, must })
}

/// Returns the layout of a submatrix, by the descriptor of its matrix: nine integers of `DESCINIT`. The
/// grid has `rows` and `columns`, whose processes are ranks in row-major order. Of the descriptor,
/// CTXT and LLD are not looked at.
///
/// # Errors
/// A number that no descriptor has; a submatrix that is not inside of the matrix.
pub fn of_scalapack(
    desc: [i32; 9],
    Submatrix { extents, first }: Submatrix,
    [rows, columns]: [i64; 2],
) -> Result<String, NoLayout> {
    let grid = [number("rows", rows, 1)?, number("columns", columns, 1)?];
    let (whole, _) = from_scalapack(desc, grid, None)?;
    let extents = [number("m", extents[0], 0)?, number("n", extents[1], 0)?];
    let at = [number("ia", first[0], 1)? - 1, number("ja", first[1], 1)? - 1];
    for (dimension, name) in ["m", "n"].into_iter().enumerate() {
        let (must, value) = ("the submatrix ends behind its matrix", extents[dimension] as i64);
        let end = at[dimension].checked_add(extents[dimension]);
        if end.is_none_or(|end| end > whole.extents()[dimension]) {
            return Err(NoLayout::Number { name, value, must });
        }
    }
    let layout = *whole.layout();
    Ok(match extents == whole.extents() {
        true => layout,
        false => layout.of(whole.extents()).at(at),
    }
    .to_string())
}

impl DarrayDist {
    fn dist(self, psize: i32) -> Result<Dist, NoLayout> {
        let block = |darg: i32| number("darg", darg.into(), 1);
        Ok(match self {
            Self::Whole if psize != 1 => {
                let must = "must be 1 in a dimension that is MPI_DISTRIBUTE_NONE";
                return Err(NoLayout::Number { name: "psize", value: psize.into(), must });
            }
            Self::Whole => Dist::Collapsed,
            Self::Block(None) => Dist::Block,
            Self::Block(Some(darg)) => Dist::BlockOf(block(darg)?),
            Self::Cyclic(darg) => Dist::Cyclic(darg.map_or(Ok(1), block)?),
        })
    }
}

impl Darray {
    /// Returns the layout.
    ///
    /// # Errors
    /// MPI does not allow the arguments; lists of other lengths than that of the extents.
    pub fn notation(&self) -> Result<String, NoLayout> {
        let needed = self.gsizes.len();
        for (name, found) in [("distribs", self.dists.len()), ("psizes", self.psizes.len())] {
            if found != needed {
                return Err(NoLayout::Entries { name, found, needed });
            }
        }
        by_dimensions!(darray, (&self.gsizes[..], self), 0 1 2 3 4 5 6 7 8)
    }
}

fn darray<const D: usize>((gsizes, of): (&[i32], &Darray)) -> Result<String, NoLayout> {
    let order = if of.fortran { StorageOrder::Fortran } else { StorageOrder::C };
    let mut dists = [Dist::Collapsed; D];
    for (dist, (own, psize)) in dists.iter_mut().zip(of.dists.iter().zip(&of.psizes)) {
        *dist = own.dist(*psize)?;
    }
    let each = |list: &[i32]| <[i32; D]>::try_from(list).expect("an entry for each dimension");
    let made = from_darray(each(gsizes), dists, each(&of.psizes), order)?;
    Ok(made.layout().to_string())
}

impl Mesh {
    /// Returns the layout of a tensor of these extents, which has one copy.
    ///
    /// # Errors
    /// The placements are of another mesh or tensor, replicate, or are partial.
    pub fn notation(&self, extents: &[usize]) -> Result<String, NoLayout> {
        by_dimensions!(on_mesh, (extents, self), 0 1 2 3 4 5 6 7 8)
    }
}

fn on_mesh<const D: usize>((extents, mesh): (&[usize], &Mesh)) -> Result<String, NoLayout> {
    let Mesh { extents: along, ranks, placements } = mesh;
    let extents = extents.try_into().expect("as many extents as dimensions");
    Ok(from_placements::<D>(extents, along, ranks, placements)?.layout().to_string())
}

/// Plans the move of a tensor between meshes. Dimensions of a mesh that replicate have copies. With
/// `is_sum`, the source's partial dimensions have addends.
///
/// # Errors
/// The placements are of another mesh or tensor; addends without a sum, or of the destination.
pub fn between_meshes(
    extents: &[usize],
    meshes: [&Mesh; 2],
    is_sum: bool,
) -> Result<DoorCopies, NoLayout> {
    by_dimensions!(placed, (extents, meshes, is_sum), 0 1 2 3 4 5 6 7 8)
}

fn placed<const D: usize>(
    (extents, [from, to], is_sum): (&[usize], [&Mesh; 2], bool),
) -> Result<DoorCopies, NoLayout> {
    let extents: [usize; D] = extents.try_into().expect("as many extents as dimensions");
    let side = |mesh: &Mesh| -> Result<(Vec<Layout<D>>, usize), InterchangeError> {
        let placed = Placed::new(extents, &mesh.extents, &mesh.ranks, &mesh.placements)?;
        let layouts = placed.copies.iter().map(|copy| *copy.layout());
        Ok((layouts.collect(), placed.addends))
    };
    let ((from, addends), (to, to_addends)) = (side(from)?, side(to)?);
    let addends_of =
        |name, count: usize, must| Err(NoLayout::Number { name, value: count as i64, must });
    if to_addends > 1 {
        let must = "the destination has none: let its dimensions replicate or shard";
        return addends_of("the number of addends of `to`", to_addends, must);
    }
    match is_sum {
        // Copies of a source are equal: the addends of the first one are enough.
        true => Ok(DoorCopies::of(
            Reduction::<u8, D>::new(extents, &from[..addends], &to).map_err(NoPlan::from)?,
        )),
        false if addends > 1 => {
            let must = "needs a function that combines them: name one, such as a sum";
            addends_of("the number of addends of `from`", addends, must)
        }
        false => Ok(DoorCopies::of(
            PlanWithCopies::<u8, D>::new(extents, &from, &to).map_err(NoPlan::from)?,
        )),
    }
}

/// Returns the descriptor of a side as ScaLAPACK's `DESCINIT` fills it on a rank, with the least LLD:
/// see `to_scalapack`.
///
/// # Errors
/// ScaLAPACK has no such matrix.
pub fn descriptor_of(
    plan: &DoorPlan,
    side: redist::Side,
    (context, rank): (i32, usize),
) -> Result<[i32; 9], NoLayout> {
    plan.scalapack(side, context, rank)
        .ok_or(NoLayout::Number {
            name: "the number of dimensions",
            value: plan.dimensions() as i64,
            must: "must be 2: a descriptor is of a matrix",
        })?
        .map_err(NoLayout::from)
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist::Side;
    use redist::layout::interchange::Placement;

    const DESC: [i32; 9] = [1, 0, 100, 60, 8, 4, 1, 0, 52];

    #[test]
    fn descriptors_become_layouts_and_sections() {
        let all = Submatrix { extents: [100, 60], first: [1, 1] };
        let part = Submatrix { extents: [30, 20], first: [5, 9] };
        let text = of_scalapack(DESC, all, [2, 3]).unwrap();
        assert_eq!(text, "(cyclic(8), cyclic(4)) onto (2, 3) first (1, 0) storage fortran");
        let text = of_scalapack(DESC, part, [2, 3]).unwrap();
        assert!(text.ends_with("of [100, 60] at [4, 8]"), "{text}");
        let plan = DoorPlan::parse(&[30, 20], &text, "(block, *) onto 4").unwrap();
        assert_eq!(
            descriptor_of(&plan, Side::Source, (7, 0)).unwrap()[..8],
            [1, 7, 100, 60, 8, 4, 1, 0]
        );
        assert!(descriptor_of(&plan, Side::Destination, (7, 0)).is_err());
        let says = |part, words: &str| {
            let said = of_scalapack(DESC, part, [2, 3]).unwrap_err().to_string();
            assert!(said.contains(words), "{said}");
        };
        says(Submatrix { first: [72, 1], ..part }, "m is 30, and the submatrix ends behind");
        says(Submatrix { first: [0, 1], ..part }, "ia is 0, and must be at least 1");
        let said = of_scalapack([7, 0, 1, 1, 1, 1, 0, 0, 1], all, [2, 3]).unwrap_err().to_string();
        assert!(said.contains("DTYPE"), "{said}");
        assert!(of_scalapack(DESC, all, [0, 3]).is_err());
    }

    #[test]
    fn darrays_become_layouts() {
        let darray = Darray {
            gsizes: vec![10, 9, 8],
            dists: vec![DarrayDist::Cyclic(Some(2)), DarrayDist::Whole, DarrayDist::Block(None)],
            psizes: vec![2, 1, 3],
            fortran: true,
        };
        let text = darray.notation().unwrap();
        assert_eq!(text, "(cyclic(2), *, block) onto (2, 3) storage fortran");
        let wrong = Darray { psizes: vec![2, 3, 1], ..darray.clone() };
        assert!(wrong.notation().unwrap_err().to_string().starts_with("psize is 3"));
        let wrong = Darray { psizes: vec![2], ..darray.clone() };
        assert_eq!(
            wrong.notation().unwrap_err().to_string(),
            "psizes has 1 entries, but must have 3"
        );
        let one = vec![DarrayDist::Cyclic(None), DarrayDist::Block(Some(0)), DarrayDist::Whole];
        let wrong = Darray { dists: one, psizes: vec![2, 3, 1], ..darray };
        assert!(wrong.notation().unwrap_err().to_string().starts_with("darg is 0"));
    }

    #[test]
    fn meshes_become_layouts_copies_and_sums() {
        let mesh = |placements: [Placement; 2]| Mesh {
            extents: vec![2, 2],
            ranks: vec![0, 1, 2, 3],
            placements: placements.into(),
        };
        let tiles = mesh([Placement::Shard(1), Placement::Shard(0)]);
        let text = tiles.notation(&[9, 8]).unwrap();
        assert_eq!(text, "(block, block) onto (2, 2) ranks [0, 2, 1, 3]");
        let copied = mesh([Placement::Replicate, Placement::Shard(0)]);
        assert!(copied.notation(&[9, 8]).unwrap_err().to_string().contains("copies"));
        let copies = between_meshes(&[9, 8], [&tiles, &copied], false).unwrap();
        let counts = [Side::Source, Side::Destination].map(|side| copies.count(side));
        assert_eq!((counts, copies.is_sum()), ([1, 2], false));
        let addends = mesh([Placement::Partial, Placement::Shard(0)]);
        let sum = between_meshes(&[9, 8], [&addends, &tiles], true).unwrap();
        assert!(sum.is_sum() && sum.count(Side::Source) == 2);
        let said = |meshes, is_sum| between_meshes(&[9, 8], meshes, is_sum).err().unwrap();
        assert!(said([&addends, &tiles], false).to_string().contains("`from` is 2"));
        assert!(said([&tiles, &addends], true).to_string().contains("`to` is 2"));
    }

    #[test]
    fn layouts_become_the_arguments_again() {
        let (darray, mesh) =
            ("(cyclic(2), *, block(4)) onto (2, 3)", "(block, cyclic(2), *) onto (2, 2)");
        let plan = DoorPlan::parse(&[10, 8, 8], darray, mesh).unwrap();
        let found = plan.darray(Side::Source).unwrap();
        assert_eq!(
            (&*found.gsizes, &*found.psizes, found.fortran),
            (&[10, 8, 8][..], &[2, 1, 3][..], false)
        );
        assert_eq!(found.notation().unwrap(), plan.layout(Side::Source));
        let found = plan.mesh(Side::Destination).unwrap();
        assert_eq!(found.placements[0], Placement::Shard(0));
        assert_eq!(found.notation(&[10, 8, 8]).unwrap(), plan.layout(Side::Destination));
        let other = "(gen_block([1, 9]), *, *) onto 2 storage fortran";
        let plan = DoorPlan::parse(&[10, 8, 8], other, "(*, *, *)").unwrap();
        assert!(plan.darray(Side::Source).unwrap_err().to_string().contains("different sizes"));
        assert!(plan.mesh(Side::Source).is_err());
    }
}
