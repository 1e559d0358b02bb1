//! Input of all commands: a description, and values for its names.

mod depth;
mod dimensions;
mod element;
mod items;
mod lexer;
mod names;
mod planned;
mod refusal;
mod report;
mod values;

use super::failure::CommandFailure;
use clap::Args;
use lexer::Origin;
pub use planned::{Planned, PlannedItem, Visitor};
pub use refusal::Refusal;
use report::Texts;
pub use report::{Mistake, Mistakes};
use values::Values;

/// The source of a description, and the values that it leaves open.
#[derive(Args, Clone, Debug)]
pub struct InputOptions {
    /// The macro's notation, as in '[f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 }'.
    /// A file with it or with a call of `redistribute!`, or - for standard input
    pub redistribution: String,

    /// The value of a name: NB=64, Qr::NB=32, a parameter m=1000, or of a side: peer='(block, *)
    /// onto 4'. Several times for several names.
    #[arg(long, value_name = "NAME=VALUE")]
    pub set: Vec<String>,

    /// The item to take, where the text has several.
    #[arg(long, value_name = "ITEM")]
    pub name: Option<String>,

    /// Bytes of an element, where its type does not tell.
    #[arg(long, value_name = "BYTES", value_parser = clap::value_parser!(u64).range(1..))]
    pub element_bytes: Option<u64>,

    /// Put the destination's ranks into those cells of its grid that let most elements stay.
    #[arg(long)]
    pub relabel: bool,
}

impl InputOptions {
    pub fn visit(&self, visitor: impl Visitor) -> Result<(), CommandFailure> {
        match self.planned()?.as_slice() {
            [one] => one.visit(visitor),
            several => Err(CommandFailure::InputOptions(format!(
                "error: the text has {} redistributions; choose one by --name: {}",
                several.len(),
                several.iter().map(Planned::name).collect::<Vec<_>>().join(", ")
            ))),
        }
    }

    pub fn visit_all(&self, visitor: impl Visitor + Copy) -> Result<(), CommandFailure> {
        self.planned()?.iter().try_for_each(|item| item.visit(visitor))
    }

    fn planned(&self) -> Result<Vec<Planned>, CommandFailure> {
        let Origin { name, text } = lexer::origin(&self.redistribution)?;
        Ok(self.planned_from(&name, &text)?)
    }

    /// Plans the items of a text. `origin` is the text's name in messages.
    pub fn planned_from(&self, origin: &str, text: &str) -> Result<Vec<Planned>, Refusal> {
        let mut texts = Texts::default();
        let tokens = lexer::tokens(&mut texts, origin, text)?;
        let values = Values::parse(&self.set, &mut texts)?;
        let call = items::call(tokens);
        lexer::check_depth(&texts, depth::too_deep(call.clone()))?;
        let read = items::read(call, &values).map_err(|errors| texts.mistakes(&errors))?;
        let bytes = self.element_bytes.map(|bytes| bytes as usize);
        let planned: Result<Vec<Vec<Planned>>, _> =
            read.iter().map(|item| Planned::all(item, &values, (bytes, self.relabel))).collect();
        let planned = planned.map_err(|error| texts.mistakes(&[error]))?;
        if let Some(unused) = values.unused() {
            let message = format!("--set {unused}: no name of the redistribution");
            return Err(Refusal::Option(message));
        }
        self.named(planned.into_iter().flatten().collect())
    }

    fn named(&self, mut items: Vec<Planned>) -> Result<Vec<Planned>, Refusal> {
        let Some(name) = &self.name else {
            return if items.is_empty() {
                Err(Refusal::Option("the text has no redistribution".into()))
            } else {
                Ok(items)
            };
        };
        let names: Vec<String> = items.iter().map(Planned::name).collect();
        // An item with copies is an item for each copy of the destination.
        let line = format!("{name}, ");
        items.retain(|item| item.name() == *name || item.name().starts_with(&line));
        if items.is_empty() {
            let message = format!("--name {name}: the text has {}", names.join(", "));
            return Err(Refusal::Option(message));
        }
        Ok(items)
    }
}
