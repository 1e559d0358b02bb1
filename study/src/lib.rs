//! Published algorithms that find which blocks meet, and the binary `redist-study`.
//!
//! Not published. `redist-study-links` measures [methods](packing) and [cases](ScheduledCase) over
//! links.
// Names say enough to the studies, the only users.
#![allow(missing_docs)]

pub mod baseline;
pub mod links;
pub mod matchings;
pub mod messages;
pub mod packing;
pub mod printed;
mod scheduled;

pub use scheduled::ScheduledCase;

/// Pages that explain.
pub mod docs {
    #[doc = include_str!("links.md")]
    #[doc = include_str!("../docs/algorithms.md")]
    pub mod algorithms {}

    #[doc = include_str!("links.md")]
    #[doc = include_str!("../docs/intersection.md")]
    pub mod intersection {}

    #[doc = include_str!("links.md")]
    #[doc = include_str!("../docs/scans.md")]
    pub mod scans {}

    #[doc = include_str!("links.md")]
    #[doc = include_str!("../docs/kr-to-r.md")]
    pub mod kr_to_r {}

    #[doc = include_str!("links.md")]
    #[doc = include_str!("../docs/aspen.md")]
    pub mod aspen {}

    #[doc = include_str!("links.md")]
    #[doc = include_str!("../docs/study.md")]
    pub mod study {}

    #[doc = include_str!("links.md")]
    #[doc = include_str!("../docs/schedules-timed.md")]
    pub mod schedules_timed {}
}
