//! A layout in another format and back deals every element to the same owner and place.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use redist::layout::Descriptor;
use redist::layout::interchange::{
    from_darray, from_placements, from_scalapack, to_darray, to_placements, to_scalapack,
};
use redist_testing::strategies::{Case, cases, config};

fn stored<const D: usize>(case: &Case<D>) -> Descriptor<D> {
    let layout = case.from;
    let extents = layout.of.unwrap_or(case.extents);
    let mut whole = layout;
    (whole.of, whole.at) = (None, [0; D]);
    Descriptor::new(extents, whole).expect("the case is a layout")
}

fn same<const D: usize>(one: &Descriptor<D>, other: &Descriptor<D>) -> Result<(), TestCaseError> {
    prop_assert_eq!(one.extents(), other.extents());
    prop_assert_eq!(one.ranks(), other.ranks());
    let elements: usize = one.extents().iter().product();
    for element in 0..elements {
        let mut rest = element;
        let index = core::array::from_fn(|dimension| {
            let extent = one.extents()[dimension];
            let at = rest % extent;
            rest /= extent;
            at
        });
        prop_assert_eq!(one.owner(index), other.owner(index));
        prop_assert_eq!(one.local_offset(index), other.local_offset(index));
    }
    Ok(())
}

fn there_and_back<const D: usize>(case: &Case<D>) -> Result<(), TestCaseError> {
    let array = stored(case);
    if let Ok((extents, distributions, processes, order)) = to_darray(&array) {
        same(&array, &from_darray(extents, distributions, processes, order).unwrap())?;
    }
    if let Ok((mesh, ranks, placements)) = to_placements(&array) {
        let extents = array.extents();
        same(&array, &from_placements(extents, &mesh, &ranks, &placements).unwrap())?;
    }
    Ok(())
}

// feature: descriptors of ScaLAPACK, MPI_Type_create_darray, meshes = `layout::interchange`
#[test]
fn every_format_says_some_layouts() {
    let mut runner = TestRunner::deterministic();
    let mut said = [0; 3];
    for _ in 0..1600 {
        let array = stored(&cases::<2>().new_tree(&mut runner).unwrap().current());
        let rank = array.nth_rank(0);
        said[0] += usize::from(to_darray(&array).is_ok());
        said[1] += usize::from(to_placements(&array).is_ok());
        said[2] += usize::from(to_scalapack(&array, 0, rank).is_ok());
    }
    assert!(said.iter().all(|said| *said > 10), "{said:?}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn lines_are_exchanged(case in cases::<1>()) {
        there_and_back(&case)?;
    }

    #[test]
    fn matrices_are_exchanged(case in cases::<2>()) {
        there_and_back(&case)?;
        let array = stored(&case);
        let layout = array.layout();
        for rank in 0..array.ranks() {
            let Some([row, _]) = array.coordinates(rank) else { continue };
            let Ok(desc) = to_scalapack(&array, 3, rank) else { continue };
            let (read, _) = from_scalapack(desc, layout.grid, Some(row)).unwrap();
            // The context has the ranks and their order.
            let read = read.layout().ranks(layout.ranks).order(layout.order);
            same(&array, &Descriptor::new(array.extents(), read).unwrap())?;
        }
    }

    #[test]
    fn three_dimensions_are_exchanged(case in cases::<3>()) {
        there_and_back(&case)?;
    }
}
