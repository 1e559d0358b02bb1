use crate::ast::Item;
use crate::diagnostic::{Diagnostics, message};
use crate::planned;
use crate::spec::{RanksSpec, Saving, SideSpec, Size, Spec};
use redist_plan::layout::Ranks;
use redist_plan::plan::Side;

/// Puts the map into the destination's layout, if the item asks for it and is all literals.
pub fn apply(item: &Item, spec: &mut Spec, diagnostics: &mut Diagnostics) {
    let Some(word) = &item.relabel else { return };
    let Some(plan) = planned::padded_plan(spec) else {
        diagnostics.error(word, message::RELABEL_OF_OPEN);
        return;
    };
    let best = match plan.relabelling() {
        Ok(best) => best,
        Err(error) => return diagnostics.error(word, error),
    };
    if let SideSpec::Layout(to) = &mut spec.to {
        to.ranks = match best.plan.descriptor(Side::Destination).layout().ranks {
            Ranks::From(first) => RanksSpec::Range { first: Size::implied(first), end: None },
            Ranks::Map(list) => RanksSpec::Map(list.iter().copied().map(Size::implied).collect()),
        };
    }
    spec.relabelled = Some(Saving::of(&best));
}

#[cfg(test)]
mod tests {
    use crate::parse::{self, Parsed};
    use crate::spec::Spec;
    use crate::understand;

    fn understood(text: &str) -> (Option<Spec>, Vec<String>) {
        let tokens = text.parse().expect("Rust tokens");
        let Some(Parsed { item: Some(item), mut diagnostics }) = parse::call(tokens).pop() else {
            panic!("one item: {text}")
        };
        let whole = diagnostics.is_empty();
        let (_, spec) = understand(item, whole, &mut diagnostics);
        let errors = diagnostics.finish().err().into_iter().flatten();
        (spec, errors.map(|error| error.to_string()).collect())
    }

    #[test]
    fn the_destination_gets_a_map() {
        let item = "struct R: [u8; 24] { from: cyclic(3) onto 4, to: cyclic(5) onto 4 ranks 0..4";
        let (plain, _) = understood(&format!("{item} }}"));
        let (mapped, errors) = understood(&format!("{item}, relabel: to }}"));
        assert_eq!(errors, [""; 0]);
        let (plain, mapped) = (plain.unwrap(), mapped.unwrap());
        assert_eq!(plain.to.to_string(), "cyclic(5) onto 4 ranks 0..4");
        assert!(mapped.to.to_string().starts_with("cyclic(5) onto 4 ranks ["), "{}", mapped.to);
        let saving = mapped.relabelled.unwrap();
        assert_eq!((saving.stayed, saving.stays, saving.elements), (4, 12, 24));
        assert!(plain.relabelled.is_none());
    }

    #[test]
    fn what_is_known_later_is_relabelled_later() {
        for item in [
            "struct R(m: usize): [u8; m] { from: block onto 4, to: cyclic(5) onto 4, relabel: to }",
            "struct R: [u8; 24] { from: PEER, to: cyclic(5) onto 4, relabel: to }",
        ] {
            let (_, errors) = understood(item);
            assert!(errors.len() == 1 && errors[0].contains("Plan::relabelled"), "{errors:?}");
        }
        let (_, errors) =
            understood("struct R: [u8; 24] { from: *, to: *, relabel: from, relabel: to }");
        assert!(errors[0].contains("write `relabel: to`"), "{errors:?}");
    }
}
