//! Plans whose number of dimensions and element type are values: what programs in other languages
//! bind and run.

mod binder;
mod bound;

pub use binder::AnyBinder;
pub use bound::AnyBound;
