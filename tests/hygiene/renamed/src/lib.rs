//! Here `redist` has another name, and no crate is called `redist`.

#![forbid(unsafe_code, unused_qualifications)]

/// The name under which this crate hands it on.
pub mod inner {
    pub use renamed as again;
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

renamed::redistribute! {
    /// Structs.
    pub struct Particles: [Particle; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3, crate: renamed }
    /// The same.
    pub struct Masses: [[Mass; 2]; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3, crate: renamed }
    /// Literals.
    pub struct Literals: [f64; 100] { from: cyclic(4) onto 2, to: cyclic(6) onto 3, crate: renamed }
    /// Found by a path of this crate.
    pub struct Reexported: [f64; 100] { from: cyclic(8) onto 2, to: cyclic(2) onto 3, crate: crate::inner::again }
}

#[cfg(test)]
mod tests {
    use super::*;
    use renamed::Redistribution;

    #[test]
    fn they_plan() {
        assert_eq!(Particles::new().plan().ranks(), 3);
        assert_eq!(Masses::new().plan().ranks(), 3);
        assert_eq!(Literals::new().plan().ranks(), 3);
        assert_eq!(Reexported::new().plan().ranks(), 3);
    }
}
