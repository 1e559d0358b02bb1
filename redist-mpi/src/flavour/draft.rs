//! MPI 5.0 as drafts numbered it before October 2025, and Intel MPI up to 2021.19.

use super::standard;
use crate::constant::Constant;

pub(super) const fn number(constant: Constant) -> i64 {
    use Constant::*;
    match constant {
        ERRORS_RETURN => 0x142,
        APPNUM => 506,
        _ => standard::number(constant),
    }
}
