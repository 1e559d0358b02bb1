use core::fmt;

/// The class of one dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// No element leaves its coordinate along this dimension.
    Identity,
    /// Blocks of `k r` to blocks of `r` (Hsu and Chung §3.1).
    KrToR {
        /// Destination blocks in a source block.
        k: usize,
        /// Elements in a destination block.
        r: usize,
    },
    /// Blocks of `r` to blocks of `k r` (Hsu and Chung §3.2).
    RToKr {
        /// Source blocks in a destination block.
        k: usize,
        /// Elements in a source block.
        r: usize,
    },
    /// Any other pair of blocks.
    General,
}

impl fmt::Display for Class {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Class::Identity => f.write_str("identity"),
            Class::KrToR { k, r } => write!(f, "kr→r, k = {k}, r = {r}"),
            Class::RToKr { k, r } => write!(f, "r→kr, k = {k}, r = {r}"),
            Class::General => f.write_str("general"),
        }
    }
}
