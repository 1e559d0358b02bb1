//! An item's docs and its `explain()` agree on the content of the binary.

use redist::{Redistribution, redistribute};
use std::fs;
use std::path::Path;

/// Declares items as golden inputs do, and keeps their text.
macro_rules! as_golden {
    ($($name:ident = { $($item:tt)* })*) => {$(
        redistribute! { $($item)* }
        const $name: &str = stringify!($($item)*);
    )*};
}

as_golden! {
    KR_TO_R = { pub struct Kr: [f64; 1003] { from: cyclic(10) onto 3, to: cyclic(2) onto 3 } }
    README = {
        struct ToColumns: [f64; 600, 1200] {
            from: scalapack(64, 64, 2, 3), to: (*, block) onto 6 storage fortran,
        }
    }
    IN_TURN = { struct InTurn: [f32; 1280] { from: block onto 4, to: cyclic onto 4 } }
    RELABELLED = {
        pub(crate) struct Relabelled: [u8; 12] { from: gen_block([3, 4, 5]) onto 3, to: cyclic(2) onto 3, relabel: to }
    }
}

fn golden(file: &str) -> String {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("redist-macros/golden");
    fs::read_to_string(folder.join(file)).expect("a golden file")
}

fn documented(name: &str, item: &str) -> Vec<String> {
    let dense = |text: &str| text.split_whitespace().collect::<String>();
    let input = dense(&golden(&format!("{name}.in.rs")));
    assert!(input.contains(&dense(item)), "golden/{name}.in.rs declares another item: {input}");
    let output = golden(&format!("{name}.out.rs"));
    let docs = output.lines().take_while(|line| line.starts_with("//") || line.starts_with("#["));
    docs.filter_map(|line| line.strip_prefix("/// - ").map(str::to_owned)).collect()
}

fn tells_the_same<const D: usize>(
    name: &str,
    item: &str,
    planned: &impl Redistribution<D>,
) -> bool {
    let (docs, explained) = (documented(name, item), planned.explain() + "\n");
    for (dimension, report) in planned.report().iter().enumerate() {
        let begin = format!("dimension {dimension}: ");
        let line = docs.iter().find_map(|line| line.strip_prefix(&begin)).expect("a dimension");
        let table = "; its table is in the binary";
        assert_eq!(line.ends_with(table), report.table > 0, "{line}\n{explained}");
        let axis = line.strip_suffix(table).unwrap_or(line);
        assert!(explained.contains(&format!("{begin}{axis}\n")), "{line}\n{explained}");
        assert!(explained.contains(&format!("{begin}{report}\n")), "{explained}");
    }
    let tells = |text: &str| docs.iter().any(|line| line.contains(text));
    let has_code = explained.contains("in the binary: code for these blocks");
    // All of these items have numbers, whose bytes the macro knows.
    let (where_it_gains, none) =
        (tells("code for these blocks is in the binary where it gains"), tells("copy runs by"));
    assert!(where_it_gains != none, "one of both: {docs:?}");
    assert_eq!(where_it_gains, has_code, "{docs:?}\n{explained}");
    has_code
}

#[test]
fn docs_of_items_and_what_they_explain_are_one() {
    assert!(tells_the_same("kr_to_r", KR_TO_R, &Kr::new()));
    tells_the_same("readme", README, &ToColumns::new());
    assert!(tells_the_same("in_turn", IN_TURN, &InTurn::new()));
    assert!(!tells_the_same("relabelled", RELABELLED, &Relabelled::new()));
}
