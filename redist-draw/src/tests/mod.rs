//! Whole pages, read back as XML: what they show is what the plan says, and can be read.

mod content;
mod drawn;
mod legibility;
mod random;
mod table;
