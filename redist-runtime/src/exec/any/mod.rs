//! Plans whose number of dimensions and element type are values, for bindings to other languages.

mod binder;
mod bound;

pub use binder::AnyBinder;
pub use bound::AnyBound;
