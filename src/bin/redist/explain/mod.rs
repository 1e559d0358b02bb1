//! `redist explain`.

use crate::failure::Failure;
use crate::input::{Input, Item, Visitor};
use clap::Args;

/// Not there yet.
#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    input: Input,
}

/// Runs the command.
pub fn run(options: Options) -> Result<(), Failure> {
    options.input.clone().visit(options)
}

impl Visitor for Options {
    fn visit<const D: usize>(self, item: &Item<D>) -> Result<(), Failure> {
        let Item { name, element, element_bytes, plan } = item;
        println!("{name:?} {element} {element_bytes:?} {plan}");
        Ok(())
    }
}
