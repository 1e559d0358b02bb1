//! Items of the notation for the unit tests.

use crate::parse::{self, Parsed};
use crate::resolve;
use crate::spec::Spec;

pub fn spec(text: &str) -> Spec {
    let tokens = text.parse().expect("the test's own text has to be Rust tokens");
    let Some(Parsed { item: Some(mut item), mut diagnostics }) = parse::call(tokens).pop() else {
        panic!("one item: {text}")
    };
    resolve::sizes(&mut item, &mut diagnostics);
    let spec = resolve::spec(&item, &mut diagnostics);
    diagnostics.finish().expect("an item without mistakes");
    spec.expect("an item without mistakes")
}
