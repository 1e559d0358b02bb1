use super::source_text;
use crate::ast::Requirement;
use redist_plan::layout::vocabulary::counted;
use redist_plan::program::{MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS};

pub fn expected_bound(figure: &str) -> String {
    match figure {
        "stays" => {
            "expected the least per cent of all elements, a whole number, as in `stays >= 25%`"
                .into()
        }
        "memory" => "expected the most bytes of a rank, as in `memory <= 64 MiB`".into(),
        _ => format!("expected the most {figure}, as in `{figure} <= 6`"),
    }
}

pub fn more_than_all(percent: usize) -> String {
    format!("at most 100 % of the elements can stay, found {percent}")
}

pub fn unknown_unit(unit: &str) -> String {
    format!("unknown unit `{unit}`; expected `B`, `KiB`, `MiB`, `GiB`, or nothing for bytes")
}

pub const TOO_MANY_BYTES: &str = "no rank has so much memory; use a smaller number";

fn unmet(requirement: &Requirement) -> String {
    let words = source_text(&requirement.tokens).replace(" %", "%");
    format!("`require: {words}` is not met")
}

pub fn figure_at_run_time(
    requirement: &Requirement,
    figure: &str,
    dimension: usize,
    reason: &str,
) -> String {
    format!(
        "{} while the crate is compiled: in dimension {dimension} {reason}, which is given at run \
         time; make it a literal, a constant or a const generic, or ask `plan().{figure}` of what \
         `new` returns",
        unmet(requirement)
    )
}

pub fn unrolled_and_left_out(requirement: &Requirement) -> String {
    format!("{}: `unroll: 0` leaves the code out; remove one of them", unmet(requirement))
}

pub fn not_unrolled(requirement: &Requirement, dimension: usize, reason: &str) -> String {
    format!(
        "{}: no code can be written for dimension {dimension}, along which messages are \
         contiguous: {reason}",
        unmet(requirement)
    )
}

pub fn no_steps(source: usize, destination: usize) -> String {
    format!(
        "with blocks of {source} and {}, a rank's pieces do not repeat after at most \
         {MAX_STEP_ELEMENTS} elements in {MAX_STEP_RUNS} runs, for 2 to {MAX_STEP_PEERS} ranks",
        counted(destination, "element")
    )
}
