//! Plans the items of a description.

use super::dimensions;
use super::element;
use super::names::is_named;
use super::values::{Values, without_spaces};
use crate::failure::CommandFailure;
use quote::ToTokens;
use redist::exec::PlanWithCopies;
use redist::layout::Copies;
use redist::plan::PlanError;
use redist::{Plan, Side};
use redist_notation::diagnostic::message;
use redist_notation::planned;
use redist_notation::spec::{LayoutSpec, Saving, SideSpec, Spec};
use syn::Type;
use syn::spanned::Spanned;

macro_rules! dimensions {
    ($($name:ident $dimensions:literal)*) => {
        /// A planned item of any number of dimensions.
        pub enum Planned {
            $($name(Box<PlannedItem<$dimensions>>)),*
        }

        impl Planned {
            /// Plans an item; several times if a side has copies. `asked` are the bytes of an
            /// element, and whether to relabel.
            pub fn all(spec: &Spec, values: &Values, asked: (Option<usize>, bool)) -> syn::Result<Vec<Self>> {
                match spec.extents.len() {
                    $($dimensions => {
                        let items = lines(spec, item(spec, values, asked)?)?;
                        Ok(items.into_iter().map(|item| Planned::$name(Box::new(item))).collect())
                    })*
                    _ => Err(dimensions::too_many(&spec.extents).unwrap_or_else(|| {
                        syn::Error::new(spec.ident.span(), message::NO_EXTENTS)
                    })),
                }
            }

            pub fn name(&self) -> String {
                match self {
                    $(Planned::$name(item) => item.name.clone().unwrap_or_default()),*
                }
            }

            pub fn visit(&self, visitor: impl Visitor) -> Result<(), CommandFailure> {
                match self {
                    $(Planned::$name(item) => visitor.visit(item)),*
                }
            }
        }
    };
}

dimensions!(Zero 0 One 1 Two 2 Three 3 Four 4 Five 5 Six 6 Seven 7 Eight 8);

fn item<const D: usize>(
    spec: &Spec,
    values: &Values,
    (bytes, relabel): (Option<usize>, bool),
) -> syn::Result<PlannedItem<D>> {
    let (mut plan, mut relabelled) = (plan(spec)?, spec.relabelled);
    if relabel && spec.has_copies() {
        let message = message::clause_of_one_plan("--relabel");
        return Err(syn::Error::new(side_span(spec), message));
    }
    if relabel {
        let best = plan.relabelling().map_err(|error| syn::Error::new(side_span(spec), error))?;
        (plan, relabelled) = (best.plan, Some(Saving::of(&best)));
    }
    let element = element_type(&spec.element, values);
    let bytes = bytes.or_else(|| element::bytes(&element));
    if bytes.is_none() {
        element::check_language(&element)?;
    }
    Ok(PlannedItem {
        name: is_named(&spec.ident).then(|| spec.ident.to_string()),
        element: element
            .span()
            .source_text()
            .unwrap_or_else(|| element.to_token_stream().to_string()),
        element_bytes: bytes,
        layouts: [Side::Source, Side::Destination]
            .map(|side| layout_with_copies(&plan, spec, side)),
        has_copies: spec.has_copies(),
        plan,
        relabelled,
    })
}

/// Writes the layout of a side, and its copies.
fn layout_with_copies<const D: usize>(plan: &Plan<D>, spec: &Spec, side: Side) -> String {
    let layout = plan.descriptor(side).layout();
    match copies(spec.sides()[side as usize].1) {
        Copies { count, along: Some(axis) } => format!("{layout} copies {count} along {axis}"),
        Copies { count: 1, along: None } => layout.to_string(),
        Copies { count, along: None } => format!("{layout} copies {count}"),
    }
}

fn element_type(element: &Type, values: &Values) -> Type {
    let name = without_spaces(&element.to_token_stream().to_string());
    let given = values.tokens(&name).and_then(|tokens| syn::parse2(tokens).ok());
    given.unwrap_or_else(|| element.clone())
}

fn plan<const D: usize>(spec: &Spec) -> syn::Result<Plan<D>> {
    let incomplete = || syn::Error::new(spec.ident.span(), "not all of its sizes are known");
    let layout = |side: Side| planned::layout(written(spec, side)?);
    let extents = planned::sizes(&spec.extents, 1).ok_or_else(incomplete)?;
    let (from, to) = layout(Side::Source).zip(layout(Side::Destination)).ok_or_else(incomplete)?;
    let plan = Plan::new(extents, from, to).map_err(|error| at_side(spec, error))?.indexed();
    for side in [Side::Source, Side::Destination] {
        let end = written(spec, side).and_then(|layout| layout.ranks.end()?.literal());
        plan.check_ranks(side, end).map_err(|error| at_side(spec, error))?;
    }
    Ok(plan)
}

fn side_span(spec: &Spec) -> proc_macro2::Span {
    spec.to.layout().map_or_else(|| spec.ident.span(), |layout| layout.span)
}

fn written(spec: &Spec, side: Side) -> Option<&LayoutSpec> {
    spec.sides()[side as usize].1.layout()
}

fn at_side(spec: &Spec, error: PlanError) -> syn::Error {
    let side = match error {
        PlanError::Layout { side, .. }
        | PlanError::SectionOutside { side, .. }
        | PlanError::Ranks { side, .. } => side,
        PlanError::SourcePermuted => Side::Source,
        PlanError::NotAPermutation { .. } => Side::Destination,
    };
    let span = written(spec, side).map_or(spec.ident.span(), |layout| layout.span);
    syn::Error::new(span, error)
}

/// An item as the user described it, with its plan.
#[derive(Clone, Debug)]
pub struct PlannedItem<const D: usize> {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its element type in the user's words.
    pub element: String,
    /// Bytes of an element, if known.
    pub element_bytes: Option<usize>,
    /// Both layouts in the notation, with their copies.
    pub layouts: [String; 2],
    /// `true` if a side has copies, of which the plan has one.
    pub has_copies: bool,
    /// Its plan.
    pub plan: Plan<D>,
    /// Savings of the ranks that `relabel` chose.
    pub relabelled: Option<Saving>,
}

/// A command's work on an item of any number of dimensions.
pub trait Visitor {
    fn visit<const D: usize>(self, item: &PlannedItem<D>) -> Result<(), CommandFailure>;
}

/// Writes the item, or an item for each copy of the destination, whose name says its copies.
fn lines<const D: usize>(spec: &Spec, item: PlannedItem<D>) -> syn::Result<Vec<PlannedItem<D>>> {
    if !spec.has_copies() {
        return Ok(vec![item]);
    }
    // The moved elements do not depend on their type.
    let with_copies = PlanWithCopies::<u8, D>::of(&item.plan, [&spec.from, &spec.to].map(copies))
        .map_err(|error| syn::Error::new(spec.ident.span(), error))?;
    let line = |to: usize| {
        let (from, plan) = with_copies.line(to);
        let copies = format!("copy {from} of the source to copy {to} of the destination");
        let name = item.name.iter().cloned().chain([copies]).collect::<Vec<_>>().join(", ");
        PlannedItem { name: Some(name), plan: *plan, ..item.clone() }
    };
    Ok((0..with_copies.copies(Side::Destination)).map(line).collect())
}

fn copies(side: &SideSpec) -> Copies {
    let copies = side.layout().and_then(|layout| layout.copies.as_ref());
    let count = copies.and_then(|copies| copies.literal()).unwrap_or(1);
    Copies { count, along: side.layout().and_then(|layout| layout.along) }
}
