//! A report for people.

use super::memory::SideMemory;
use super::rank::{OneRank, SideReport};
use super::report::{Grid, GridRanks, PlanReport, RelabelReport};
use super::schedule::{Chosen, Considered};
use crate::words::{TIE, bytes, counted, elements, number, paragraph, product, width};

/// Largest number of rows, and of columns, of counts that are printed.
const MAX_MATRIX_RANKS: usize = 16;

/// Largest number of a rank's messages that are printed.
const MAX_MESSAGES: usize = 32;

/// All of it, in lines of at most [`width`] columns.
pub fn text(report: &PlanReport) -> String {
    let parts = [
        head(report),
        dimensions(report),
        messages(report),
        schedule(&report.schedule, report),
        memory(report),
    ];
    let rank = report.rank.as_ref().map(|rank| one_rank(rank, report)).unwrap_or_default();
    parts.concat() + &rank + "digest      " + &report.digest + "\n\n"
}

fn head(report: &PlanReport) -> String {
    let name = report.name.as_ref().map(|name| format!("{name}: ")).unwrap_or_default();
    let bytes = match (report.element_bytes, report.bytes) {
        (Some(_), Some(all)) => bytes(all),
        (Some(_), None) => "more bytes than can be counted".into(),
        (None, _) => "bytes of an element unknown: give --element-bytes".into(),
    };
    let array =
        format!("{name}{} of {}: {bytes}", array(&report.extents, report.elements), report.element);
    let side = |layout: &str, grid: &Grid| format!("{layout}: {}", ranks(grid));
    paragraph("", &array)
        + &paragraph("from        ", &side(&report.from, &report.ranks.source))
        + &paragraph("to          ", &side(&report.to, &report.ranks.destination))
        + &report.relabelled.map(|relabelled| saving(&relabelled, report)).unwrap_or_default()
        + "\n"
}

/// What stays before and after ranks went to other cells, and the least that any order moves.
fn saving(relabelled: &RelabelReport, report: &PlanReport) -> String {
    let RelabelReport { stayed, stays: now, moves_at_least } = *relabelled;
    let least = counted(moves_at_least, "element");
    let text = format!(
        "{}, {} before; no order of these ranks moves fewer than {least}",
        stays(now, report.elements),
        share(stayed, report.elements),
    );
    paragraph("relabelled  ", &text)
}

/// `1003 elements`, or `100 x 90 = 9000 elements`.
fn array(extents: &[usize], elements: usize) -> String {
    match extents {
        [_] => counted(elements, "element"),
        extents => format!("{} = {}", product(extents), counted(elements, "element")),
    }
}

fn ranks(grid: &Grid) -> String {
    match (grid.first, grid.count) {
        (Some(first), 1) => format!("rank {first}"),
        (Some(first), count) => format!("ranks {first}..{}", first + count),
        // The layout lists them.
        (None, count) => format!("{} by a map", counted(count, "rank")),
    }
}

fn dimensions(report: &PlanReport) -> String {
    let mut text = String::new();
    for (dimension, words) in report.dimensions.iter().enumerate() {
        let table = match report.table_pieces[dimension] {
            0 => "no table".to_owned(),
            pieces => format!("a table of {}", counted(pieces, "piece")),
        };
        text += &paragraph(&format!("dimension {dimension} "), &format!("{words}; {table}"));
    }
    text + "\n"
}

fn messages(report: &PlanReport) -> String {
    let counts = &report.counts;
    let all = match (&counts.messages, &counts.messages_omitted) {
        (Some(messages), _) => format!(
            "{} that {} not empty, of {} to {}",
            counted(messages.number, "message"),
            if messages.number == 1 { "is" } else { "are" },
            number(messages.smallest),
            elements(messages.largest, report.element_bytes),
        ),
        (None, reason) => format!("not counted: {}", reason.as_deref().unwrap_or_default()),
    };
    let busiest = counts
        .messages_of_a_rank
        .map(|most| format!("; a rank sends or receives at most {}", number(most)));
    let stay = counts
        .elements_that_stay
        .map(|stay| format!("; {} on their ranks", stays(stay, report.elements)));
    let matrix = match &counts.counts {
        Some(counts) => matrix(counts, &report.ranks),
        None => paragraph(
            "            ",
            &format!(
                "counts are left out: {}",
                counts.counts_omitted.as_deref().unwrap_or_default()
            ),
        ),
    };
    paragraph("messages    ", &(all + &busiest.unwrap_or_default() + &stay.unwrap_or_default()))
        + &matrix
        + "\n"
}

fn stays(stay: usize, elements: usize) -> String {
    format!("{} stay", share(stay, elements))
}

/// `334 elements (33.3 %)`
fn share(part: usize, elements: usize) -> String {
    let share = if elements == 0 { 0.0 } else { 100.0 * part as f64 / elements as f64 };
    format!("{} ({share:.1}{TIE}%)", counted(part, "element"))
}

/// A row for each source rank, as far as there is room.
fn matrix(counts: &[Vec<usize>], ranks: &GridRanks) -> String {
    let columns = counts.first().map_or(0, Vec::len);
    let widest = counts.iter().flatten().max().map_or(1, |most| number(*most).len());
    let column = widest.max(ranks.needed.to_string().len()) + 2;
    if counts.len() > MAX_MATRIX_RANKS
        || columns > MAX_MATRIX_RANKS
        || 28 + column * columns > width()
    {
        let left_out =
            format!("the {} x {} counts do not fit here: see --json", counts.len(), columns);
        return paragraph("            ", &left_out);
    }
    let head_width = "from ".len() + ranks.needed.to_string().len();
    let row = |head: &str, cells: &mut dyn Iterator<Item = String>| {
        let cells: String = cells.map(|cell| format!("{cell:>column$}")).collect();
        format!("            {head:>head_width$}{cells}\n")
    };
    let mut text = row("to", &mut (0..columns).map(|rank| ranks.destination.nth(rank).to_string()));
    for (rank, counts) in counts.iter().enumerate() {
        text += &row(
            &format!("from {}", ranks.source.nth(rank)),
            &mut counts.iter().map(|count| number(*count)),
        );
    }
    text
}

fn schedule(chosen: &Chosen, report: &PlanReport) -> String {
    let least = chosen.min_steps.map_or_else(
        || "the least possible number of steps is not known".into(),
        |least| format!("{} at least", counted(least, "step")),
    );
    let mut text = paragraph("schedule    ", &format!("{}; {least}", chosen.reason));
    for candidate in &chosen.candidates {
        text += &paragraph(&format!("            {:<16} ", candidate.title), &costs(candidate));
    }
    if report.element_bytes.is_none() {
        let assumed = format!(
            "costs are those of elements of {}",
            counted(chosen.costs_for_element_bytes, "byte")
        );
        text += &paragraph("            ", &assumed);
    }
    text + "\n"
}

fn costs(candidate: &Considered) -> String {
    match (candidate.steps, candidate.elements, candidate.seconds) {
        (Some(steps), Some(elements), Some(seconds)) => {
            let steps = match candidate.method {
                "all_at_once" => format!("up to {} a rank", counted(steps, "message")),
                _ => counted(steps, "step"),
            };
            format!(
                "{steps}, {} one after the other, {:.3}{TIE}ms",
                counted(elements, "element"),
                seconds * 1e3
            )
        }
        _ => {
            let reason = candidate.reason.as_deref().unwrap_or_default();
            reason.strip_prefix(&format!("{}: ", candidate.title)).unwrap_or(reason).to_owned()
        }
    }
}

fn memory(report: &PlanReport) -> String {
    let memory = &report.memory;
    let side = |side: &SideMemory| {
        let empty = match side.empty_ranks {
            0 => String::new(),
            ranks => format!(
                "; {} nothing",
                if ranks == 1 {
                    "1 rank holds".into()
                } else {
                    format!("{} ranks hold", number(ranks))
                }
            ),
        };
        format!(
            "a rank holds up to {}{}, and sends or receives {}{empty}",
            array(&side.local_extents, side.local_elements),
            side.local_bytes.map(|all| format!(" ({})", bytes(all))).unwrap_or_default(),
            elements(side.message_elements, report.element_bytes),
        )
    };
    let peak = match memory.peak_bytes {
        Some(peak) => format!("{} ({})", counted(memory.peak_elements, "element"), bytes(peak)),
        None => counted(memory.peak_elements, "element"),
    };
    let of_what = if memory.peak_is_bound {
        "at most, both sides' maxima on one rank"
    } else {
        "on the rank that needs the most"
    };
    paragraph("source      ", &side(&memory.source))
        + &paragraph("destination ", &side(&memory.destination))
        + &paragraph("peak        ", &format!("{peak} for arrays and messages, {of_what}"))
        + "\n"
}

fn one_rank(rank: &OneRank, report: &PlanReport) -> String {
    let half = |half: &Option<SideReport>, verb: &str| match half {
        Some(half) => messages_of(half, verb, report),
        None => paragraph("            ", &format!("{verb} nothing: it is not in that grid")),
    };
    paragraph(&format!("rank {:<7}", rank.rank), "")
        + &half(&rank.source, "sends")
        + &half(&rank.destination, "receives")
        + "\n"
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
        return paragraph("            ", &format!("{head}; the messages are left out: {reason}"));
    };
    let preposition = if verb == "sends" { "to" } else { "from" };
    let mut text = paragraph("            ", &head);
    for message in messages.iter().take(MAX_MESSAGES) {
        let elements = elements(message.elements, report.element_bytes);
        text += &paragraph(
            "              ",
            &format!("{preposition} rank {}: {elements}", message.rank),
        );
    }
    if messages.len() > MAX_MESSAGES {
        text += &format!(
            "              and {} more: see --json\n",
            number(messages.len() - MAX_MESSAGES)
        );
    }
    text
}
