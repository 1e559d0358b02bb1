//! Names of the methods.

use core::fmt;

/// How messages are ordered in time, for `Binder::method`. `redist explain` compares the methods of
/// a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// No steps: every rank sends all its messages, and takes them as they come.
    AllAtOnce,
    /// Park, Prasanna and Raghavendra's circulant schedule for x → kx and kx → x, in closed form.
    Circulant,
    /// The closed form for s → t, where it exists.
    ClosedForm,
    /// König's edge colouring of the graph of messages, with steps balanced in size.
    Koenig,
    /// Walker and Otto's caterpillar: as many steps as the larger side has ranks.
    Caterpillar,
}

impl Method {
    /// All methods, the preferred ones first.
    #[doc(hidden)]
    pub const ALL: [Method; 5] = [
        Method::AllAtOnce,
        Method::Circulant,
        Method::ClosedForm,
        Method::Koenig,
        Method::Caterpillar,
    ];
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Method::AllAtOnce => "all at once",
            Method::Circulant => "circulant",
            Method::ClosedForm => "closed form",
            Method::Koenig => "König colouring",
            Method::Caterpillar => "caterpillar",
        })
    }
}
