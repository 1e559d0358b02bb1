//! Writes layouts in the notation.

use crate::spec::{
    DistSpec, FactorKind, FactorSpec, FactorWord, LayoutSpec, RanksSpec, RowsKind, SideSpec, Size,
};
use crate::tiers::text;
use core::fmt;
use redist_plan::layout::{RankOrder, StorageOrder};
use syn::Expr;

impl fmt::Display for SideSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SideSpec::Layout(layout) => layout.fmt(f),
            SideSpec::Value(value, _) => f.write_str(&text(value)),
        }
    }
}

impl fmt::Display for LayoutSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_default = |sizes: &[Size]| sizes.iter().all(|size| size.literal() == Some(0));
        f.write_str(&tuple(self.dists.iter().map(ToString::to_string)))?;
        if self.dists.iter().any(DistSpec::is_distributed) {
            write!(f, " onto {}", self.of_distributed(&self.grid))?;
        }
        if !is_default(&self.first) {
            write!(f, " first {}", self.of_distributed(&self.first))?;
        }
        if !self.ranks.is_default() {
            write!(f, " ranks {}", self.ranks)?;
        }
        if self.order != RankOrder::Row {
            write!(f, " order {}", self.order)?;
        }
        if self.storage != StorageOrder::C {
            write!(f, " storage {}", self.storage)?;
        }
        for (word, sizes) in [("of", &self.of), ("at", &self.at)] {
            if let Some(sizes) = sizes {
                write!(f, " {word} [{}]", list(sizes))?;
            }
        }
        match &self.axes[..] {
            [1, 0] => f.write_str(" transposed")?,
            axes if axes.is_sorted() => {}
            axes => write!(f, " axes {}", tuple(axes.iter().map(ToString::to_string)))?,
        }
        self.copies.iter().try_for_each(|copies| write!(f, " copies {}", words(copies)))?;
        self.along.iter().try_for_each(|axis| write!(f, " along {axis}"))
    }
}

impl LayoutSpec {
    fn of_distributed(&self, sizes: &[Size]) -> String {
        let distributed = sizes.iter().zip(&self.dists).filter(|(_, dist)| dist.is_distributed());
        tuple(distributed.map(|(size, _)| words(size)))
    }
}

impl fmt::Display for RanksSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RanksSpec::Range { first, end } => {
                write!(f, "{}..{}", words(first), end.as_ref().map(words).unwrap_or_default())
            }
            RanksSpec::Map(ranks) => write!(f, "[{}]", list(ranks)),
        }
    }
}

impl DistSpec {
    fn is_distributed(&self) -> bool {
        !matches!(self, DistSpec::Collapsed)
    }
}

impl fmt::Display for DistSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DistSpec::Collapsed => f.write_str("*"),
            DistSpec::Block => f.write_str("block"),
            DistSpec::Balanced { last: false } => f.write_str("block balanced"),
            DistSpec::Balanced { last: true } => f.write_str("block balanced last"),
            DistSpec::BlockOf(block) => write!(f, "block({})", words(block)),
            DistSpec::Cyclic(block) => write!(f, "cyclic({})", words(block)),
            DistSpec::GenBlock(sizes) => {
                write!(f, "gen_block([{}])", list(sizes))
            }
            DistSpec::Listed(cuts, sizes) => {
                let (cuts, owners) = sizes.split_at(*cuts);
                write!(f, "blocks([{}], [{}])", counted_list(cuts), counted_list(owners))
            }
            DistSpec::Split(kinds, sizes) => {
                write!(f, "split([{}]", counted_list(&sizes[..kinds.len()]))?;
                FactorKind::factors(kinds, sizes)
                    .iter()
                    .try_for_each(|factor| write!(f, ", {factor}"))?;
                f.write_str(")")
            }
            DistSpec::Rows(kind, sizes) => {
                let (lengths, turn, points) = kind.split(sizes);
                match kind {
                    RowsKind::Points => return write!(f, "points([{}])", counted_list(lengths)),
                    RowsKind::Rows { .. } => write!(f, "rows([{}], ", counted_list(lengths))?,
                }
                match turn {
                    Some(turn) => write!(f, "cyclic({})", words(turn))?,
                    None => f.write_str("block")?,
                }
                match points {
                    Some(points) => write!(f, ", points({}))", words(points)),
                    None => f.write_str(")"),
                }
            }
        }
    }
}

impl fmt::Display for FactorSpec<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dist = match self.word {
            FactorWord::Collapsed => DistSpec::Collapsed,
            FactorWord::Block => DistSpec::Block,
            FactorWord::Balanced { last } => DistSpec::Balanced { last },
            FactorWord::BlockOf | FactorWord::Cyclic => {
                let size = self.block.map_or_else(String::new, words);
                let word = if self.word == FactorWord::Cyclic { "cyclic" } else { "block" };
                write!(f, "{word}({size})")?;
                return self.ranks.map_or(Ok(()), |ranks| write!(f, " onto {}", words(ranks)));
            }
        };
        write!(f, "{dist}")?;
        self.ranks.map_or(Ok(()), |ranks| write!(f, " onto {}", words(ranks)))
    }
}

fn list(sizes: &[Size]) -> String {
    sizes.iter().map(words).collect::<Vec<_>>().join(", ")
}

/// `20, 27, 128 x 12`: three or more equal ones are counted.
fn counted_list(sizes: &[Size]) -> String {
    let sizes: Vec<String> = sizes.iter().map(words).collect();
    let alike = sizes.chunk_by(|one, next| one == next).map(|alike| match alike {
        [size, _, _, ..] => format!("{size} x {}", alike.len()),
        _ => alike.join(", "),
    });
    alike.collect::<Vec<_>>().join(", ")
}

fn words(size: &Size) -> String {
    match size.literal() {
        Some(value) if is_number(&size.expr) => value.to_string(),
        _ => text(&size.expr),
    }
}

fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::Lit(_) => true,
        Expr::Paren(inner) => is_number(&inner.expr),
        Expr::Group(inner) => is_number(&inner.expr),
        _ => false,
    }
}

fn tuple(items: impl IntoIterator<Item = String>) -> String {
    let items: Vec<String> = items.into_iter().collect();
    if let [item] = &items[..] { item.clone() } else { format!("({})", items.join(", ")) }
}

#[cfg(test)]
mod tests {
    use crate::tests::spec;

    #[test]
    fn sides_are_written_as_they_were_read() {
        for (extents, from, to) in [
            (
                "8, 9, 4",
                "(cyclic(NB), *, block) onto (2, P) first (1, F + 1) ranks R..R + 2",
                "(*, *, *) ranks 2..3",
            ),
            (
                "8, 9, 4",
                "(*, *, gen_block([3, N - 3])) onto 2 order col storage fortran",
                "PEER.axes([1, 2, 0])",
            ),
            (
                "8, 9, 4",
                "(*, block(4), *) onto 3 of [9, 12, 7] at [0, I, 1]",
                "(*, cyclic(1), *) onto 3 ranks 4.. axes (2, 0, 1)",
            ),
            ("8, 9", "(block balanced, *) onto 3", "(*, block balanced last) onto P"),
            ("8, 9", "(blocks([3, N], [1, 0, P]), *) onto 2", "(*, blocks([], [0])) onto 1"),
            ("8, 9", "(block, *) onto 2 copies 3 along 1", "(*, block) onto 3 copies N along 0"),
            ("8", "* copies 2", "block onto 3 ranks 2.. storage fortran copies N + 1"),
            ("8, 9", "(block, *) onto 3 ranks [4, N - 1, 0]", "(*, *) ranks [2]"),
        ] {
            let spec = spec(&format!("struct R: [f64; {extents}] {{ from: {from}, to: {to} }}"));
            assert_eq!([spec.from.to_string(), spec.to.to_string()], [from, to]);
        }
    }

    #[test]
    fn sides_are_written_in_one_form() {
        for (item, expected) in [
            ("[f64; 8] { from: cyclic onto (3), to: * onto 1 }", ["cyclic(1) onto 3", "*"]),
            (
                "[f64; 8] { from: * ranks 0x2..(3usize), to: cyclic(1_0) onto 2 }",
                ["* ranks 2..3", "cyclic(10) onto 2"],
            ),
            (
                "[f64; 8, 9] { from: scalapack(4, 2, 2, 3, 1, 0), to: (*, *) transposed }",
                [
                    "(cyclic(4), cyclic(2)) onto (2, 3) first (1, 0) storage fortran",
                    "(*, *) transposed",
                ],
            ),
        ] {
            let spec = spec(&format!("struct R: {item}"));
            assert_eq!([spec.from.to_string(), spec.to.to_string()], expected);
        }
    }
}
