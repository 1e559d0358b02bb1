//! Here `redist` has another name, and no crate is called `redist`.

#![forbid(unsafe_code, unused_qualifications)]

/// The name under which this crate re-exports it.
pub mod inner {
    pub use renamed as again;
}

/// The macro by a name of its own.
pub mod alone {
    pub use renamed::redistribute as plan;
}

/// A macro of this crate, whose users do not know `redist`.
#[macro_export]
macro_rules! halves {
    ($name:ident, $extent:expr) => {
        $crate::inner::again::redistribute! {
            /// Blocks to single elements.
            pub struct $name: [f64; $extent] { from: block onto 2, to: cyclic onto 2 }
        }
    };
}

/// An element by the crate's other name.
#[derive(Clone, Copy, Debug, renamed::Element)]
#[repr(C)]
#[redist(crate = renamed)]
pub struct Particle(pub f64, pub u64);

/// An element by a path of this crate.
#[derive(Clone, Copy, Debug, inner::again::Element)]
#[repr(transparent)]
#[redist(crate = crate::inner::again)]
pub struct Mass(pub f64);

/// Elements in a block.
const NB: usize = 4;

renamed::redistribute! {
    /// Structs.
    pub struct Particles: [Particle; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3 }
    /// The same.
    pub struct Masses: [[Mass; 2]; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3 }
    /// Literals.
    pub struct Literals: [f64; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3 }
    /// Constants.
    pub struct Constants: [f64; 100] { from: cyclic(NB) onto 2, to: cyclic(6) onto 3 }
    /// Given at run time.
    pub struct Parameters(n: usize, to: Layout<1>): [f64; n] { from: cyclic(NB) onto 2, to: to }
}

inner::again::redistribute! {
    /// Found by a path of this crate.
    pub struct Reexported: [f64; 100] { from: cyclic(8) onto 2, to: cyclic(2) onto 3 }
}

alone::plan! {
    /// By another name.
    pub struct Alone<const B: usize>: [f64; 100] { from: cyclic(B) onto 2, to: cyclic(2) onto 3 }
}

halves!(Passed, 100);

#[cfg(test)]
mod tests {
    use super::*;
    use renamed::Redistribution;

    #[test]
    fn they_plan() {
        assert_eq!(Particles::new().plan().ranks(), 3);
        assert_eq!(Masses::new().plan().ranks(), 3);
        assert_eq!(Literals::new().plan().ranks(), 3);
        assert_eq!(Constants::new().plan(), Literals::new().plan());
        assert_eq!(Parameters::new(50, "block onto 7".parse().unwrap()).unwrap().plan().ranks(), 7);
        assert_eq!(Reexported::new().plan().ranks(), 3);
        assert_eq!(Alone::<8>::new().plan(), Reexported::new().plan());
        assert_eq!(Passed::new().inverse().plan().ranks(), 2);
    }
}
