//! Spells numbers as expressions of a tier.

use crate::item::Kind;
use crate::notation::Role;
use crate::random::Random;

/// Names that the expansion might use itself.
const NAMES: [&str; 12] = [
    "from", "to", "plan", "rank", "m", "layout", "extents", "windows", "value", "source", "new",
    "error",
];

pub struct Speller<'a> {
    random: &'a mut Random,
    kind: Kind,
    chosen: Vec<Role>,
    /// By name and value; the name shows the place: an item of the module, of a type or of a trait.
    pub constants: Vec<(String, usize)>,
    pub parameters: Vec<(String, usize)>,
    /// The tier of the last known block.
    pub blocks: &'static str,
}

impl<'a> Speller<'a> {
    pub fn new(random: &'a mut Random, kind: Kind) -> Self {
        let chosen = roles(random);
        Speller {
            random,
            kind,
            chosen,
            constants: Vec::new(),
            parameters: Vec::new(),
            blocks: "Literal",
        }
    }

    pub fn spell(&mut self, role: Role, size: usize) -> String {
        let chosen = self.chosen.contains(&role) && !self.random.one_in(4);
        let (text, tier) = match self.kind {
            Kind::Constants => (self.constant(size), "Constant"),
            Kind::Generics if chosen => (self.parameter(size), "Constant"),
            Kind::Any => (self.parameter(size), "RunTime"),
            Kind::Parameters if chosen => (self.parameter(size), "RunTime"),
            Kind::Parameters | Kind::Generics | Kind::Half if self.random.one_in(3) => {
                (self.constant(size), "Constant")
            }
            _ => return size.to_string(),
        };
        if matches!(role, Role::Block | Role::GivenBlock) {
            self.blocks = if self.blocks == "RunTime" { "RunTime" } else { tier };
        }
        text
    }

    fn constant(&mut self, size: usize) -> String {
        let name = format!("C{}", self.constants.len());
        let path = match self.random.below(4) {
            0 => format!("Sizes::{name}"),
            1 => format!("<Sizes as Numbers>::{name}"),
            _ => name,
        };
        let (value, text) = self.arithmetic(&path, size);
        self.constants.push((path, value));
        text
    }

    fn parameter(&mut self, size: usize) -> String {
        let number = self.parameters.len();
        let name = match self.kind {
            Kind::Generics => format!("G{number}"),
            _ => NAMES.get(number).map_or_else(|| format!("p{number}"), |&name| name.into()),
        };
        let (value, text) = self.arithmetic(&name, size);
        self.parameters.push((name, value));
        text
    }

    /// Returns the value that `name` must have, and an expression in it that equals `size`.
    fn arithmetic(&mut self, name: &str, size: usize) -> (usize, String) {
        match self.random.below(5) {
            0 => (size / 2, format!("2 * {name} + {}", size % 2)),
            1 => (size + 3, format!("{name} - 3")),
            _ => (size, name.into()),
        }
    }

    pub fn flip(&mut self) -> bool {
        self.random.one_in(2)
    }
}

/// Most often sizes of one kind: all further sizes stay static.
fn roles(random: &mut Random) -> Vec<Role> {
    match random.below(5) {
        0 => vec![Role::Extent],
        1 => vec![Role::Grid],
        2 => vec![Role::Block],
        3 => vec![Role::Place, Role::Extent],
        _ => vec![Role::Extent, Role::Block, Role::Grid, Role::Place],
    }
}
