//! Random plans are drawn without errors.

use super::content::volumes_on;
use super::drawn::{everything, plan};
use super::legibility::assert_legible;
use proptest::prelude::*;

fn dimension() -> impl Strategy<Value = (String, usize)> {
    let ranks = prop_oneof![4 => 1usize..6, 1 => 1usize..20];
    let block = prop_oneof![3 => 1usize..9, 1 => 1usize..200];
    prop_oneof![
        1 => Just(("*".to_owned(), 0)),
        2 => ranks.clone().prop_map(|ranks| ("block".to_owned(), ranks)),
        4 => (block, ranks).prop_map(|(block, ranks)| (format!("cyclic({block})"), ranks)),
    ]
}

fn layout(dimensions: usize) -> impl Strategy<Value = String> {
    (prop::collection::vec(dimension(), dimensions), 0usize..150, any::<bool>()).prop_map(
        |(parts, base, fortran)| {
            let dists: Vec<_> = parts.iter().map(|(dist, _)| dist.as_str()).collect();
            let grid: Vec<_> =
                parts.iter().filter(|part| part.1 > 0).map(|part| part.1.to_string()).collect();
            let ranks = parts.iter().map(|part| part.1.max(1)).product::<usize>();
            let onto = if grid.is_empty() {
                String::new()
            } else {
                format!(" onto ({})", grid.join(", "))
            };
            let storage = if fortran { " storage fortran" } else { "" };
            format!("({}){onto} ranks {base}..{}{storage}", dists.join(", "), base + ranks)
        },
    )
}

fn extent() -> impl Strategy<Value = usize> {
    prop_oneof![4 => 1usize..200, 1 => 1usize..100_000]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn lines_are_drawn(extent in prop_oneof![9 => extent(), 1 => 1usize..1 << 62], from in layout(1), to in layout(1)) {
        let svg = everything(&plan([extent], &from, &to));
        assert_legible(&svg);
        prop_assert_eq!(volumes_on(&svg), extent);
    }

    #[test]
    fn matrices_are_drawn(extents in [extent(), extent()], from in layout(2), to in layout(2)) {
        let svg = everything(&plan(extents, &from, &to));
        assert_legible(&svg);
    }

    #[test]
    fn slices_are_drawn(extents in [1usize..60, 1usize..60, 1usize..60], from in layout(3), to in layout(3)) {
        let svg = everything(&plan(extents, &from, &to));
        assert_legible(&svg);
    }
}
