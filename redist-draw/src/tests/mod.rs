mod content;
mod drawn;
mod legibility;
mod random;
mod table;
