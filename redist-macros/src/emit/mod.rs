//! Plan → items: the type with its docs, the plan, classes and window tables, blocks, and loops over steps.
//!
//! Names begin with two underscores where the user's types could mean something else by them.
//! Emitted code does not grow with the ranks, and is safe.

mod blocks;
pub mod declaration;
mod demands;
mod docs;
mod implementation;
mod layout;
mod literal;
mod loops;
mod open;
pub mod place;
mod rolled;
mod table;
mod text;

use proc_macro2::TokenStream;
use redist_notation::planned;
use redist_notation::spec::Spec;

pub fn item(spec: &Spec) -> TokenStream {
    match spec.literal_layouts().zip(planned::axes(spec)) {
        Some((layouts, axes)) if !spec.has_copies() => literal::item(spec, layouts, &axes),
        _ => open::item(spec),
    }
}
