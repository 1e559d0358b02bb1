//! The cases of ScaLAPACK's own redistribution testers; `data/README.md` explains the fields.

use crate::case::{Case, Side};
use redist::layout::RankOrder;
use serde_json::Value;

const CASES: &str = include_str!("../../data/scalapack_redist.json");

pub fn cases() -> Vec<Case> {
    let file: Value = serde_json::from_str(CASES).expect("JSON");
    let lists = ["gemr2d", "trmr2d"].map(|tester| file[tester].as_array().expect("a list").clone());
    lists.iter().flatten().enumerate().map(|(index, entry)| read(index, entry)).collect()
}

fn read(index: usize, entry: &Value) -> Case {
    let number = |field: &str| {
        entry[field].as_u64().unwrap_or_else(|| panic!("`{field}` of {entry}")) as usize
    };
    let sides = ["0", "1"].map(|side| {
        let pair = |fields: [&str; 2]| fields.map(|field| number(&format!("{field}{side}")));
        Side {
            extents: pair(["m", "n"]),
            blocks: pair(["nbr", "nbc"]),
            grid: pair(["p", "q"]),
            order: RankOrder::Row,
            source: pair(["sr", "sc"]),
            // The testers count from 1.
            at: pair(["i", "j"]).map(|first| first - 1),
            // The macro's plan, which runs on the same arrays, has none either.
            padding: 0,
        }
    });
    Case { moved: [number("m"), number("n")], sides, literal: Some(2 * index) }
}
