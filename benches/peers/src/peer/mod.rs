//! Ways that other codes take.

mod derived;
mod instead;
mod naive;
mod scalapack;
mod segments;

use redist::Redistribution;
use redist::plan::schedule::Method;
use redist_moves::arrays::Scalar;
use redist_moves::peer::{Context, Ours, Way, Ways};

/// All ways, the library's included.
#[derive(Clone, Copy, Debug)]
pub struct Peers;

impl Ways for Peers {
    const ON_DEMAND: &'static [&'static str] = &[
        "redist, shared source",
        "redist, all at once",
        "redist, pieces of 1 MiB",
        "redist, circulant",
        "redist, closed form",
        "redist, König",
        "redist, caterpillar",
    ];

    fn all<T: Scalar, R: Redistribution<D, Element = T>, const D: usize>() -> Vec<Way<T, R, D>> {
        let mut ways = Ours::all::<T, R, D>();
        let others: [Way<T, R, D>; 11] = [
            ("redist, shared source", instead::from_shared_memory),
            ("redist, all at once", instead::by_messages),
            ("redist, pieces of 1 MiB", instead::in_long_pieces),
            ("redist, circulant", |context| instead::by_steps(context, Method::Circulant)),
            ("redist, closed form", |context| instead::by_steps(context, Method::ClosedForm)),
            ("redist, König", |context| instead::by_steps(context, Method::Koenig)),
            ("redist, caterpillar", |context| instead::by_steps(context, Method::Caterpillar)),
            ("ScaLAPACK p?gemr2d", scalapack::prepare),
            ("Alltoallw, derived types", derived::prepare),
            ("Alltoallv, segment table", segments::prepare),
            ("element loop", naive::prepare),
        ];
        ways.extend(others);
        ways
    }
}
