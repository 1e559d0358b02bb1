//! Copies of a side in items of every tier, against run-time plans and dealing.

use redist::exec::PlanWithCopies;
use redist::layout::{Dist, Layout};
use redist::threads::{self, Rank};
use redist::{Error, Side, WithCopies, redistribute};

const RANKS: usize = 6;
const PAIRS: usize = 2;
const TILES: Layout<2> = Layout::new([Dist::Cyclic(2), Dist::Cyclic(5)], [1, 2]);

redistribute! {
    struct Literal: [u32; 12, 10] {
        from: (block, *) onto 3 copies 2,
        to: (*, cyclic(3)) onto 2 storage fortran copies 3,
    }
    struct AllGather: [u32; 12, 10] { from: (block, *) onto 6, to: (*, *) copies 6 }
    struct Broadcast: [u32; 12, 10] { from: (*, *) ranks 5..6, to: (*, *) Copies RANKS }
    struct Gather: [u32; 12, 10] { from: (*, block) onto 2 ranks [4, 1] copies PAIRS - 1, to: (*, *) ranks 2.. }
    struct Maps: [u32; 12, 10] { from: (*, block) onto 2 ranks [1, 0] copies 3, to: (block, *) onto RANKS }
    struct Generic<T: redist::Element, const K: usize>: [T; 12, 10] {
        from: TILES,
        to: (cyclic(K), *) onto 2 copies K,
    }
    struct Late(copies: usize, nb: usize): [u32; 12, 10] {
        from: (cyclic(nb), *) onto 2 copies copies,
        to: (*, *) transposed copies 2 * copies,
    }
    struct Along: [u32; 12, 10] { from: (block, *) onto 6, to: (*, cyclic(3)) onto 2 copies 3 along 1 }
    struct LateAlong(copies: usize): [u32; 12, 10] {
        from: (block, *) onto 2 order col copies copies along 1,
        to: (*, block) onto 3 copies 2 along 0,
    }
    struct Value(from: Layout<2>): [u32; 12, 10] { from: from, to: (block, *) onto 3 copies 2 }
}

/// Element (i, j) of the moved array is `10 * i + j`.
fn parts(layout: &Layout<2>, transposed: bool) -> Vec<Vec<u32>> {
    let extents = if transposed { [10, 12] } else { [12, 10] };
    let plan = redist::Plan::<2>::new(extents, *layout, *layout).unwrap();
    let side = plan.descriptor(Side::Source);
    let mut parts: Vec<_> = (0..RANKS).map(|rank| vec![u32::MAX; side.local_len(rank)]).collect();
    for index in (0..extents[0]).flat_map(|row| (0..extents[1]).map(move |column| [row, column])) {
        let [row, column] = if transposed { [index[1], index[0]] } else { index };
        let owner = side.owner(index);
        parts[owner][side.local(owner).offset_of(index).unwrap()] = (10 * row + column) as u32;
    }
    parts
}

fn all_parts(layouts: &[Layout<2>], transposed: bool) -> Vec<Vec<u32>> {
    let mut all = vec![Vec::new(); RANKS];
    for layout in layouts {
        for (rank, part) in parts(layout, transposed).into_iter().enumerate() {
            if !part.is_empty() {
                assert!(all[rank].is_empty(), "rank {rank} is in two copies");
                all[rank] = part;
            }
        }
    }
    all
}

#[track_caller]
fn check(item: &(impl WithCopies<2, Element = u32> + Sync), from: &str, to: &str) {
    let other = PlanWithCopies::<u32, 2>::parse([12, 10], from, to).unwrap();
    assert_eq!(item.explain().unwrap(), format!("{}: {}", item.name(), other.explain()));
    let counts = [Side::Source, Side::Destination].map(|side| item.copies(side));
    assert_eq!(counts, [Side::Source, Side::Destination].map(|side| other.copies(side)));
    let layouts = |side| {
        let layout = item.first().descriptor(side).layout().axes([0, 1]);
        match item.along(side) {
            Some(along) => layout.copies_along(item.copies(side), along).unwrap(),
            None => layout.copies(item.copies(side)),
        }
    };
    let before = all_parts(&layouts(Side::Source), false);
    let turned = to.contains("transposed");
    let after = all_parts(&layouts(Side::Destination), turned);
    let moved = threads::run(RANKS, |rank: &Rank| {
        let mut bound = item.bind(rank)?;
        let mut found = vec![0; bound.local_len(Side::Destination)];
        assert_eq!(bound.local_len(Side::Source), before[rank.rank()].len());
        bound.run(&before[rank.rank()], &mut found)?;
        Ok::<_, Error>(found)
    });
    assert_eq!(moved.unwrap(), after);
}

#[test]
fn literals() {
    let rows = "(block, *) onto 3 copies 2";
    check(&Literal::new(), rows, "(*, cyclic(3)) onto 2 storage fortran copies 3");
    check(&AllGather::new(), "(block, *) onto 6", "(*, *) copies 6");
}

#[test]
fn constants() {
    check(&Broadcast::new(), "(*, *) ranks 5..6", "(*, *) copies 6");
    check(&Gather::new(), "(*, block) onto 2 ranks [4, 1]", "(*, *) ranks 2..");
    check(&Maps::new(), "(*, block) onto 2 ranks [1, 0] copies 3", "(block, *) onto 6");
    assert_eq!(Gather::new().copies(Side::Source), 1);
}

#[test]
fn generics() {
    let tiles = "(cyclic(2), cyclic(5)) onto (1, 2)";
    check(&Generic::<u32, 3>::new(), tiles, "(cyclic(3), *) onto 2 copies 3");
    check(&Generic::<u32, 1>::new(), tiles, "(cyclic(1), *) onto 2");
}

#[test]
fn axes_of_the_grid() {
    check(&Along::new(), "(block, *) onto 6", "(*, cyclic(3)) onto 2 copies 3 along 1");
    let late = LateAlong::new(3).unwrap();
    let rows = "(block, *) onto 2 order col copies 3 along 1";
    check(&late, rows, "(*, block) onto 3 copies 2 along 0");
    let error = LateAlong::new(1 << 20).err().unwrap().to_string();
    assert!(error.contains("copies of the source"), "{error}");
}

#[test]
fn parameters() {
    let late = Late::new(3, 4).unwrap();
    check(&late, "(cyclic(4), *) onto 2 copies 3", "(*, *) transposed copies 6");
    check(&Value::new(TILES).unwrap(), &TILES.to_string(), "(block, *) onto 3 copies 2");
}

#[test]
fn wrong_parameters_are_told_by_new() {
    let told = |item: Result<Late, Error>| item.err().unwrap().to_string();
    let none = told(Late::new(0, 4));
    assert_eq!(none, "the copies of the source: it has none; a side has at least one");
    let many = told(Late::new(1 << 20, 4));
    assert_eq!(
        many,
        "the copies of the source: 1048576 of them have more than 1048576 ranks in all; ask for fewer"
    );
    assert!(told(Late::new(2, 0)).contains("`nb`"));
}

#[test]
fn pairs_of_copies_are_bounded() {
    let copies = "* copies 4096";
    let error = PlanWithCopies::<u8, 1>::parse([4], copies, copies).err().unwrap().to_string();
    assert_eq!(
        error,
        "the copies of the destination: 4096 of them and 4096 of the source are more than 1048576 pairs; ask for fewer"
    );
}
