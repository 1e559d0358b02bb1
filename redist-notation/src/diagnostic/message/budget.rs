use proc_macro2::TokenStream;
use redist_plan::layout::vocabulary::counted;
use redist_plan::plan::{Axis, Side};
use redist_plan::program::{MAX_STEP_ELEMENTS, MAX_STEP_PEERS, MAX_STEP_RUNS};

pub fn unroll_too_large(most: usize) -> String {
    format!(
        "`unroll` can be at most {most}, the budget of one function; longer windows are walked in a loop"
    )
}

pub fn tables_too_large(most: usize) -> String {
    format!("`tables` can be at most {most} pieces; longer windows are streamed")
}

pub fn unroll_budget(window: &(usize, Axis), budget: usize, most: usize) -> String {
    let pieces = window.1.window_pieces();
    let mend =
        if pieces <= most { format!("write `unroll: {pieces}`, or leave") } else { "leave".into() };
    format!(
        "{}, more than `unroll: {budget}`; {mend} `unroll` out: then a loop walks it",
        described(window)
    )
}

pub fn nothing_to_unroll(window: &(usize, Axis)) -> String {
    format!(
        "{}, but no code can be written for it: a rank's pieces must repeat after at most \
         {MAX_STEP_ELEMENTS} elements in {MAX_STEP_RUNS} runs, for 2 to {MAX_STEP_PEERS} ranks; \
         leave `unroll` out",
        described(window)
    )
}

pub fn table_limit(window: &(usize, Axis), limit: usize, most: usize) -> String {
    let (facts, mend) = (described(window), longer_table(window, most));
    format!("{facts}, more than `tables: {limit}`; {mend} leave `tables` out: then it is streamed")
}

pub fn required_table(
    level: &TokenStream,
    window: &(usize, Axis),
    limit: usize,
    most: usize,
) -> String {
    let (facts, mend) = (described(window), longer_table(window, most));
    format!(
        "`require: {level}` is not met: {facts}, more than the {limit} of a table; {mend} leave `require` out: then it \
         is streamed"
    )
}

fn described((dimension, axis): &(usize, Axis)) -> String {
    let [source, destination] =
        [Side::Source, Side::Destination].map(|side| axis.side(side).block());
    let destination = counted(destination, "element");
    let pieces = counted(axis.window_pieces(), "piece");
    format!(
        "dimension {dimension}: the window of blocks of {source} and {destination} has {pieces}"
    )
}

fn longer_table((_, axis): &(usize, Axis), most: usize) -> String {
    let pieces = axis.window_pieces();
    let raise = if pieces <= most { format!("write `tables: {pieces}`, ") } else { String::new() };
    format!("{raise}choose block sizes with a larger common divisor, or")
}

pub fn required_blocks(level: &TokenStream, dimension: usize, reason: &str) -> String {
    format!(
        "`require: {level}` is not met: dimension {dimension} is planned at run time because {reason}; make it a \
         literal, a constant or a const generic, or leave `require` out"
    )
}

pub fn required_static(level: &TokenStream, dimension: usize, reason: &str) -> String {
    format!(
        "`require: {level}` is not met: in dimension {dimension} {reason}, which is given at run time; make it a \
         literal, a constant or a const generic, or write `require: tables`"
    )
}
