//! Loops over steps as text: what packs, unpacks or copies between arrays, a run a statement.
//!
//! They are safe functions, and what the item's constants hold is what runs.

use super::layout::number;
use super::rolled::Rolled;
use super::text::tokens;
use core::fmt::Write;
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use redist_notation::planned;
use redist_notation::spec::Spec;
use redist_plan::program::{BlocksAndRanks, LoopStep, StepMove, StepMoves};
use syn::Type;

/// Loops of an item, as functions, and the constants that name them.
#[derive(Default)]
pub struct Loops {
    /// Stand beside the item.
    pub functions: TokenStream,
    /// Stand in its implementation.
    pub constants: TokenStream,
}

/// Bytes that one store writes from two places.
const JOINED_BYTES: usize = 8;

/// Returns no loops if other copies are faster: see [`BlocksAndRanks::loop_steps`].
pub fn of(spec: &Spec, blocks: BlocksAndRanks) -> Option<Loops> {
    let width = width(&spec.element)?;
    let both = planned::fastest_on_both_sides(spec);
    let [pack, unpack] = [true, false].map(|packs| match packs || both {
        true => steps(if packs { blocks } else { blocks.turned() }, packs, width),
        false => None,
    });
    let exchange = blocks.exchange().filter(|moves| both && moves.are_stated(width));
    let exchange = exchange.map(|moves| self::exchange(&moves, width));
    if pack.is_none() && unpack.is_none() && exchange.is_none() {
        return None;
    }
    let krate = &spec.krate;
    let is_text = [pack.is_some(), unpack.is_some(), exchange.is_some()];
    let [(packs, packed), (unpacks, unpacked)] = [pack, unpack].map(Option::unwrap_or_default);
    let exchanges = match is_text[2] {
        true => quote!(::core::option::Option::Some(exchange)),
        false => quote!(::core::option::Option::None),
    };
    let (blocks, bytes, elements) =
        (self::blocks(blocks), number(width), format_ident!("of_{width}"));
    Some(Loops {
        functions: quote! {
            // A module of its own, so that no name of the user's means anything here.
            mod __loops {
                #[allow(unused_imports)]
                use #krate::exec::generated::#elements::{copy, copy_two, elements, elements_mut, steps, steps_mut};
                use #krate::exec::generated::{self as __redist, Bytes};
                #packs
                #unpacks
                #exchange
                pub(super) static LOOPS: __redist::Loops =
                    __redist::Loops::new(#blocks, #bytes, &[#(#packed),*], &[#(#unpacked),*], #exchanges);
            }
        },
        constants: quote! {
            const TEXT: [::core::primitive::bool; 3] = [#(#is_text),*];
            fn loops() -> ::core::option::Option<&'static __redist::Loops> {
                ::core::option::Option::Some(&__loops::LOOPS)
            }
        },
    })
}

/// The expression for blocks and ranks.
pub fn blocks(blocks: BlocksAndRanks) -> TokenStream {
    let BlocksAndRanks { own, ranks, peer, peers } = blocks;
    let [own, ranks, peer, peers] = [own, ranks, peer, peers].map(number);
    quote!(__redist::BlocksAndRanks::new((#own, #ranks), (#peer, #peers)))
}

/// Returns the functions of one direction, and their names by cycle.
fn steps(
    blocks: BlocksAndRanks,
    packs: bool,
    width: usize,
) -> Option<(TokenStream, Vec<TokenStream>)> {
    let (mut functions, mut names) = (TokenStream::new(), Vec::new());
    for (cycle, step) in blocks.loop_steps(packs, width).iter().enumerate() {
        let Some(step) = step else {
            names.push(quote!(::core::option::Option::None));
            continue;
        };
        let name = name(packs, cycle);
        functions.extend(match step {
            LoopStep::Stated(step) => stated(&name, &step.moves(packs), (packs, width)),
            LoopStep::Rolled(step) => Rolled { step, width, packs }.function(&name),
        });
        let name = format_ident!("{name}");
        names.push(quote!(::core::option::Option::Some(#name)));
    }
    (!names.is_empty()).then_some((functions, names))
}

fn stated(name: &str, moves: &StepMoves, (packs, width): (bool, usize)) -> TokenStream {
    let text = Text { moves, width };
    let (docs, all) = (docs(packs, moves), if packs { text.pack() } else { text.unpack() });
    let name = format_ident!("{name}");
    quote!(#docs fn #name #all)
}

fn name(packs: bool, cycle: usize) -> String {
    let function = if packs { "pack" } else { "unpack" };
    if cycle == 0 { function.into() } else { format!("{function}_{cycle}") }
}

fn exchange(moves: &StepMoves, width: usize) -> TokenStream {
    let docs = format!(
        " Copies steps of {} elements between arrays. Array 0 of a side is of the rank with its first block.",
        moves.elements()
    );
    let all = Text { moves, width }.exchange();
    quote!(#[doc = #docs] fn exchange #all)
}

fn docs(packs: bool, moves: &StepMoves) -> TokenStream {
    let (does, first) = match packs {
        true => ("Packs", "goes to the receiver"),
        false => ("Unpacks", "comes from the sender"),
    };
    let docs = format!(
        " {does} steps of {} elements of the local array. Message 0 {first} of a step's first element.",
        moves.elements()
    );
    quote!(#[doc = #docs])
}

/// The text of a step's loops.
struct Text<'a> {
    moves: &'a StepMoves,
    /// Bytes of an element.
    width: usize,
}

impl Text<'_> {
    /// Packs message by message: stores to several in turn are slower.
    fn pack(&self) -> TokenStream {
        let Self { moves, width } = self;
        let mut text = String::from("(local: &Bytes, messages: &mut [&mut Bytes]) {");
        open(&mut text, "message", "messages", moves.written().len());
        let _ = write!(text, "let count = local.len() / {};", moves.read()[0] * width);
        let _ = write!(text, "let local = steps::<{}>(local, count);", moves.read()[0]);
        for (number, share) in moves.written().iter().enumerate() {
            let _ = write!(text, "let message = steps_mut::<{share}>(message_{number}, count);");
            text.push_str("for step in 0..count {");
            text.push_str("let (local, message) = (&local[step], &mut message[step]);");
            self.statements(&mut text, number, &|_| "local".into(), "message");
            text.push('}');
        }
        text.push('}');
        tokens(&text)
    }

    fn unpack(&self) -> TokenStream {
        let Self { moves, width } = self;
        let mut text = String::from("(messages: &[&Bytes], local: &mut Bytes) {");
        open(&mut text, "message", "messages", moves.read().len());
        let _ = write!(text, "let count = local.len() / {};", moves.written()[0] * width);
        let _ = write!(text, "let local = steps_mut::<{}>(local, count);", moves.written()[0]);
        let all: Vec<_> = (0..moves.read().len()).collect();
        self.streams(&mut text, "message", &all);
        text.push_str("for step in 0..count {");
        at_step(&mut text, "message", &all);
        text.push_str("let local = &mut local[step];");
        self.statements(&mut text, 0, &|from| format!("message_{from}"), "local");
        text.push_str("}}");
        tokens(&text)
    }

    fn exchange(&self) -> TokenStream {
        let Self { moves, width } = self;
        let mut text = String::from("(sources: &[&Bytes], destinations: &mut [&mut Bytes]) {");
        open(&mut text, "source", "sources", moves.read().len());
        open(&mut text, "destination", "destinations", moves.written().len());
        for (number, share) in moves.written().iter().enumerate() {
            let mut read: Vec<usize> = self.of_stream(number).map(|one| one.from.into()).collect();
            read.sort_unstable();
            read.dedup();
            let _ = write!(text, "{{let count = destination_{number}.len() / {};", share * width);
            let _ = write!(
                text,
                "let destination = steps_mut::<{share}>(destination_{number}, count);"
            );
            self.streams(&mut text, "source", &read);
            text.push_str("for step in 0..count {");
            at_step(&mut text, "source", &read);
            text.push_str("let destination = &mut destination[step];");
            self.statements(&mut text, number, &|from| format!("source_{from}"), "destination");
            text.push_str("}}");
        }
        text.push('}');
        tokens(&text)
    }

    /// Makes steps of the streams that are read.
    fn streams(&self, text: &mut String, name: &str, numbers: &[usize]) {
        for number in numbers {
            let share = self.moves.read()[*number];
            let _ = write!(text, "let {name}_{number} = steps::<{share}>({name}_{number}, count);");
        }
    }

    fn of_stream(&self, stream: usize) -> impl Iterator<Item = StepMove> {
        (self.moves.first(stream)..self.moves.first(stream + 1))
            .map(|number| self.moves.get(number))
    }

    /// Writes the statements of a stream that is written. Two short runs that become neighbours are
    /// one.
    fn statements(&self, text: &mut String, stream: usize, from: &dyn Fn(u8) -> String, to: &str) {
        let mut moves = self.of_stream(stream).peekable();
        while let Some(one) = moves.next() {
            let (len, there) = (one.len, one.destination);
            let is_short = |len: u16| usize::from(len) * self.width == JOINED_BYTES;
            let next = moves.next_if(|next| {
                is_short(len) && is_short(next.len) && next.destination == there + len
            });
            let (first, at) = (from(one.from), one.source);
            let _ = match next {
                None => write!(text, "copy({first}, {at}, {to}, {there}, {len});"),
                Some(next) => {
                    let (second, then) = (from(next.from), next.source);
                    write!(
                        text,
                        "copy_two(({first}, {at}), ({second}, {then}), {to}, {there}, {len});"
                    )
                }
            };
        }
    }
}

/// Names one step of each stream that is read.
fn at_step(text: &mut String, name: &str, numbers: &[usize]) {
    for number in numbers {
        let _ = write!(text, "let {name}_{number} = &{name}_{number}[step];");
    }
}

/// Names each stream of a list.
fn open(text: &mut String, name: &str, list: &str, count: usize) {
    let names: Vec<String> = (0..count).map(|number| format!("{name}_{number}")).collect();
    let _ = write!(text, "let [{}] = {list} else {{ ::core::unreachable!() }};", names.join(", "));
}

/// Bytes of an element of a number's type, by its name. Another type of that name makes nothing wrong:
/// loops of other elements are not called.
pub fn width(element: &Type) -> Option<usize> {
    let Type::Path(path) = element else { return None };
    let name = path.path.get_ident()?.to_string();
    let bits = name.strip_prefix(['f', 'i', 'u'])?.parse().ok()?;
    matches!(bits, 8 | 16 | 32 | 64 | 128).then_some(bits / 8)
}

#[cfg(test)]
mod tests;
