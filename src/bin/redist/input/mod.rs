//! What the user describes, as plans: the macro's notation, from the command line, a file or standard input.

use super::failure::Failure;
use clap::Args;
use redist::Plan;

/// Where the description of a redistribution comes from.
#[derive(Args, Clone, Debug)]
pub struct Input {
    /// The macro's notation, as in '[f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }'; or a file that holds it;
    /// or - for standard input.
    pub redistribution: String,
}

/// A redistribution as the user described it.
#[derive(Clone, Debug)]
pub struct Item<const D: usize> {
    /// Its name, where it was given one.
    pub name: Option<String>,
    /// The element type, as written.
    pub element: String,
    /// Bytes of an element, where the type is one that is known.
    pub element_bytes: Option<usize>,
    /// Who sends what to whom.
    pub plan: Plan<D>,
}

/// What a command does with a redistribution of any number of dimensions.
pub trait Visitor {
    /// Does it.
    ///
    /// # Errors
    /// Whatever goes wrong.
    fn visit<const D: usize>(self, item: &Item<D>) -> Result<(), Failure>;
}

impl Input {
    /// Reads the description and hands it over.
    ///
    /// # Errors
    /// What cannot be read or understood; or as the visitor.
    pub fn visit(&self, _visitor: impl Visitor) -> Result<(), Failure> {
        Err(Failure::Input("not there yet".into()))
    }
}
