//! Layouts as text: in the notation, and as a Rust expression. The caller spells sizes.

use crate::case::{Dimension, Dist, Side};

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Extent,
    Block,
    /// A size of a `gen_block`, `rows` or `points`: no parameters.
    GivenBlock,
    Grid,
    /// All others: first coordinates, ranks, sections.
    Place,
}

pub type Spell<'a> = dyn FnMut(Role, usize) -> String + 'a;

pub fn literal(_: Role, size: usize) -> String {
    size.to_string()
}

pub fn layout(side: &Side, spell: &mut Spell) -> String {
    let mut text = if side.scalapack { scalapack(side, spell) } else { distributions(side, spell) };
    if let Some(map) = &side.map {
        text += &format!(" ranks [{}]", list(Role::Place, map, spell));
    } else if side.base > 0 {
        let ranks: usize = side.dimensions.iter().map(|dimension| dimension.ranks).product();
        text += &format!(
            " ranks {}..{}",
            spell(Role::Place, side.base),
            spell(Role::Place, side.base + ranks)
        );
    }
    text += if side.by_columns { " order col" } else { "" };
    text += if side.fortran && !side.scalapack { " storage fortran" } else { "" };
    if let Some((of, at)) = &side.section {
        text += &format!(
            " of [{}] at [{}]",
            list(Role::Place, of, spell),
            list(Role::Place, at, spell)
        );
    }
    text + &axes(side)
}

fn scalapack(side: &Side, spell: &mut Spell) -> String {
    let blocks: Vec<String> =
        side.dimensions.iter().map(|dimension| block(dimension, spell)).collect();
    let grid = list(Role::Grid, &each(side, |dimension| dimension.ranks), spell);
    let first = list(Role::Place, &each(side, |dimension| dimension.first), spell);
    format!("scalapack({}, {grid}, {first})", blocks.join(", "))
}

fn distributions(side: &Side, spell: &mut Spell) -> String {
    let dists: Vec<String> =
        side.dimensions.iter().map(|dimension| distribution(dimension, spell)).collect();
    let mut text = format!("({})", dists.join(", "));
    let (grid, first) =
        (each(side, |dimension| dimension.ranks), each(side, |dimension| dimension.first));
    if !grid.is_empty() {
        text += &format!(" onto ({})", list(Role::Grid, &grid, spell));
    }
    if first.iter().any(|&first| first > 0) {
        text += &format!(" first ({})", list(Role::Place, &first, spell));
    }
    text
}

fn distribution(dimension: &Dimension, spell: &mut Spell) -> String {
    match &dimension.dist {
        Dist::Collapsed => "*".into(),
        Dist::Block => "block".into(),
        Dist::BlockOf(_) => format!("block({})", block(dimension, spell)),
        Dist::Balanced(last) => format!("block balanced{}", if *last { " last" } else { "" }),
        Dist::Cyclic(_) => format!("cyclic({})", block(dimension, spell)),
        Dist::GenBlock(sizes) => format!("gen_block([{}])", list(Role::GivenBlock, sizes, spell)),
        Dist::Listed(cuts, owners) => format!(
            "blocks([{}], [{}])",
            list(Role::GivenBlock, cuts, spell),
            list(Role::GivenBlock, owners, spell)
        ),
        Dist::Points(sizes) => format!("points([{}])", lengths(sizes, spell)),
        Dist::Split(factors) => {
            let extents: Vec<usize> = factors.iter().map(|factor| factor.0).collect();
            let mut text = format!("split([{}]", list(Role::GivenBlock, &extents, spell));
            for (_, word, ranks) in factors {
                text += &match *word {
                    "*" => ", *".into(),
                    word => format!(", {word} onto {}", spell(Role::GivenBlock, *ranks)),
                };
            }
            text + ")"
        }
        Dist::Rows { lengths: sizes, turn, points } => {
            let mut text = format!("rows([{}], ", lengths(sizes, spell));
            text += &match turn {
                None => "block".into(),
                Some(1) => "cyclic".into(),
                Some(turn) => format!("cyclic({})", spell(Role::GivenBlock, *turn)),
            };
            if *points > 1 {
                text += &format!(", points({})", spell(Role::GivenBlock, *points));
            }
            text + ")"
        }
    }
}

fn lengths(lengths: &[usize], spell: &mut Spell) -> String {
    let alike = lengths.chunk_by(|one, next| one == next).map(|alike| {
        let length = spell(Role::GivenBlock, alike[0]);
        if alike.len() == 1 { length } else { format!("{length} x {}", alike.len()) }
    });
    alike.collect::<Vec<_>>().join(", ")
}

fn block(dimension: &Dimension, spell: &mut Spell) -> String {
    match dimension.dist {
        Dist::BlockOf(block) | Dist::Cyclic(block) => spell(Role::Block, block),
        _ => unreachable!("it has no one block size"),
    }
}

fn axes(side: &Side) -> String {
    match side.axes.as_slice() {
        [1, 0] => " transposed".into(),
        axes if axes.is_sorted() => String::new(),
        axes => format!(" axes ({})", list(Role::Place, axes, &mut literal)),
    }
}

fn each(side: &Side, number: fn(&Dimension) -> usize) -> Vec<usize> {
    let distributed =
        side.dimensions.iter().filter(|dimension| !matches!(dimension.dist, Dist::Collapsed));
    distributed.map(number).collect()
}

pub fn list(role: Role, sizes: &[usize], spell: &mut Spell) -> String {
    sizes.iter().map(|&size| spell(role, size)).collect::<Vec<_>>().join(", ")
}

pub fn value(side: &Side) -> String {
    let all =
        |number: fn(&Dimension) -> usize| side.dimensions.iter().map(number).collect::<Vec<_>>();
    let dists: Vec<String> = side.dimensions.iter().map(variant).collect();
    let (grid, first) = (all(|dimension| dimension.ranks), all(|dimension| dimension.first));
    let mut text =
        format!("redist::Layout::new([{}], {grid:?}).first({first:?})", dists.join(", "));
    text += &match &side.map {
        Some(map) => format!(".ranks(redist::layout::Ranks::Map(&{map:?}))"),
        None => format!(".ranks(redist::layout::Ranks::From({}))", side.base),
    };
    text += &format!(".axes({:?})", side.axes);
    text += if side.by_columns { ".order(redist::layout::RankOrder::Col)" } else { "" };
    text += if side.fortran { ".storage(redist::layout::StorageOrder::Fortran)" } else { "" };
    if let Some((of, at)) = &side.section {
        text += &format!(".of({of:?}).at({at:?})");
    }
    text
}

fn variant(dimension: &Dimension) -> String {
    match &dimension.dist {
        Dist::Collapsed => "redist::layout::Dist::Collapsed".into(),
        Dist::Block => "redist::layout::Dist::Block".into(),
        Dist::BlockOf(block) => format!("redist::layout::Dist::BlockOf({block})"),
        Dist::Balanced(last) => format!("redist::layout::Dist::Balanced {{ last: {last} }}"),
        Dist::Cyclic(block) => format!("redist::layout::Dist::Cyclic({block})"),
        Dist::GenBlock(sizes) => format!("redist::layout::Dist::GenBlock(&{sizes:?})"),
        Dist::Listed(cuts, owners) => {
            format!("redist::layout::Dist::Blocks {{ cuts: &{cuts:?}, owners: &{owners:?} }}")
        }
        Dist::Points(sizes) => format!("redist::layout::Dist::Points(&{sizes:?})"),
        Dist::Split(factors) => {
            let factor = |(extent, word, ranks): &(usize, &str, usize)| {
                let (dist, ranks) = match *word {
                    "*" => ("Collapsed", "None".into()),
                    "block" => ("Block", format!("Some({ranks})")),
                    "cyclic" => ("Cyclic(1)", format!("Some({ranks})")),
                    "cyclic(2)" => ("Cyclic(2)", format!("Some({ranks})")),
                    "block balanced" => ("Balanced { last: false }", format!("Some({ranks})")),
                    _ => ("Balanced { last: true }", format!("Some({ranks})")),
                };
                format!(
                    "redist::layout::Factor {{ extent: {extent}, dist: redist::layout::FactorDist::{dist}, ranks: {ranks} }}"
                )
            };
            let factors: Vec<String> = factors.iter().map(factor).collect();
            format!("redist::layout::Dist::Split(&[{}])", factors.join(", "))
        }
        Dist::Rows { lengths, turn, points } => format!(
            "redist::layout::Dist::Rows {{ lengths: &{lengths:?}, turn: {turn:?}, points: {points} }}"
        ),
    }
}
