//! The papers' text, word for word, and the smallest cases in which it is wrong.
//!
//! `printed/` has the pseudo-code of Foyer, Tate and McIntosh-Smith (*ASPEN*, Algorithms 2 to 4).
//! It has the equations and loops of Hsu and Chung (*Efficient Methods for kr → r and r → kr Array
//! Redistribution*), too. A switch selects each reading and each correction. The crate has the
//! corrected ones only, and the pages of `docs/` the list of errata by these numbers. A15 to A17
//! are about what is counted; see `../baselines/`.

mod algorithm_2;
mod algorithm_3;
mod algorithm_4;
mod case;
mod hsu_chung;
mod printed;
