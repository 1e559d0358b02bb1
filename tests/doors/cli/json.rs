//! The JSON of `redist explain`.

use super::process::{json, redist};
use redist::plan::schedule::{CostModel, Schedules};
use redist::{Plan, Side};
use serde_json::Value;

fn numbers(value: &Value) -> Vec<usize> {
    let number = |value: &Value| value.as_u64().expect("a whole number") as usize;
    value.as_array().expect("an array").iter().map(number).collect()
}

// feature: plans explained, as text and JSON = `Plan::explain`, `redist explain --json`
#[test]
fn an_array_of_two_dimensions() {
    let (from, to) = (
        "(cyclic(16), cyclic(16)) onto (2, 3) first (1, 2) ranks 2..8",
        "(cyclic(8), cyclic(12)) onto (3, 2) transposed",
    );
    let plan = Plan::parse([100, 90], from, to).expect("a plan");
    let found = &json(&[&format!("struct LuToQr: [f64; 100, 90] {{ from: {from}, to: {to} }}")])[0];
    let counts = found["counts"].as_array().expect("few pairs");
    for (source, row) in counts.iter().enumerate() {
        let volumes: Vec<usize> =
            (0..6).map(|destination| plan.volume(2 + source, destination)).collect();
        assert_eq!(numbers(row), volumes, "{source}");
    }
    assert_eq!((counts.len(), &found["counts_omitted"]), (6, &Value::Null));
    assert_eq!(numbers(&found["window"]), [0, 1].map(|axis| plan.axis(axis).window()));
    assert_eq!(
        numbers(&found["window_pieces"]),
        [0, 1].map(|axis| plan.axis(axis).window_pieces())
    );
    assert_eq!(numbers(&found["dimension_pieces"]), [0, 1].map(|axis| plan.axis(axis).pieces()));
    assert_eq!(found["pieces"], plan.axis(0).pieces() * plan.axis(1).pieces());
    assert_eq!(found["digest"], plan.digest().to_string());
    let choice = plan.choose_steps(&CostModel::NETWORK, 8);
    assert_eq!(found["min_steps"].as_u64().map(|steps| steps as usize), choice.least_steps);
    assert_eq!(
        found["steps"].as_u64().map(|steps| steps as usize),
        choice.schedule.map(|schedule| schedule.steps())
    );
    assert_eq!(found["schedule"]["reason"], choice.reason);
    assert_eq!(found["schedule"]["candidates"].as_array().map(Vec::len), Some(5));
    let most = |side| (0..8).map(|rank| plan.descriptor(side).local_len(rank)).max();
    assert_eq!(
        found["memory"]["source"]["local_elements"].as_u64().map(|most| most as usize),
        most(Side::Source)
    );
    assert_eq!(
        found["memory"]["peak_bytes"],
        8 * found["memory"]["peak_elements"].as_u64().expect("a number")
    );
    let stays: usize = (0..8).map(|rank| plan.volume(rank, rank)).sum();
    assert_eq!(found["elements_that_stay"], stays);
}

#[test]
fn classes_have_stable_names() {
    let found =
        |from: &str, to: &str| json(&[&format!("[u8; 60] {{ from: {from}, to: {to} }}")]).remove(0);
    let kr = found("cyclic(10) onto 3", "cyclic(2) onto 3");
    assert_eq!(
        (&kr["class"][0], &kr["class_parameters"][0]["k"], &kr["class_parameters"][0]["r"]),
        (&"kr_to_r".into(), &5.into(), &2.into())
    );
    assert_eq!(
        found("cyclic(2) onto 3", "cyclic(10) onto 3")["class"],
        serde_json::json!(["r_to_kr"])
    );
    assert_eq!(
        found("cyclic(4) onto 3", "cyclic(6) onto 3")["class"],
        serde_json::json!(["general"])
    );
    let identity = found("block onto 3", "block onto 3");
    assert_eq!(
        (&identity["class"][0], &identity["class_parameters"][0]),
        (&"identity".into(), &Value::Null)
    );
}

#[test]
fn many_ranks_cost_nothing() {
    let text = "[f32; 9_000_000_000_000_000_000] { from: cyclic(63) onto 1_000_000, to: cyclic(64) onto 1_000_000 }";
    let found = &json(&[text, "--rank", "7"])[0];
    assert_eq!(found["elements"].as_u64(), Some(9_000_000_000_000_000_000), "exactly");
    assert!(found["counts"].is_null() && found["messages"].is_null());
    assert!(
        found["counts_omitted"]
            .as_str()
            .expect("a reason")
            .contains("1000000000000 pairs of ranks")
    );
    assert_eq!((&found["min_steps"], &found["window_pieces"][0]), (&128.into(), &126.into()));
    let messages = found["rank"]["source"]["messages"].as_array().expect("messages");
    let sent: u64 =
        messages.iter().map(|message| message["elements"].as_u64().expect("a number")).sum();
    assert_eq!(
        (messages.len(), Some(sent)),
        (128, found["rank"]["source"]["local_elements"].as_u64())
    );
}

#[test]
fn counts_can_be_left_out() {
    let text = "[u8; 60] { from: block onto 3, to: cyclic onto 4 }";
    let (with, without) =
        (&json(&[text, "--counts", "12"])[0], &json(&[text, "--counts", "11"])[0]);
    assert_eq!(with["counts"], serde_json::json!([[5, 5, 5, 5], [5, 5, 5, 5], [5, 5, 5, 5]]));
    assert!(without["counts"].is_null() && without["counts_omitted"].is_string());
    assert_eq!(
        without["messages"],
        serde_json::json!({ "number": 12, "smallest": 5, "largest": 5 })
    );
}

#[test]
fn a_rank_that_is_not_there() {
    let run = redist(&["explain", "[u8; 60] { from: block onto 3, to: * }", "--rank", "3"]);
    assert_eq!(
        (run.status, run.stderr.as_str()),
        (Some(2), "error: --rank 3: the redistribution has ranks 0 to 2\n")
    );
}

#[test]
fn ranks_by_a_map_are_listed() {
    let text = "[u8; 24] { from: cyclic(3) onto 3 ranks [4, 0, 2], to: block onto 2, relabel: to }";
    let found = &json(&[text])[0];
    let (source, destination) = (&found["ranks"]["source"], &found["ranks"]["destination"]);
    assert_eq!((&source["first"], numbers(&source["listed"])), (&Value::Null, vec![4, 0, 2]));
    assert_eq!(found["ranks"]["needed"], 5);
    let relabelled = &found["relabelled"];
    let number = |name: &str| relabelled[name].as_u64().expect("a number");
    assert_eq!(number("stays") + number("moves_at_least"), 24);
    assert_eq!(found["elements_that_stay"].as_u64(), Some(number("stays")));
    assert!(number("stays") >= number("stayed") && destination["count"] == 2);
}
