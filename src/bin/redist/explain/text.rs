//! Writes an explanation as text.

use crate::words::{TIE, bytes, counted, elements, paragraph, product};
use redist::plan::folded;
use redist_explain::{MessageReport, OneRank, PlanReport, RelabelReport, SideReport};

/// Most ranges of ranks that are listed.
const MAX_RANGES: usize = 12;

pub fn text(report: &PlanReport) -> String {
    let mut lines = report.explained.lines().skip(1);
    let sides: String = lines.by_ref().take(2).map(line).collect();
    let body = match &report.rank {
        Some(rank) => one_rank(rank, report),
        None => lines.map(line).collect::<String>() + &schedule(report),
    };
    let saving = report.relabelled.map(|saving| relabelled(&saving, report)).unwrap_or_default();
    head(report) + &sides + &saving + &body + "\n"
}

fn head(report: &PlanReport) -> String {
    let name = report.name.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
    let bytes = match (report.element_bytes, report.bytes) {
        (Some(_), Some(all)) => bytes(all),
        (Some(_), None) => "more bytes than can be counted".into(),
        (None, _) => "bytes of an element unknown: give --element-bytes".into(),
    };
    let elements = counted(report.elements, "element");
    let array = match report.extents.as_slice() {
        [] | [_] => elements,
        extents => format!("{} = {elements}", product(extents)),
    };
    paragraph("", &format!("{name}{array} of {}: {bytes}", report.element))
}

/// Writes a line of `explain`, continued below the text behind its subject.
fn line(line: &str) -> String {
    let subject = ["  from ", "  to   "].into_iter().find(|subject| line.starts_with(subject));
    let end = match (subject, line.starts_with("  dimension ")) {
        (Some(subject), _) => subject.len(),
        (None, true) => line.find(": ").map_or(2, |colon| colon + 2),
        (None, false) => 2,
    };
    paragraph(&line[..end], &line[end..])
}

fn relabelled(saving: &RelabelReport, report: &PlanReport) -> String {
    let RelabelReport { stayed, stays, moves_at_least } = *saving;
    let text = format!(
        "relabelled: {} stay, {} before; no order of these ranks moves fewer than {}",
        share(stays, report.elements),
        share(stayed, report.elements),
        counted(moves_at_least, "element"),
    );
    paragraph("  ", &text)
}

/// `334 elements (33.3 %)`
fn share(part: usize, elements: usize) -> String {
    let share = if elements == 0 { 0.0 } else { 100.0 * part as f64 / elements as f64 };
    format!("{} ({share:.1}{TIE}%)", counted(part, "element"))
}

fn schedule(report: &PlanReport) -> String {
    paragraph("  ", &format!("schedule on a network: {}", report.schedule.reason))
}

fn one_rank(rank: &OneRank, report: &PlanReport) -> String {
    let half = |half: &Option<SideReport>, verb: &str| match half {
        Some(half) => messages_of(half, verb, report),
        None => paragraph("  ", &format!("{verb} nothing: it is not in that grid")),
    };
    paragraph("", &format!("rank {}", rank.rank))
        + &half(&rank.source, "sends")
        + &half(&rank.destination, "receives")
}

fn messages_of(half: &SideReport, verb: &str, report: &PlanReport) -> String {
    let head = format!(
        "{verb} {} at coordinates {:?}, where it holds {}",
        elements(half.message_elements, report.element_bytes),
        half.coordinates,
        product(&half.local_extents),
    );
    let Some(messages) = &half.messages else {
        let reason = half.messages_omitted.as_deref().unwrap_or_default();
        return paragraph("  ", &format!("{head}; the messages are left out: {reason}"));
    };
    if messages.is_empty() {
        return paragraph("  ", &head);
    }
    let preposition = if verb == "sends" { "to" } else { "from" };
    let lengths = folded(&mut messages.iter().map(|message| message.elements));
    let listed = format!(
        "{} of {lengths} elements {preposition} {}",
        counted(messages.len(), "message"),
        ranks(messages)
    );
    paragraph("  ", &head) + &paragraph("    ", &listed)
}

/// Lists the first [`MAX_RANGES`] ranges: `ranks 10..14, 30..34`.
fn ranks(messages: &[MessageReport]) -> String {
    let follows = |a: &MessageReport, b: &MessageReport| a.rank + 1 == b.rank;
    let ranges: Vec<String> = messages
        .chunk_by(follows)
        .map(|range| match (range.first(), range.last()) {
            (Some(first), Some(last)) if first.rank < last.rank => {
                format!("{}..{}", first.rank, last.rank + 1)
            }
            _ => range[0].rank.to_string(),
        })
        .collect();
    let noun = if messages.len() == 1 { "rank" } else { "ranks" };
    let more = ranges.len().saturating_sub(MAX_RANGES);
    let more = if more > 0 { format!(" and {more} more ranges") } else { String::new() };
    format!("{noun} {}{more}", ranges[..ranges.len().min(MAX_RANGES)].join(", "))
}
