//! Checks the demands of `require` as far as the macro knows the plan; the compiler checks those
//! that depend on the bytes of an element.

use crate::ast::{Require, Requirement};
use crate::diagnostic::{Diagnostics, message};
use crate::planned;
use crate::spec::{DistSpec, LayoutSpec, SideSpec, Size, Spec, Value};
use crate::tiers;
use redist_plan::plan::{Axis, Demand, Effort, Side};
use redist_plan::program::BlocksAndRanks;

pub fn demands(spec: &Spec, diagnostics: &mut Diagnostics) {
    for requirement in &spec.require {
        match requirement.kind {
            Require::Figure(demand) => figure(spec, requirement, demand, diagnostics),
            Require::Unrolled => unrolled(spec, requirement, diagnostics),
            Require::Tables | Require::Static => {}
        }
    }
}

fn figure(spec: &Spec, requirement: &Requirement, demand: Demand, diagnostics: &mut Diagnostics) {
    let tokens = &requirement.tokens;
    if let Some((dimension, reason)) = tiers::first_parameter(spec) {
        let call = call(demand);
        let late = message::figure_at_run_time(requirement, call, dimension, &reason);
        diagnostics.error(tokens, late);
    } else if let Some(plan) = planned::padded_plan(spec)
        && !matches!(demand, Demand::Memory(_))
        && let Some(text) = demand.unmet(&plan, 0, Effort::OF_PROGRAMS)
    {
        diagnostics.error(tokens, text.as_str());
    }
}

fn call(demand: Demand) -> &'static str {
    match demand {
        Demand::Messages(_) => "messages()",
        Demand::Steps(_) => "steps()",
        Demand::Stays(_) => "stays()",
        Demand::Memory(_) => "memory(size)",
    }
}

fn unrolled(spec: &Spec, requirement: &Requirement, diagnostics: &mut Diagnostics) {
    if spec.unroll == Some(0) {
        diagnostics.error(&requirement.tokens, message::unrolled_and_left_out(requirement));
        return;
    }
    let fastest = planned::fastest(spec);
    let reason = match fastest {
        Some(dimension) => no_code(spec, dimension),
        None => Some("which one that is comes with the value of `from`".into()),
    };
    if let Some(reason) = reason {
        let dimension = fastest.unwrap_or(0);
        let message = message::not_unrolled(requirement, dimension, &reason);
        diagnostics.error(&requirement.tokens, message);
    }
}

/// Returns the reason against code for a dimension's blocks, of any element.
fn no_code(spec: &Spec, dimension: usize) -> Option<String> {
    match planned::given_blocks(spec, dimension) {
        Some(DistSpec::Rows(..)) => return Some("rows of given lengths do not repeat".into()),
        Some(DistSpec::Split(..)) => return Some("the blocks of `split` do not repeat".into()),
        Some(DistSpec::Listed(..)) => return Some("the parts of `blocks` do not repeat".into()),
        Some(_) => return Some("a `gen_block` does not repeat".into()),
        None => {}
    }
    if !spec.params.is_empty()
        && let Some(reason) = late_blocks(spec, dimension)
    {
        return Some(reason);
    }
    let axis = planned::axis(spec, dimension).filter(|axis| !have_steps(axis))?;
    if axis.regular_blocks().is_none() {
        return Some("blocks of two sizes do not repeat".into());
    }
    let [source, destination] =
        [Side::Source, Side::Destination].map(|side| axis.side(side).block());
    Some(message::no_steps(source, destination))
}

/// Returns `true` if there is code for the blocks of either side.
pub fn have_steps(axis: &Axis) -> bool {
    let ranks = [Side::Source, Side::Destination].map(|side| axis.side(side).ranks());
    axis.regular_blocks().is_some_and(|(from, to)| {
        BlocksAndRanks::new((from, ranks[0]), (to, ranks[1])).have_steps()
    })
}

fn late_blocks(spec: &Spec, dimension: usize) -> Option<String> {
    let tier = tiers::tiers(spec).into_iter().nth(dimension)?;
    if tier.blocks == Value::Parameter {
        return Some(format!("{}, which is given at run time", tier.reason));
    }
    let (SideSpec::Layout(from), SideSpec::Layout(to)) = (&spec.from, &spec.to) else {
        return Some("a side that is a value is read at run time".into());
    };
    let early = |layout: &LayoutSpec, own: usize| match &layout.dists[own] {
        DistSpec::Cyclic(block) => {
            let known = |size: &Size| size.value <= Value::Constant;
            layout.of.is_none() && known(block) && known(&layout.grid[own])
        }
        _ => false,
    };
    let known = early(from, dimension) && early(to, to.axes[dimension]);
    (!known).then(|| {
        "in an item with parameters, it takes `cyclic(size)` of whole dimensions on both sides, \
         with literals or constants for sizes and grids"
            .into()
    })
}
