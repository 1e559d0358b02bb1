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
mod given;
mod in_words;
mod inverse;
mod lattice;
mod relabel;
#[allow(missing_docs)]
pub mod schedule;
#[allow(missing_docs)]
mod section;
mod side;
mod trapezoid;
mod value;
#[allow(missing_docs)]
mod window;

#[doc(hidden)]
pub use crate::layout::ConstText;
#[doc(hidden)]
pub use any::AnyPlan;
#[doc(hidden)]
pub use aspen::PeriodicPiece;
pub use axis::{Axis, Class};
pub use digest::Digest;
#[doc(hidden)]
pub use explain::folded;
pub use figures::Figure;
#[doc(hidden)]
pub use figures::{Demand, Effort};
pub use in_words::InWords;
pub use relabel::{RelabelError, Relabelled};
pub use schedule::Method;
pub use section::Section;
pub use side::Side;
pub use trapezoid::{Diag, Trapezoid, Uplo};
pub use value::{ParsePlanError, Plan, PlanError};
pub use window::Piece;
#[doc(hidden)]
pub use window::turned;
