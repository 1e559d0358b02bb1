//! Items of every tier in an older edition.

#![deny(warnings)]
#![forbid(unsafe_code)]

use redist::redistribute;

/// Elements in a block.
const NB: usize = 4;

redistribute! {
    /// Literals.
    pub struct Literals: [f64; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3 }
    /// Constants.
    pub struct Constants: [f64; 100] { from: cyclic(NB) onto 2, to: cyclic(NB + 2) onto 3 }
    /// A generic element and a constant generic.
    pub struct Generics<T: redist::Element, const B: usize>: [T; 100] { from: cyclic(B) onto 2, to: cyclic(6) onto 3 }
    /// A name that a later edition has taken.
    pub struct Parameters(gen: usize, to: Layout<1>): [f64; 100] { from: cyclic(gen) onto 2, to: to }
}

#[cfg(test)]
mod tests {
    use super::*;
    use redist::Redistribution;

    #[test]
    fn they_plan() {
        let plan = Literals::new().plan();
        assert_eq!(Constants::new().plan(), plan);
        assert_eq!(Generics::<u8, 4>::new().plan(), plan);
        let to = "cyclic(6) onto 3".parse().unwrap();
        assert_eq!(Parameters::new(4, to).unwrap().inverse().plan(), plan.inverse());
    }
}
