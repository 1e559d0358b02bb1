//! Research beside `redist`: the published algorithms that find which blocks meet, and the binary
//! `redist-study`, which runs the papers' comparisons again.
//!
//! Not published, and nothing of it moves an array. It uses the planner by its public interface, so
//! that what is measured is what users get.

mod arithmetic;
pub mod baseline;

/// Pages that explain.
pub mod docs {
    #[doc = include_str!("../../docs/algorithms.md")]
    pub mod algorithms {}

    #[doc = include_str!("../../docs/intersection.md")]
    pub mod intersection {}

    #[doc = include_str!("../../docs/scans.md")]
    pub mod scans {}

    #[doc = include_str!("../../docs/kr-to-r.md")]
    pub mod kr_to_r {}

    #[doc = include_str!("../../docs/aspen.md")]
    pub mod aspen {}

    #[doc = include_str!("../../docs/study.md")]
    pub mod study {}
}
