//! The papers' text, word for word, and the smallest cases in which it is wrong.
//!
//! `printed/` has Algorithms 2 to 4 of Foyer, Tate and McIntosh-Smith (*ASPEN*). From Hsu and Chung
//! (*Efficient Methods for kr → r and r → kr Array Redistribution*) it has equations and loops. A
//! switch selects each reading and each correction. The pages of `docs/` list the errata by these
//! numbers; for E15 to E17 see `../baselines/`.

mod algorithm_2;
mod algorithm_3;
mod algorithm_4;
mod case;
mod hsu_chung;
mod printed;
