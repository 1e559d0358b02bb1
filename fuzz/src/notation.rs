//! The notation's two readers: at run time, and in the macro and the command line.

use crate::case::{Limits, case};
use arbitrary::{Result, Unstructured};
use proc_macro2::TokenStream;
use redist::Plan;
use redist::layout::Layout;
use redist_notation::spec::{RanksSpec, Spec};
use redist_notation::{parse, planned, understand};
use redist_testing::strategies::Case;

/// Longer texts say nothing new, and deep ones use up the stack of Rust's parsers.
pub const MAX_TEXT: usize = 400;

/// Checks a random text, or a correct text with an insertion.
pub fn check_bytes(bytes: &[u8]) -> Result<()> {
    let mut bytes = Unstructured::new(bytes);
    match bytes.int_in_range(0..=7u8)? {
        0 => valid(&case::<1>(&mut bytes, Limits::small(1))?),
        1 => valid(&case::<2>(&mut bytes, Limits::small(2))?),
        2 => valid(&case::<3>(&mut bytes, Limits::small(3))?),
        3 => {
            let case = case::<2>(&mut bytes, Limits::small(2))?;
            let at = bytes.arbitrary::<u16>()?;
            let (from, to, extents) = (case.from.to_string(), case.to.to_string(), case.extents);
            any(extents, &broken(&from, at, bytes.arbitrary()?), &to);
        }
        4 => any([12], text(&mut bytes)?, "*"),
        5 => any([6, 4], text(&mut bytes)?, "(*, block) onto 2"),
        6 => any([6, 4, 3], text(&mut bytes)?, "(*, *, cyclic) onto 3"),
        _ => item(text(&mut bytes)?),
    }
    Ok(())
}

fn text<'a>(bytes: &mut Unstructured<'a>) -> Result<&'a str> {
    let text: &str = bytes.arbitrary()?;
    Ok(cut(text, MAX_TEXT))
}

fn cut(text: &str, at: usize) -> &str {
    let end = (at..text.len()).find(|end| text.is_char_boundary(*end)).unwrap_or(text.len());
    &text[..end]
}

/// Inserts text, and drops some behind it.
fn broken(text: &str, at: u16, (noise, without): (&str, u8)) -> String {
    let before = cut(text, usize::from(at) % (text.len() + 1));
    let rest = &text[before.len()..];
    let skipped = cut(rest, usize::from(without) % 8);
    format!("{before}{}{}", cut(noise, 40), &rest[skipped.len()..])
}

/// Both readers take a layout's output, and agree.
fn valid<const D: usize>(case: &Case<D>) {
    let (from, to) = (case.from.to_string(), case.to.to_string());
    for layout in [case.from, case.to] {
        survives(&layout);
        assert_eq!(layout.to_string().to_uppercase().parse(), Ok(layout));
    }
    let spec = spec(&written(case.extents, &from, &to)).expect("what a layout prints is right");
    assert_eq!(planned::plan::<D>(&spec), Some(case.plan()), "{case:?}");
    for (read, layout) in [(&spec.from, case.from), (&spec.to, case.to)] {
        assert_eq!(read.layout().and_then(planned::layout), Some(layout), "{read} of {case:?}");
        assert_eq!(read.to_string().parse(), Ok(layout), "what the macro prints: {read}");
    }
}

/// No reader panics; each gives the mistake's place; texts that both take mean the same.
fn any<const D: usize>(extents: [usize; D], from: &str, to: &str) {
    let read = from.parse::<Layout<D>>();
    match &read {
        Ok(layout) => survives(layout),
        Err(error) => {
            assert!(from.get(error.span.clone()).is_some(), "{error:?} of {from:?}");
            assert!(!error.message.is_empty() && !error.to_string().is_empty());
        }
    }
    let Some(spec) = spec(&written(extents, from, to)) else { return };
    let Some(layout) = spec.from.layout().and_then(planned::layout::<D>) else { return };
    if let Ok(read) = read {
        assert_eq!(read, layout, "{from:?}");
    }
    // A name of the user's as the end of the ranks is for the compiler to know.
    let ranks = spec.from.layout().map(|layout| &layout.ranks);
    if let Some(RanksSpec::Range { end: Some(end), .. }) = ranks
        && end.literal().is_none()
    {
        return;
    }
    let printed = spec.from.to_string();
    // Sizes are printed as they were written, and only the macro has arithmetic.
    let arithmetic = printed.contains(['+', '-', '/', '%', '&', '|', '^', '<', '>', '!'])
        || [" * ", "(("].iter().any(|words| printed.contains(words));
    if arithmetic {
        return;
    }
    assert_eq!(printed.parse(), Ok(layout), "{printed:?}, printed for {from:?}");
    let planned = planned::plan::<D>(&spec);
    let parsed = Plan::parse(extents, &printed, to);
    assert_eq!(planned, parsed.ok(), "{from:?}");
}

fn survives<const D: usize>(layout: &Layout<D>) {
    assert_eq!(layout.to_string().parse(), Ok(*layout), "{layout}");
}

fn item(text: &str) {
    if let Some(spec) = spec(text) {
        let _ = (spec.from.to_string(), spec.to.to_string(), planned::axes(&spec));
    }
}

fn written<const D: usize>(extents: [usize; D], from: &str, to: &str) -> String {
    let extents = extents.map(|extent| extent.to_string()).join(", ");
    format!("struct R: [f64; {extents}] {{ from: {from}, to: {to} }}")
}

fn spec(text: &str) -> Option<Spec> {
    let tokens: TokenStream = text.parse().ok()?;
    let mut specs = Vec::new();
    for parsed in parse::call(tokens) {
        let (whole, mut diagnostics) = (parsed.diagnostics.is_empty(), parsed.diagnostics);
        let spec = parsed.item.map(|item| understand(item, whole, &mut diagnostics).1);
        let right = diagnostics.finish().is_ok();
        assert!(!right || spec.is_some(), "neither an item nor a mistake: {text:?}");
        specs.push(spec.flatten().filter(|_| right));
    }
    (specs.len() == 1).then(|| specs.pop().flatten()).flatten()
}
