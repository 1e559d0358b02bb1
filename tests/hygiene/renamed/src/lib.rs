//! Here `redist` has another name, and no crate is called `redist`.

/// The name under which this crate hands it on.
pub mod inner {
    pub use renamed as again;
}

renamed::redistribute! {
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
        assert_eq!(Literals::new().plan().ranks(), 3);
        assert_eq!(Reexported::new().plan().ranks(), 3);
    }
}
