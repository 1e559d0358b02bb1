//! `new` of items with parameters: errors name item, expression, dimension and value.

use redist::layout::Dist;
use redist::plan::PlanError;
use redist::{Element, Error, Layout, Redistribution, TypedPlan, redistribute};

const TWENTY: usize = 20;

redistribute! {
    struct Block(nb: usize): [f64; 100, 90] {
        from: (cyclic(4), *) onto 3,
        to: (*, cyclic(nb - 1)) onto 3,
    }
    struct Grid(p: usize, q: usize): [f64; 100, 90] {
        from: (cyclic(4), block) onto (2, q),
        to: (cyclic(2), cyclic(3)) onto (p, q),
    }
    struct First(f: usize, p: usize): [f64; 100] { from: cyclic(4) onto p first f, to: cyclic(2) onto 3 }
    struct Section(m: usize, of: usize, at: usize): [f64; m, 10] {
        from: (cyclic(4), *) onto 2,
        to: (*, cyclic(4)) onto 2 of (of, 12) at (at, 2),
    }
    struct Ranks(p: usize, first: usize, end: usize): [f64; 100] {
        from: cyclic(4) onto 3,
        to: cyclic(2) onto p ranks first..end,
    }
    struct Whole(m: usize, b: usize, p: usize): [f64; m] { from: block(b) onto p, to: cyclic(2) onto 3 }
    struct Extent(m: usize, n: usize): [f64; m, n] { from: (cyclic(4), *) onto 2, to: (*, block) onto 2 }
    struct Turned(m: usize, n: usize): [f64; m, n] {
        from: (cyclic(4), *) onto 2,
        to: (block(5), *) onto 2 transposed,
    }
    struct Couple<T: Element>(peer: Layout<2>): [T; 60, 50] { from: (cyclic(4), *) onto 2, to: peer }
    struct Names(given: usize, extents: usize, from: Layout<1>, to: usize, plan: usize): [f64; extents] {
        from: from,
        to: cyclic(given) onto to first plan,
    }
    struct Half(n: usize): [f64; 100, n] { from: (block, *) onto 3, to: (cyclic(7), *) onto 2, require: tables }
    struct Small(n: usize): [f64; 100, n] { from: (block(TWENTY), *) onto 3, to: (cyclic(7), *) onto 2 }
    struct Pair(a: Layout<1>, b: Layout<1>): [f64; 12] { from: a, to: b }
}

fn error<R>(item: &str, new: Result<R, Error>) -> String {
    let Some(error) = new.err() else { panic!("`{item}` accepted what is wrong") };
    let text = error.to_string();
    assert!(matches!(error, Error::Given { .. }), "{text}");
    text.strip_prefix(&format!("`{item}::new`: "))
        .unwrap_or_else(|| panic!("`{item}` is not named in: {text}"))
        .into()
}

fn layout<const D: usize>(text: &str) -> Layout<D> {
    text.parse().expect("the test's own layout")
}

#[track_caller]
fn same<const D: usize, R: Redistribution<D>>(new: Result<R, Error>, from: &str, to: &str) {
    let plan = new.expect("what is right is accepted");
    let other =
        TypedPlan::<u8, D>::parse(plan.plan().extents(), from, to).expect("the test's own layouts");
    assert_eq!(plan.plan(), other.plan());
    assert_eq!(plan.inverse().plan(), other.inverse().plan());
}

#[test]
fn a_zero_block() {
    assert_eq!(
        error("Block", Block::new(1)),
        "destination layout: dimension 1: a block must hold at least 1 element, found 0 (given by `nb - 1`)"
    );
    same(Block::new(9), "(cyclic(4), *) onto 3", "(*, cyclic(8)) onto 3");
}

#[test]
fn a_zero_grid() {
    let zero = "a grid extent must be at least 1, found 0";
    let (p, q) = (error("Grid", Grid::new(0, 3)), error("Grid", Grid::new(3, 0)));
    assert_eq!(p, format!("destination layout: dimension 0: {zero} (given by `p`)"));
    assert_eq!(q, format!("source layout: dimension 1: {zero} (given by `q`)"));
    same(Grid::new(1, 3), "(cyclic(4), block) onto (2, 3)", "(cyclic(2), cyclic(3)) onto (1, 3)");
}

#[test]
fn a_first_block_outside_the_grid() {
    assert_eq!(
        error("First", First::new(3, 3)),
        "source layout: dimension 0: the first block goes to coordinate 3, but the grid has coordinates 0..3; choose \
         one of them (given by `p`, `f`)"
    );
    same(First::new(2, 3), "cyclic(4) onto 3 first 2", "cyclic(2) onto 3");
}

#[test]
fn a_section_outside_the_array() {
    let outside = |section: &str, stored: usize| {
        format!(
            "destination layout: dimension 0: the section {section} reaches past the stored extent {stored}; move it \
             or make it shorter (given by `m`, `of`, `at`)"
        )
    };
    assert_eq!(error("Section", Section::new(20, 25, 6)), outside("6..26", 25));
    assert_eq!(error("Section", Section::new(26, 25, 0)), outside("0..26", 25));
    assert_eq!(error("Section", Section::new(0, 25, 26)), outside("26..26", 25));
    let far = error("Section", Section::new(20, 25, usize::MAX));
    assert!(far.contains(&format!("{}..{}", usize::MAX, usize::MAX)), "{far}");
    same(
        Section::new(20, 25, 5),
        "(cyclic(4), *) onto 2",
        "(*, cyclic(4)) onto 2 of (25, 12) at (5, 2)",
    );
}

#[test]
fn ranks_that_do_not_fit_the_grid() {
    assert_eq!(
        error("Ranks", Ranks::new(4, 6, 9)),
        "destination layout: `ranks 6..9` does not fit the grid, which has 4; write `ranks 6..10` (given by `p`, \
         `first`, `end`)"
    );
    assert!(error("Ranks", Ranks::new(4, 6, 2)).contains("`ranks 6..2`"));
    same(Ranks::new(4, 6, 10), "cyclic(4) onto 3", "cyclic(2) onto 4 ranks 6..10");
}

#[test]
fn a_block_that_is_too_small() {
    assert_eq!(
        error("Whole", Whole::new(100, 33, 3)),
        "source layout: dimension 0: block(33) on 3 ranks holds 99 elements, but the extent is 100; use `block` or \
         `cyclic(33)` (given by `m`, `p`, `b`)"
    );
    same(Whole::new(99, 33, 3), "block(33) onto 3", "cyclic(2) onto 3");
}

#[test]
fn too_many_ranks() {
    let grid = error("Grid", Grid::new(1 << 16, 1 << 16));
    assert!(
        grid.starts_with(
            "destination layout: the grid and its first rank 0 reach past rank 2^31 - 1"
        ),
        "{grid}"
    );
    assert!(grid.ends_with("(given by `p`, `q`)"), "{grid}");
    let base = error("Ranks", Ranks::new(4, 1 << 31, (1 << 31) + 4));
    assert!(
        base.contains("first rank 2147483648") && base.ends_with("(given by `p`, `first`, `end`)"),
        "{base}"
    );
}

#[test]
fn an_extent_that_is_too_large() {
    let extent = error("Extent", Extent::new(1 << 63, 1));
    assert!(
        extent.starts_with(
            "source layout: dimension 0: an extent must be at most 9223372036854775807, "
        ),
        "{extent}"
    );
    assert!(extent.ends_with("(given by `m`)"), "{extent}");
    let elements = error("Extent", Extent::new(1 << 32, 1 << 32));
    assert!(
        elements.starts_with("source layout: the array has more than 9223372036854775807 elements"),
        "{elements}"
    );
    assert!(elements.ends_with("(given by `m`, `n`)"), "{elements}");
    same(Extent::new(0, 1 << 62), "(cyclic(4), *) onto 2", "(*, block) onto 2");
}

#[test]
fn a_block_that_is_too_large() {
    let block = error("Block", Block::new((1 << 63) + 1));
    let limit = "a block must hold at most 9223372036854775807 elements, found 9223372036854775808";
    assert_eq!(block, format!("destination layout: dimension 1: {limit} (given by `nb - 1`)"));
    same(Block::new(1 << 63), "(cyclic(4), *) onto 3", "(*, cyclic(9223372036854775807)) onto 3");
}

#[test]
fn an_extent_of_a_permuted_side() {
    let turned = error("Turned", Turned::new(3, 11));
    assert!(
        turned
            .starts_with("destination layout: dimension 0: block(5) on 2 ranks holds 10 elements"),
        "{turned}"
    );
    assert!(turned.contains("`n`"), "{turned}");
    same(Turned::new(3, 10), "(cyclic(4), *) onto 2", "(block(5), *) onto 2 transposed");
}

#[test]
fn a_layout_that_is_wrong() {
    let peer = |text: &str| error("Couple", Couple::<f32>::new(layout(text)));
    assert_eq!(
        peer("(*, cyclic(0)) onto 2"),
        "destination layout: dimension 1: a block must hold at least 1 element, found 0 (given by `peer`)"
    );
    assert!(peer("(*, block) onto 2 of (60, 49)").contains("dimension 1: the section 0..50"));
    assert!(
        peer("(block, gen_block([20, 20])) onto (1, 2)")
            .contains("add up to 40, 10 less than the extent 50")
    );
    let collapsed =
        error("Couple", Couple::<f32>::new(Layout::new([Dist::Collapsed, Dist::Block], [2, 2])));
    assert!(
        collapsed.contains("dimension 0 is collapsed (`*`), but the grid gives it 2 ranks"),
        "{collapsed}"
    );
    let axes = error("Couple", Couple::<f32>::new(layout::<2>("(block, *) onto 2").axes([0, 0])));
    assert!(
        axes.contains("`axes` must name each axis once; 1 is missing (given by `peer`)"),
        "{axes}"
    );
    same(
        Couple::<f32>::new(layout("(*, block) onto 2")),
        "(cyclic(4), *) onto 2",
        "(*, block) onto 2",
    );
}

#[test]
fn of_two_layouts_the_one_at_fault() {
    let (right, wrong) = (layout("block onto 3"), layout("cyclic onto 2 first 5"));
    assert!(error("Pair", Pair::new(wrong, right)).ends_with("(given by `a`)"));
    assert!(error("Pair", Pair::new(right, wrong)).ends_with("(given by `b`)"));
    let transposed = error("Pair", Pair::new(right.axes([1]), right));
    assert!(
        transposed.contains("source layout") && transposed.ends_with("(given by `a`)"),
        "{transposed}"
    );
    same(
        Pair::new(right, layout("gen_block([0, 12]) onto 2")),
        "block onto 3",
        "gen_block([0, 12]) onto 2",
    );
}

#[test]
fn parameters_are_called_what_they_like() {
    same(
        Names::new(3, 100, layout("block onto 3"), 4, 1),
        "block onto 3",
        "cyclic(3) onto 4 first 1",
    );
    assert!(
        error("Names", Names::new(0, 100, layout("block onto 3"), 4, 1))
            .ends_with("(given by `given`)")
    );
}

#[test]
fn known_dimensions_have_tables() {
    let half = Half::new(20).unwrap();
    assert_eq!(
        half.windows().map(|table| table.pieces().len()),
        [half.plan().axis(0).window_pieces(), 0]
    );
    assert!(!half.windows()[0].pieces().is_empty());
    same(Half::new(20), "(block, *) onto 3", "(cyclic(7), *) onto 2");
    assert!(error("Small", Small::new(20)).contains("block(20) on 3 ranks holds 60 elements"));
}

#[test]
fn errors_have_fields() {
    let Err(Error::Given { item, error, expressions }) = Ranks::new(4, 6, 9) else {
        panic!("wrong ranks")
    };
    assert_eq!(
        (item, expressions.as_slice()),
        ("Ranks", &["`p`".into(), "`first`".into(), "`end`".into()][..])
    );
    assert!(matches!(error, PlanError::Ranks { first: 6, end: 9, ranks: 4, .. }));
}
