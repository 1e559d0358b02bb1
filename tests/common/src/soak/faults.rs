//! Faults that ranks of the soak commit.

use core::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It passes a slice that is too short, or too long.
    WrongLength,
    /// It panics between two calls, and catches that.
    PanicBetween,
    /// It panics in the middle of a move of shared arrays or chunks, and catches that.
    PanicAmidCopies,
    /// It panics while it packs or unpacks messages, and catches that.
    PanicAmidMessages,
    Forgotten,
    OtherPlan,
    OtherElement,
    OtherOptions,
    /// It runs two plans in another order than the other ranks.
    OtherOrder,
    ReturnsEarly,
    Panics,
}

impl Fault {
    pub const ALL: [Self; 11] = [
        Self::WrongLength,
        Self::PanicBetween,
        Self::PanicAmidCopies,
        Self::PanicAmidMessages,
        Self::Forgotten,
        Self::OtherPlan,
        Self::OtherElement,
        Self::OtherOptions,
        Self::OtherOrder,
        Self::ReturnsEarly,
        Self::Panics,
    ];

    pub(super) const ENDS: [Self; 2] = [Self::ReturnsEarly, Self::Panics];

    /// Ranks disagree when they bind.
    pub(super) const BINDS: [Self; 3] = [Self::OtherPlan, Self::OtherElement, Self::OtherOptions];

    pub(super) const MOVES: [Self; 6] = [
        Self::WrongLength,
        Self::PanicBetween,
        Self::PanicAmidCopies,
        Self::PanicAmidMessages,
        Self::Forgotten,
        Self::OtherOrder,
    ];
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Fault::WrongLength => "wrong-length",
            Fault::PanicBetween => "panic-between",
            Fault::PanicAmidCopies => "panic-amid-copies",
            Fault::PanicAmidMessages => "panic-amid-messages",
            Fault::Forgotten => "forgotten",
            Fault::OtherPlan => "other-plan",
            Fault::OtherElement => "other-element",
            Fault::OtherOptions => "other-options",
            Fault::OtherOrder => "other-order",
            Fault::ReturnsEarly => "returns-early",
            Fault::Panics => "panics",
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    GoesOn,
    /// A rank is gone, or about to go: this rank, or a rank that this rank knows of.
    IsOver,
}

#[derive(Clone, Debug)]
pub struct Faults(Vec<Fault>);

impl Faults {
    /// Takes all but `left_out` and `REDIST_SOAK_LEAVE_OUT`, and restores `REDIST_SOAK_WITH`.
    pub fn but(left_out: &[Fault]) -> Self {
        let (without, with) = (listed("REDIST_SOAK_LEAVE_OUT"), listed("REDIST_SOAK_WITH"));
        let is_wanted = |fault: &Fault| {
            (with.contains(fault) || !left_out.contains(fault)) && !without.contains(fault)
        };
        Self(Fault::ALL.into_iter().filter(is_wanted).collect())
    }

    pub(super) fn of(&self, some: &[Fault]) -> Vec<Fault> {
        some.iter().copied().filter(|fault| self.0.contains(fault)).collect()
    }
}

fn listed(variable: &str) -> Vec<Fault> {
    let text = std::env::var(variable).unwrap_or_default();
    let named = |name: &str| {
        let known = Fault::ALL.into_iter().find(|fault| fault.to_string() == name);
        known.unwrap_or_else(|| panic!("{variable}: `{name}` is none of {:?}", names()))
    };
    text.split(',').map(str::trim).filter(|name| !name.is_empty()).map(named).collect()
}

fn names() -> Vec<String> {
    Fault::ALL.map(|fault| fault.to_string()).to_vec()
}
