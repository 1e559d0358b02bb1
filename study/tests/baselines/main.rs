//! The algorithms of the literature: what they find against the simulator, what it costs against
//! closed forms.

mod cases;
mod counts;
mod huge;
mod paper;
mod pieces;
mod window;
