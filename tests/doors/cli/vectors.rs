//! `--json` against the answers of the independent reference.

use super::process::{file, json};
use serde_json::Value;

fn vectors() -> Value {
    serde_json::from_str(include_str!("../../data/block_cyclic.json")).expect("JSON")
}

fn explained(name: &str, items: impl Iterator<Item = String>) -> Vec<Value> {
    let path = file(name, &items.collect::<Vec<_>>().join("\n"));
    json(&[path.to_str().expect("a path in UTF-8")])
}

#[test]
fn lines_of_the_reference() {
    let vectors = vectors();
    let lines: Vec<&Value> = vectors["d1"].as_array().expect("an array").iter().collect();
    let item = |line: &&Value| {
        let side = |block, ranks, first| {
            format!("cyclic({}) onto {} first {}", line[block], line[ranks], line[first])
        };
        format!(
            "[f64; {}] {{ from: {}, to: {} }}",
            line["N"],
            side("s", "P", "rs"),
            side("t", "Q", "rt")
        )
    };
    let found = explained("lines.txt", lines.iter().map(item));
    assert_eq!((found.len(), found.len() > 200), (lines.len(), true));
    for (line, found) in lines.into_iter().zip(found) {
        assert_eq!(found["counts"], line["counts"], "vector {}", line["id"]);
        assert_eq!(found["pieces"], line["n_pieces"], "vector {}", line["id"]);
        assert_eq!(found["min_steps"], line["steps"], "vector {}", line["id"]);
        let class = match line["kind"].as_str() {
            _ if line["P"] == 1 && line["Q"] == 1 => "identity",
            Some("identity") => "identity",
            Some("equal" | "kr->r") => "kr_to_r",
            Some("r->kr") => "r_to_kr",
            _ => "general",
        };
        assert_eq!(found["class"], serde_json::json!([class]), "vector {}", line["id"]);
    }
}

#[test]
fn arrays_of_the_reference() {
    let vectors = vectors();
    let arrays: Vec<&Value> = vectors["nd"].as_array().expect("an array").iter().collect();
    let item = |array: &&Value| {
        let numbers = |place: usize| -> Vec<String> {
            array["dims"]
                .as_array()
                .expect("an array")
                .iter()
                .map(|dimension| dimension[place].to_string())
                .collect()
        };
        let side = |block: usize, storage: &str| {
            let dists: Vec<String> =
                numbers(block).iter().map(|block| format!("cyclic({block})")).collect();
            let (grid, first) = (numbers(block + 1).join(", "), numbers(block + 2).join(", "));
            let order = array["grid"].as_str().expect("an order");
            let storage = if array[storage] == "F" { "fortran" } else { "c" };
            format!(
                "({}) onto ({grid}) first ({first}) order {order} storage {storage}",
                dists.join(", ")
            )
        };
        format!(
            "[f64; {}] {{ from: {}, to: {} }}",
            numbers(0).join(", "),
            side(1, "sorder"),
            side(4, "dorder")
        )
    };
    let found = explained("arrays.txt", arrays.iter().map(item));
    assert_eq!((found.len(), found.len() > 20), (arrays.len(), true));
    for (array, found) in arrays.into_iter().zip(found) {
        assert_eq!(found["counts"], array["counts"], "{}", array["dims"]);
    }
}
