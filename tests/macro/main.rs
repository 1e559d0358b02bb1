//! Items of `redistribute!`: errors, and items of every tier beside run-time plans.

mod copies;
mod diagnostics;
mod documented;
mod examples_of_design;
mod gen_block;
mod given;
mod items;
mod names;
mod rank_map;
mod reduced_grids;
mod require;
mod rolled;
mod scalar;
mod split;
mod static_dynamic;
mod there_and_back;
