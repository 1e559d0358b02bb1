//! Algorithms and equations as their papers print them.

pub mod algorithm_2;
pub mod algorithm_3;
pub mod algorithm_4;
pub mod hsu_chung;
