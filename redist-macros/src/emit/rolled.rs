//! Loops over long steps as text: a nest over runs in turn, or a walk over a table of runs.

use super::text::tokens;
use core::fmt::Write;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use redist_plan::program::{LongStep, RunGroup};

/// Bytes of a block that go to all messages before the next ones: they stay in a first-level cache.
const TILE_BYTES: usize = 4096;

/// The text of a long step's loop, in one direction.
pub struct Rolled<'a> {
    pub step: &'a LongStep,
    /// Bytes of an element.
    pub width: usize,
    /// `true` from the local array to messages, `false` from messages to the array.
    pub packs: bool,
}

impl Rolled<'_> {
    /// Returns the function of this name, with its table, if it has one.
    pub fn function(&self, name: &str) -> TokenStream {
        let (does, first) = match self.packs {
            true => ("Packs", "goes to the receiver"),
            false => ("Unpacks", "comes from the sender"),
        };
        let (elements, messages) = (self.step.elements(), self.step.shares().len());
        let parameters = match self.packs {
            true => "(local: &Bytes, messages: &mut [&mut Bytes])",
            false => "(messages: &[&Bytes], local: &mut Bytes)",
        };
        let mut text = format!("{parameters} {{");
        let (runs, table) = match self.step.in_turn() {
            Some(group) => {
                self.nest(&mut text, group);
                let RunGroup { len, count, .. } = group;
                let runs = format!("k = {count} runs of r = {len} elements, {messages} messages");
                (format!("{runs} in turn"), None)
            }
            None => {
                let table = format!("{}_RUNS", name.to_uppercase());
                self.walk(&mut text, &table);
                (format!("the runs of `{table}`"), Some(self.table(&table)))
            }
        };
        text.push('}');
        let docs = format!(
            " {does} steps of {elements} elements of the local array: {runs}. Message 0 {first} of a step's first element."
        );
        let (name, all) = (format_ident!("{name}"), tokens(&text));
        quote!(#table #[doc = #docs] fn #name #all)
    }

    /// Opens the loop over whole steps.
    fn open(&self, text: &mut String) {
        let (len, mutable) = (self.step.elements(), if self.packs { "" } else { "_mut" });
        let bytes = len * self.width;
        let _ = write!(text, "let steps = steps{mutable}::<{len}>(local, local.len() / {bytes});");
        text.push_str("for step in 0..steps.len() {");
        text.push_str(match self.packs {
            true => "let local = &steps[step];",
            false => "let local = &mut steps[step];",
        });
    }

    /// Copies `len` elements between `place` in the local array and `there` in the message.
    fn copy(&self, text: &mut String, (place, there, len): (&str, &str, &str)) {
        let _ = match self.packs {
            true => write!(text, "copy(local, {place}, message, {there}, {len});"),
            false => write!(text, "copy(message, {there}, local, {place}, {len});"),
        };
    }

    fn message(&self, text: &mut String, number: &str) {
        let mutable = if self.packs { "_mut" } else { "" };
        let _ = write!(text, "let message = elements{mutable}(messages[{number}]);");
    }

    /// Writes the nest: steps, tiles of rounds, messages, rounds. A round is a run for each message.
    fn nest(&self, text: &mut String, RunGroup { len, count, .. }: RunGroup) {
        let messages = self.step.shares().len();
        let (rounds, rest) = (count / messages, count % messages);
        let tile = (TILE_BYTES / (messages * len * self.width).max(1)).clamp(1, rounds);
        self.open(text);
        let share = match rest {
            0 => format!("{}", rounds * len),
            _ => format!(
                "(if number < {rest} {{ {} }} else {{ {} }})",
                (rounds + 1) * len,
                rounds * len
            ),
        };
        let is_tiled = tile < rounds;
        if is_tiled {
            let _ = write!(
                text,
                "for tile in 0..{} {{ let (first, last) = (tile * {tile}, ::core::cmp::min(tile * {tile} + {tile}, {rounds}));",
                rounds.div_ceil(tile)
            );
        }
        let _ = write!(text, "for number in 0..{messages} {{");
        self.message(text, "number");
        let _ = write!(text, "let there = step * {share};");
        let range = if is_tiled { "first..last".into() } else { format!("0..{rounds}") };
        let _ = write!(text, "for round in {range} {{");
        let places =
            (format!("(round * {messages} + number) * {len}"), format!("there + round * {len}"));
        self.copy(text, (&places.0, &places.1, &len.to_string()));
        text.push_str("}}");
        if is_tiled {
            text.push('}');
        }
        if rest > 0 {
            let (done, there) = (rounds * messages, rounds * len);
            let _ = write!(text, "for number in 0..{rest} {{");
            self.message(text, "number");
            let there = format!("step * {} + {there}", there + len);
            self.copy(text, (&format!("({done} + number) * {len}"), &there, &len.to_string()));
            text.push('}');
        }
        text.push('}');
    }

    /// Writes the walk over the table, in the order of the local array.
    fn walk(&self, text: &mut String, table: &str) {
        let _ = write!(text, "let mut there = [0; {}];", self.step.shares().len());
        self.open(text);
        text.push_str("let mut place = 0;");
        let _ = write!(text, "for run in 0..{table}.len() {{ let [number, len] = {table}[run];");
        self.message(text, "number");
        self.copy(text, ("place", "there[number]", "len"));
        text.push_str("place += len; there[number] += len; }}");
    }

    fn table(&self, name: &str) -> TokenStream {
        let runs: Vec<String> =
            self.step.runs().map(|(message, len)| format!("[{message}, {len}]")).collect();
        let count = runs.len();
        let text =
            tokens(&format!("static {name}: [[usize; 2]; {count}] = [{}];", runs.join(", ")));
        quote! {
            /// Runs of a step in the order of the local array: message, and elements.
            #text
        }
    }
}
