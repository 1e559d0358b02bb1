//! Demands on a plan's figures: the clause `require`.

use super::{Effort, Figure};
use crate::plan::{ConstText, Plan};

/// A demand on a figure of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// At most this many [messages](Plan::messages).
    Messages(usize),
    /// At most this many [steps](Plan::steps).
    Steps(usize),
    /// At least this many per cent of the elements [stay](Plan::stays).
    Stays(usize),
    /// At most this many bytes of [memory](Plan::memory).
    Memory(usize),
}

impl Demand {
    /// The error of a plan that does not meet the demand, for elements of `element_bytes` bytes.
    pub const fn unmet<const D: usize>(
        self,
        plan: &Plan<D>,
        element_bytes: usize,
        effort: Effort,
    ) -> Option<ConstText> {
        match self {
            Self::Messages(most) => self.above(plan.messages_within(effort), most),
            Self::Steps(most) => self.above(plan.steps_within(effort), most),
            Self::Memory(most) => self.above(plan.memory_within(element_bytes, effort), most),
            Self::Stays(percent) => self.below(plan.stays_within(effort), plan.elements(), percent),
        }
    }

    /// Writes the clause.
    pub const fn clause(self) -> ConstText {
        let text = ConstText::new("require: ");
        match self {
            Self::Messages(most) => text.text("messages <= ").number(most),
            Self::Steps(most) => text.text("steps <= ").number(most),
            Self::Stays(percent) => text.text("stays >= ").number(percent).text("%"),
            Self::Memory(most) => memory(text.text("memory <= "), most),
        }
    }

    const fn above(self, figure: Figure, most: usize) -> Option<ConstText> {
        if figure.value <= most {
            return None;
        }
        let text = self.unmet_text();
        let text = match self {
            Self::Steps(_) => text.text("a schedule needs "),
            Self::Memory(_) => text.text("a rank needs "),
            _ => text.text("a rank sends or receives "),
        };
        let text = if figure.is_exact { text } else { text.text("up to ") };
        let (text, mend) = match self {
            Self::Steps(_) => (text.counted(figure.value, "step"), Self::Steps(figure.value)),
            Self::Memory(_) => (
                text.counted(figure.value, "byte").text(" for local arrays and messages"),
                Self::Memory(rounded_up(figure.value)),
            ),
            _ => (text.counted(figure.value, "message"), Self::Messages(figure.value)),
        };
        let text = match self {
            Self::Memory(_) => text.text("; use more ranks, or write `"),
            _ => text.text("; choose blocks and grids with larger common divisors, or write `"),
        };
        Some(text.then(&mend.clause()).text("`"))
    }

    const fn below(self, stays: Figure, elements: usize, percent: usize) -> Option<ConstText> {
        // Both fit into 64 bits, and `percent` into 7.
        if stays.value as u128 * 100 >= elements as u128 * percent as u128 {
            return None;
        }
        let text = self.unmet_text();
        if !stays.is_exact {
            let text = text.text("how much stays takes too long to find out, for so many ranks");
            return Some(text.text("; ask `plan().stays()` at run time"));
        }
        let found = (stays.value as u128 * 100 / elements as u128) as usize;
        let text = text.number(stays.value).text(" of ").counted(elements, "element");
        let text = text.text(if stays.value == 1 { " stays (" } else { " stay (" });
        let text = text.number(found).text(" %) on their rank; number the ranks of both sides ");
        if found == 0 {
            return Some(text.text("alike, or leave it out"));
        }
        let text = text.text("alike, or write `").then(&Self::Stays(found).clause());
        Some(text.text("`"))
    }

    const fn unmet_text(self) -> ConstText {
        ConstText::new("`").then(&self.clause()).text("` is not met: ")
    }
}

/// Units of memory with their bytes, largest first.
const UNITS: [(&str, usize); 4] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10), ("B", 1)];

const fn memory(text: ConstText, bytes: usize) -> ConstText {
    let mut unit = 0;
    while bytes == 0 && unit + 1 < UNITS.len() || !bytes.is_multiple_of(UNITS[unit].1) {
        unit += 1;
    }
    text.number(bytes / UNITS[unit].1).text(" ").text(UNITS[unit].0)
}

/// Rounds up to a multiple of the largest unit that fits.
const fn rounded_up(bytes: usize) -> usize {
    let mut unit = 0;
    while bytes < UNITS[unit].1 && unit + 1 < UNITS.len() {
        unit += 1;
    }
    bytes.div_ceil(UNITS[unit].1).saturating_mul(UNITS[unit].1)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(demand: Demand) -> Option<String> {
        let plan = Plan::<1>::parse([1003], "cyclic(10) onto 3", "cyclic(2) onto 3").unwrap();
        demand.unmet(&plan, 8, Effort::OF_PROGRAMS).map(|text| text.as_str().to_owned())
    }

    #[test]
    fn what_is_met_is_not_talked_about() {
        for (met, unmet) in [
            (Demand::Messages(2), Demand::Messages(1)),
            (Demand::Steps(3), Demand::Steps(2)),
            (Demand::Stays(33), Demand::Stays(34)),
            (Demand::Memory(8 * (343 + 335 + 343 + 335)), Demand::Memory(10 << 10)),
        ] {
            assert_eq!(said(met), None);
            let said = said(unmet).expect("a text");
            assert!(said.starts_with(&format!("`{}` is not met: ", unmet.clause().as_str())));
        }
    }

    #[test]
    fn the_text_has_the_figure_and_a_way_out() {
        let said = |demand| said(demand).unwrap_or_default();
        assert!(said(Demand::Messages(1)).contains("receives 2 messages"));
        assert!(said(Demand::Messages(1)).ends_with("write `require: messages <= 2`"));
        assert!(said(Demand::Stays(50)).contains("334 of 1003 elements stay (33 %)"));
        assert!(said(Demand::Memory(0)).ends_with("write `require: memory <= 11 KiB`"));
        assert!(said(Demand::Memory(0)).starts_with("`require: memory <= 0 B` is not met"));
    }
}
