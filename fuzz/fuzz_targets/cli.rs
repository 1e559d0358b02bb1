//! The command line's input and its JSON, with the files of its binary.
#![no_main]

#[path = "../../src/bin/redist/failure.rs"]
#[expect(dead_code, reason = "the binary uses all of it")]
mod failure;
#[path = "../../src/bin/redist/input/mod.rs"]
#[expect(dead_code, unused_imports, reason = "the binary uses all of it")]
mod input;
#[path = "../../src/bin/redist/words.rs"]
#[expect(dead_code, reason = "the binary uses all of it")]
mod words;

use arbitrary::{Result, Unstructured};
use failure::CommandFailure;
use input::{InputOptions, PlannedItem, Visitor};
use redist::Plan;
use redist_explain::{Asked, Described, PlanReport};
use redist_fuzz::case::{Limits, case};
use redist_fuzz::notation::MAX_TEXT;
use serde_json::Value;

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    // Too few bytes are nothing to check.
    let _ = check_bytes(bytes);
});

fn check_bytes(bytes: &[u8]) -> Result<()> {
    let mut bytes = Unstructured::new(bytes);
    let redistribution = match bytes.int_in_range(0..=3u8)? {
        0 => {
            let case = case::<1>(&mut bytes, Limits::small(1))?;
            format!("[f32; {}] {{ from: {}, to: {} }}", case.extents[0], case.from, case.to)
        }
        1 => {
            let case = case::<2>(&mut bytes, Limits::small(2))?;
            let [m, n] = case.extents;
            format!("struct R: [u8; {m}, {n}] {{ from: {}, to: {} }}", case.from, case.to)
        }
        2 => {
            // Numbers that no simulator counts to.
            let [extent, a, p, b, q]: [u64; 5] = bytes.arbitrary()?;
            format!("[f64; {extent}] {{ from: cyclic({a}) onto {p}, to: cyclic({b}) onto {q} }}")
        }
        _ => {
            let text: &str = bytes.arbitrary()?;
            format!("[{}", text.chars().take(MAX_TEXT).collect::<String>())
        }
    };
    let set: Vec<String> = bytes.arbitrary::<Option<String>>()?.into_iter().collect();
    let (name, element_bytes) = (None, None);
    // To relabel takes the cube of the number of ranks, which may be a thousand.
    let relabel = false;
    let options = InputOptions { redistribution, set, name, element_bytes, relabel };
    match options.visit_all(Checked) {
        Ok(()) => {}
        Err(CommandFailure::InputOptions(message)) => assert!(!message.is_empty()),
        Err(CommandFailure::Work(message)) => panic!("{message}"),
    }
    Ok(())
}

/// A visitor that checks each item's plan and its JSON.
#[derive(Clone, Copy)]
struct Checked;

impl Visitor for Checked {
    fn visit<const D: usize>(
        self,
        item: &PlannedItem<D>,
    ) -> std::result::Result<(), CommandFailure> {
        let rank = (item.plan.ranks() < 1 << 10).then_some(0);
        let described = Described {
            name: item.name.clone(),
            element: item.element.clone(),
            element_bytes: item.element_bytes,
            relabelled: None,
        };
        let report = PlanReport::new(&item.plan, described, Asked { most_pairs: 1 << 12, rank });
        let text = serde_json::to_string(&report).expect("a report is JSON");
        let json: Value = serde_json::from_str(&text).expect("JSON is read back");
        round_trip(item, &json);
        sums(&json);
        Ok(())
    }
}

/// Compares the plan of the report's words.
fn round_trip<const D: usize>(item: &PlannedItem<D>, json: &Value) {
    let numbers: Vec<usize> =
        json["extents"].as_array().into_iter().flatten().map(number).collect();
    let extents: [usize; D] = numbers.try_into().expect("an extent for each dimension");
    let side = |word: &str| json[word].as_str().expect("a layout").to_owned();
    let plan = Plan::parse(extents, &side("from"), &side("to")).expect("layouts are read back");
    assert_eq!(plan, item.plan);
    assert_eq!(json["digest"], plan.digest().to_string());
}

fn sums(json: &Value) {
    let Some(rows) = json["counts"].as_array() else { return };
    let counts: Vec<usize> =
        rows.iter().filter_map(Value::as_array).flatten().map(number).collect();
    assert_eq!(counts.iter().sum::<usize>(), number(&json["elements"]), "{json}");
    let messages = counts.iter().filter(|count| **count > 0).count();
    assert_eq!(number(&json["messages"]["number"]), messages, "{json}");
}

fn number(value: &Value) -> usize {
    value.as_u64().and_then(|number| usize::try_from(number).ok()).expect("a whole number")
}
