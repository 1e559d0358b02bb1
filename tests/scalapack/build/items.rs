//! The testers' cases as literals, so that the macro plans them, there and back, and writes its
//! loops for them.

use serde_json::Value;
use std::fmt::Write;
use std::path::Path;

const CASES: &str = "data/scalapack_redist.json";

/// Writes `literal.rs`: an item for each move, and a function that runs a move by its number.
pub fn write() {
    let text = std::fs::read_to_string(CASES).expect("the cases");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let entries = ["gemr2d", "trmr2d"]
        .into_iter()
        .flat_map(|tester| file[tester].as_array().expect("a list"));
    let (mut items, mut arms) = (String::new(), String::new());
    for (number, (from, to, entry)) in
        entries.flat_map(|case| [("0", "1", case), ("1", "0", case)]).enumerate()
    {
        let (m, n, from, to) = (&entry["m"], &entry["n"], side(entry, from), side(entry, to));
        writeln!(
            items,
            "struct Move{number}<T: Element>: [T; {m}, {n}] {{ from: {from}, to: {to} }}"
        )
        .unwrap();
        writeln!(arms, "{number} => Move{number}::new().bind(world)?.run(from, to),").unwrap();
    }
    let folder = std::env::var_os("OUT_DIR").expect("cargo runs this");
    std::fs::write(Path::new(&folder).join("literal.rs"), source(&items, &arms))
        .expect("OUT_DIR is writable");
}

fn source(items: &str, arms: &str) -> String {
    format!(
        "redistribute! {{\n{items}}}\n\
         pub fn run<T: Element>(world: &SimpleCommunicator, number: usize, from: &[T], to: &mut [T])\n\
         -> Result<(), Error> {{\nmatch number {{\n{arms}_ => panic!(\"there is no move {{number}}\"),\n}}\n}}\n"
    )
}

/// One matrix in redist's notation; the testers count from 1.
fn side(entry: &Value, side: &str) -> String {
    let number = |field: &str| entry[format!("{field}{side}")].as_u64().expect("a number");
    let [mb, nb, p, q, rsrc, csrc] = ["nbr", "nbc", "p", "q", "sr", "sc"].map(number);
    let (stored, at) = (["m", "n"].map(number), ["i", "j"].map(|field| number(field) - 1));
    let whole = stored == ["m", "n"].map(|field| entry[field].as_u64().expect("a number"));
    let section = if whole { String::new() } else { format!(" of {stored:?} at {at:?}") };
    format!("scalapack({mb}, {nb}, {p}, {q}, {rsrc}, {csrc}){section}")
}
