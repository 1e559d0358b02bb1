//! Tokens to a layout, by recursive descent.

use super::NotationError;
use super::lexer::{Lexeme, Token, lex};
use crate::layout::vocabulary::{DISTRIBUTIONS, MODIFIERS, RANK_ORDERS, STORAGE_ORDERS, WHOLE, did_you_mean};
use crate::layout::{Dist, Layout, RankOrder, StorageOrder};
use core::ops::Range;

pub(super) struct Parser {
    lexemes: Vec<Lexeme>,
    next: usize,
}

type Parsed<T> = Result<T, NotationError>;

/// A number per dimension, and where the list stood.
struct NumberList {
    values: Vec<usize>,
    span: Range<usize>,
}

impl Parser {
    pub fn new(text: &str) -> Parsed<Self> {
        Ok(Self { lexemes: lex(text)?, next: 0 })
    }

    pub fn layout<const D: usize>(mut self) -> Parsed<Layout<D>> {
        let start = self.span();
        let mut layout = match self.peek() {
            Token::Word(word) if word == "scalapack" => self.scalapack()?,
            _ => self.distributions_onto_grid(start)?,
        };
        let mut seen = Vec::new();
        while let Token::Word(word) = self.peek().clone() {
            if seen.contains(&word) {
                return self.fail(format!("`{word}` is given twice"));
            }
            self.modifier(&word, &mut layout)?;
            seen.push(word);
        }
        match self.peek() {
            Token::End => Ok(layout),
            _ => self.fail("expected a modifier such as `first`, `ranks` or `order`, or the end".into()),
        }
    }

    fn distributions_onto_grid<const D: usize>(&mut self, start: Range<usize>) -> Parsed<Layout<D>> {
        let dists = if self.take(&Token::Mark('(')) { self.list(')', Self::dist)? } else { vec![self.dist()?] };
        let span = start.start..self.lexemes[self.next - 1].span.end;
        let found = dists.len();
        let Ok(dists) = <[Dist; D]>::try_from(dists) else {
            let message = format!("an array of {D} dimensions needs {D} distributions, found {found}");
            return Err(NotationError { message, span });
        };
        let distributed = dists.iter().filter(|dist| dist.is_distributed()).count();
        let grid = if self.take(&Token::Word("onto".into())) {
            let sizes = self.sizes()?;
            match sizes.values[..] {
                [] | [1] if distributed == 0 => [1; D],
                _ if distributed == 0 => return Err(NotationError { message: WHOLE.into(), span: sizes.span }),
                _ => spread(&dists, &sizes, "onto", 1)?,
            }
        } else if distributed == 0 {
            [1; D]
        } else {
            let message = "expected `onto` and the process grid";
            return self.fail(format!("{message}, {distributed} number{}", plural(distributed)));
        };
        Ok(Layout::new(dists, grid))
    }

    fn dist(&mut self) -> Parsed<Dist> {
        let span = self.span();
        match self.advance() {
            Token::Mark('*') => Ok(Dist::Collapsed),
            Token::Word(word) if word == "gen_block" => self.gen_block(span),
            Token::Word(word) => {
                let size = if self.take(&Token::Mark('(')) {
                    let size = self.number()?;
                    self.expect(')')?;
                    Some(size)
                } else {
                    None
                };
                match (word.as_str(), size) {
                    ("block", None) => Ok(Dist::Block),
                    ("block", Some(size)) => Ok(Dist::BlockOf(size)),
                    ("cyclic", size) => Ok(Dist::Cyclic(size.unwrap_or(1))),
                    _ => Err(unknown("distribution", &word, DISTRIBUTIONS, span)),
                }
            }
            _ => {
                let words = "`*`, `block`, `block(b)`, `cyclic`, `cyclic(b)` or `gen_block([..])`";
                Err(NotationError { message: format!("expected a distribution: {words}"), span })
            }
        }
    }

    /// The list behind `gen_block`, which stands at `word`.
    fn gen_block(&mut self, word: Range<usize>) -> Parsed<Dist> {
        let open = self.take(&Token::Mark('(')) && self.take(&Token::Mark('['));
        if !open {
            let takes = "`gen_block` takes a list of block sizes, one for each rank";
            let message = format!("{takes}, as in `gen_block([10, 20, 30])`");
            return Err(NotationError { message, span: word });
        }
        let sizes = self.list(']', Self::number)?;
        self.expect(')')?;
        Ok(Dist::gen_block(&sizes))
    }

    fn scalapack<const D: usize>(&mut self) -> Parsed<Layout<D>> {
        self.advance();
        let numbers = self.sizes()?;
        if D != 2 || !matches!(numbers.values.len(), 4 | 6) {
            let found = numbers.values.len();
            let message = format!(
                "`scalapack(MB, NB, P, Q [, RSRC, CSRC])` takes 4 or 6 numbers and 2 dimensions, found {found} and {D}"
            );
            return Err(NotationError { message, span: numbers.span });
        }
        let value = |index| numbers.values.get(index).copied().unwrap_or(0);
        let pair = |index| core::array::from_fn(|dimension| value(index + dimension));
        let dists = core::array::from_fn(|dimension| Dist::Cyclic(value(dimension)));
        Ok(Layout::new(dists, pair(2)).first(pair(4)).storage(StorageOrder::Fortran))
    }

    fn modifier<const D: usize>(&mut self, word: &str, layout: &mut Layout<D>) -> Parsed<()> {
        let span = self.span();
        self.advance();
        match word {
            "first" => layout.first = spread(&layout.dists, &self.sizes()?, "first", 0)?,
            "ranks" => self.ranks(layout)?,
            "order" => layout.order = self.choose("rank order", RANK_ORDERS, [RankOrder::Row, RankOrder::Col])?,
            "storage" => {
                let orders = [StorageOrder::C, StorageOrder::Fortran];
                layout.storage = self.choose("storage order", STORAGE_ORDERS, orders)?;
            }
            "of" => layout.of = Some(self.sizes()?.each("of")?),
            "at" if layout.of.is_none() => {
                let message = "`at` needs the extents of the stored array before it: `of [..] at [..]`".into();
                return Err(NotationError { message, span });
            }
            "at" => layout.at = self.sizes()?.each("at")?,
            "transposed" if D == 2 => layout.axes = core::array::from_fn(|axis| 1 - axis),
            "transposed" => {
                let message = format!("`transposed` is for 2 dimensions; write `axes (..)` with {D} numbers");
                return Err(NotationError { message, span });
            }
            "axes" => layout.axes = self.sizes()?.permutation()?,
            _ => return Err(unknown("word", word, MODIFIERS, span)),
        }
        Ok(())
    }

    fn ranks<const D: usize>(&mut self, layout: &mut Layout<D>) -> Parsed<()> {
        let span = self.span();
        layout.ranks_from = self.number()?;
        if !self.take(&Token::Dots) {
            return self.fail("`ranks` takes a range such as `6..10` or `6..`".into());
        }
        if let Token::Number(end) = *self.peek() {
            let grid = layout.grid.iter().fold(1, |product: usize, &size| product.saturating_mul(size));
            let (base, span) = (layout.ranks_from, span.start..self.span().end);
            if end.checked_sub(base) != Some(grid) {
                let right = base.saturating_add(grid);
                let message = format!("the grid has {grid} ranks; write `ranks {base}..{right}`");
                return Err(NotationError { message, span });
            }
            self.advance();
        }
        Ok(())
    }

    fn choose<T>(&mut self, what: &str, words: &[&str], values: [T; 2]) -> Parsed<T> {
        let span = self.span();
        let Token::Word(word) = self.advance() else {
            let message = format!("expected a {what}: {}", listed(words));
            return Err(NotationError { message, span });
        };
        let index = words.iter().position(|known| *known == word);
        match (index, values) {
            (Some(0), [value, _]) | (Some(1), [_, value]) => Ok(value),
            _ => Err(unknown(what, &word, words, span)),
        }
    }

    fn sizes(&mut self) -> Parsed<NumberList> {
        let start = self.span().start;
        let values = if self.take(&Token::Mark('(')) {
            self.list(')', Self::number)?
        } else if self.take(&Token::Mark('[')) {
            self.list(']', Self::number)?
        } else {
            vec![self.number()?]
        };
        Ok(NumberList { values, span: start..self.lexemes[self.next - 1].span.end })
    }

    fn list<T>(&mut self, close: char, item: impl Fn(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        while !self.take(&Token::Mark(close)) {
            items.push(item(self)?);
            if !self.take(&Token::Mark(',')) {
                self.expect(close)?;
                break;
            }
        }
        Ok(items)
    }

    fn number(&mut self) -> Parsed<usize> {
        let Token::Number(number) = *self.peek() else {
            return self.fail("expected an integer".into());
        };
        self.advance();
        Ok(number)
    }

    fn expect(&mut self, mark: char) -> Parsed<()> {
        if self.take(&Token::Mark(mark)) { Ok(()) } else { self.fail(format!("expected `{mark}`")) }
    }

    fn take(&mut self, token: &Token) -> bool {
        let taken = self.peek() == token;
        self.next += usize::from(taken);
        taken
    }

    fn advance(&mut self) -> Token {
        let token = self.peek().clone();
        self.next = (self.next + 1).min(self.lexemes.len() - 1);
        token
    }

    fn peek(&self) -> &Token {
        &self.lexemes[self.next].token
    }

    fn span(&self) -> Range<usize> {
        self.lexemes[self.next].span.clone()
    }

    fn fail<T>(&self, message: String) -> Parsed<T> {
        Err(NotationError { message, span: self.span() })
    }
}

impl NumberList {
    fn each<const D: usize>(self, word: &str) -> Parsed<[usize; D]> {
        let found = self.values.len();
        <[usize; D]>::try_from(self.values).map_err(|_| NotationError {
            message: format!("`{word}` takes {D} number{}, found {found}", plural(D)),
            span: self.span,
        })
    }

    fn permutation<const D: usize>(self) -> Parsed<[usize; D]> {
        let span = self.span.clone();
        let axes: [usize; D] = self.each("axes")?;
        if (0..D).all(|axis| axes.contains(&axis)) {
            return Ok(axes);
        }
        Err(NotationError { message: format!("`axes` must name each axis of 0..{D} once"), span })
    }
}

/// Numbers of the distributed dimensions, spread over all; `default` elsewhere.
fn spread<const D: usize>(dists: &[Dist; D], sizes: &NumberList, word: &str, default: usize) -> Parsed<[usize; D]> {
    let distributed = dists.iter().filter(|dist| dist.is_distributed()).count();
    if sizes.values.len() != distributed {
        let (message, found) = ("; a `*` dimension takes no part of the grid", sizes.values.len());
        let hint = if distributed < D { message } else { "" };
        let message = format!("`{word}` takes {distributed} number{}, found {found}{hint}", plural(distributed));
        return Err(NotationError { message, span: sizes.span.clone() });
    }
    let mut values = sizes.values.iter();
    let size_of = |dist: &Dist| {
        if dist.is_distributed() { values.next().copied() } else { None }
    };
    let spread: Vec<usize> = dists.iter().map(size_of).map(|size| size.unwrap_or(default)).collect();
    Ok(core::array::from_fn(|dimension| spread[dimension]))
}

fn unknown(what: &str, word: &str, known: &[&str], span: Range<usize>) -> NotationError {
    let hint = match did_you_mean(word, known) {
        Some(near) => format!("; did you mean `{near}`?"),
        None => format!("; expected {}", listed(known)),
    };
    NotationError { message: format!("unknown {what} `{word}`{hint}"), span }
}

fn listed(words: &[&str]) -> String {
    words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ")
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error<const D: usize>(text: &str) -> NotationError {
        text.parse::<Layout<D>>().expect_err(text)
    }

    #[test]
    fn one_rank_is_a_grid_of_its_own() {
        for text in ["(*, *)", "(*, *) onto 1", "(*, *) onto ()"] {
            assert_eq!(text.parse::<Layout<2>>().unwrap().to_string(), "(*, *)");
        }
    }

    #[test]
    fn every_word_is_read_and_written_back() {
        for text in [
            "cyclic onto 3",
            "cyclic(10) onto 3 first 2 ranks 6..9 order col storage fortran",
            "block(7) onto 4 of [30] at [2]",
            "gen_block([3, 0, 5]) onto 3 first 1 of [8] at [2]",
            "gen_block([]) onto 0",
            "*",
        ] {
            assert_eq!(text.parse::<Layout<1>>().unwrap().to_string(), text);
        }
        let text =
            "(block, *, cyclic(2)) onto (3, 2) first (1, 0) ranks 4..10 of [9, 9, 9] at [1, 2, 3] axes (2, 0, 1)";
        assert_eq!(text.parse::<Layout<3>>().unwrap().to_string(), text);
        assert_eq!(
            "(*, Block) ONTO (4) transposed".parse::<Layout<2>>().unwrap().to_string(),
            "(*, block) onto 4 transposed"
        );
    }

    #[test]
    fn scalapack_is_short_for_its_parts() {
        let layout: Layout<2> = "scalapack(16, 8, 2, 3, 1, 2) ranks 6..".parse().unwrap();
        assert_eq!(layout, Layout::scalapack(16, 8, 2, 3, 1, 2).ranks_from(6));
        assert!(error::<2>("scalapack(16, 8, 2)").message.contains("4 or 6 numbers"));
    }

    #[test]
    fn messages_say_where_and_how_to_mend() {
        let cases = [
            (error::<1>("cylic(3) onto 2"), "did you mean `cyclic`", 0..5),
            (error::<1>("cyclic(3)"), "expected `onto`", 9..9),
            (error::<2>("(block, *) onto (2, 3)"), "takes 1 number, found 2; a `*`", 16..22),
            (error::<2>("(*, *) onto 4"), "copies on several ranks are not supported yet", 12..13),
            (error::<2>("block onto 2"), "needs 2 distributions, found 1", 0..5),
            (error::<1>("block onto 4 ranks 2..5"), "write `ranks 2..6`", 19..23),
            (error::<1>("block onto 4 first 1 first 2"), "given twice", 21..26),
            (error::<2>("(block, block) onto (2, 2) axes (0, 0)"), "each axis of 0..2 once", 32..38),
            (error::<3>("(*, *, block) onto 2 transposed"), "axes", 21..31),
            (error::<1>("block onto 2 order rwo"), "did you mean `row`", 19..22),
            (error::<1>("block onto 2 at 3"), "of [..] at [..]", 13..15),
            (error::<1>("block onto 2 )"), "or the end", 13..14),
            (error::<1>("gen_block(3) onto 2"), "as in `gen_block([10, 20, 30])`", 0..9),
            (error::<2>("(*, gen_block) onto 2"), "one for each rank", 4..13),
            (error::<1>("gen_block([3, 4 onto 2"), "expected `]`", 16..20),
        ];
        for (error, part, span) in cases {
            assert!(error.message.contains(part), "{error}");
            assert_eq!(error.span, span, "{error}");
        }
    }
}
