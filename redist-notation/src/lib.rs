//! The notation of `redist`: what stands in a `redistribute!`, read, resolved and checked.
//!
//! The macro and the command line share it, so that both take the same text and say the same of its mistakes. The steps
//! are those of a compiler: [`parse`] → [`resolve`] → [`check`] → [`Spec`](spec::Spec). They work on the tokens of the
//! crate `proc_macro2`, which are the compiler's inside of a macro and a text's elsewhere.

extern crate proc_macro;

pub mod ast;
pub mod check;
pub mod diagnostic;
pub mod parse;
pub mod planned;
pub mod resolve;
pub mod spec;
#[cfg(test)]
mod tests;
pub mod tiers;
