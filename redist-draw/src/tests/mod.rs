//! Tests of pictures as a reader sees them.

mod content;
mod drawn;
mod legibility;
mod random;
mod table;
