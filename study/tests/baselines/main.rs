//! The literature's algorithms against the simulator, and their costs against closed forms.

mod cases;
mod counts;
mod huge;
mod paper;
mod pieces;
mod window;
