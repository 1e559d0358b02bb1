//! Writes the testers' cases as literals for the macro, both ways.

use serde_json::Value;
use std::env;
use std::fmt::Write;
use std::path::Path;

const CASES: &str = "data/scalapack_redist.json";

/// One case in so many is compiled: items compile long.
const SHARE: u64 = 8;

/// Returns the first case of the draw, and the step.
fn drawn() -> (usize, usize) {
    let all = env::var("REDIST_TEST_ALL").is_ok_and(|all| all == "1");
    let seed = env::var("REDIST_TEST_SEED").ok().filter(|_| !all);
    let seed = seed.map(|seed| seed.parse::<u64>().expect("REDIST_TEST_SEED is a number"));
    seed.map_or((0, 1), |seed| ((seed % SHARE) as usize, SHARE as usize))
}

pub fn write() {
    let text = std::fs::read_to_string(CASES).expect("the cases");
    let file: Value = serde_json::from_str(&text).expect("JSON");
    let entries = ["gemr2d", "trmr2d"]
        .into_iter()
        .flat_map(|tester| file[tester].as_array().expect("a list"));
    let (mut items, mut arms) = (String::new(), String::new());
    let (first, step) = drawn();
    let moves = entries.flat_map(|case| [("0", "1", case), ("1", "0", case)]).enumerate();
    for (number, (from, to, entry)) in moves.filter(|(at, _)| (at / 2) % step == first) {
        let (m, n, from, to) = (&entry["m"], &entry["n"], side(entry, from), side(entry, to));
        writeln!(
            items,
            "struct Move{number}<T: Element>: [T; {m}, {n}] {{ from: {from}, to: {to} }}"
        )
        .unwrap();
        writeln!(
            arms,
            "{number} => Move{number}::new().bind(world)?.run(from, to).map(|()| true),"
        )
        .unwrap();
    }
    assert!(!arms.is_empty(), "no case is drawn");
    let folder = env::var_os("OUT_DIR").expect("cargo runs this");
    std::fs::write(Path::new(&folder).join("literal.rs"), source(&items, &arms))
        .expect("OUT_DIR is writable");
}

fn source(items: &str, arms: &str) -> String {
    format!(
        "redistribute! {{\n{items}}}\n\
         pub fn run<T: Element>(world: &Communicator, number: usize, from: &[T], to: &mut [T])\n\
         -> Result<bool, Error> {{\nmatch number {{\n{arms}_ => Ok(false),\n}}\n}}\n"
    )
}

/// The testers count from 1.
fn side(entry: &Value, side: &str) -> String {
    let number = |field: &str| entry[format!("{field}{side}")].as_u64().expect("a number");
    let [mb, nb, p, q, rsrc, csrc] = ["nbr", "nbc", "p", "q", "sr", "sc"].map(number);
    let (stored, at) = (["m", "n"].map(number), ["i", "j"].map(|field| number(field) - 1));
    let whole = stored == ["m", "n"].map(|field| entry[field].as_u64().expect("a number"));
    let section = if whole { String::new() } else { format!(" of {stored:?} at {at:?}") };
    format!("scalapack({mb}, {nb}, {p}, {q}, {rsrc}, {csrc}){section}")
}
