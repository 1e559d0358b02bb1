//! Stage 2, **plan**: all that follows from both layouts, for any rank, in constant memory.

mod any;
mod aspen;
#[allow(missing_docs)] // `redist` hides the names of these modules.
mod axis;
mod constant;
mod counts;
mod digest;
mod explain;
mod figures;
mod graph;
mod in_words;
mod inverse;
mod lattice;
mod relabel;
#[allow(missing_docs)]
mod section;
mod side;
mod trapezoid;
mod value;
mod views;
#[allow(missing_docs)]
mod window;
mod window_table;

#[doc(hidden)]
pub use {
    crate::layout::ConstText,
    any::AnyPlan,
    aspen::{Aspen, PeriodicPiece},
    explain::folded,
    figures::{Demand, Effort},
    graph::{Edge, MessageGraph, TooManyMessages},
    window::WindowWalk,
    window_table::{WindowPieces, WindowTable},
};
pub use {
    axis::{Axis, Class},
    digest::Digest,
    figures::Figure,
    in_words::InWords,
    relabel::{RelabelError, Relabelled},
    section::Section,
    side::Side,
    trapezoid::{Diag, Trapezoid, Uplo},
    value::{ParsePlanError, Plan, PlanError},
    views::{MessageViews, Place, RankMessages, View},
    window::Piece,
};
