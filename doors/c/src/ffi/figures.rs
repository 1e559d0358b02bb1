//! Numbers of a plan, and plans as JSON. Unsafe, because C passes pointers.

use super::plan::{Plan, rank_of};
use super::simulated::element_of;
use crate::guard::guarded;
use crate::layout::check_size;
use crate::pointers::{put, put_handle, put_numbers, put_text, reference, text};
use crate::status::{Refusal, Status, length};
use redist::plan::Figure;
use redist_doors::{Asked, DEFAULT_MAX_PAIRS, NotRead, from_json, to_json};
use std::ffi::c_char;

/// Numbers of a plan. A number that takes too long to find is a bound, and its `…_is_exact` is 0. Begin
/// with `redist_figures figures = REDIST_FIGURES_INIT;`.
#[derive(Debug)]
#[repr(C)]
pub struct Figures {
    /// `sizeof(redist_figures)`.
    pub size: usize,
    /// Least steps of a schedule in which a rank sends and receives at most one message; a bound is at
    /// most the number.
    pub steps: i64,
    /// Elements that stay on their rank.
    pub stays: i64,
    /// Bytes of local arrays and messages, on the rank that needs the most.
    pub memory_bytes: i64,
    /// Not 0 if `steps` is the number itself.
    pub steps_is_exact: i32,
    /// Not 0 if `stays` is the number itself.
    pub stays_is_exact: i32,
    /// Not 0 if `memory_bytes` is the number itself.
    pub memory_is_exact: i32,
    /// 0.
    pub reserved: i32,
}

/// Stores the least number of steps, the elements that stay, and the memory of a move of elements of this
/// type, which is as for `redist_bind`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_figures(
    plan: *const Plan,
    element: *const c_char,
    figures: *mut Figures,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, a text, and NULL or figures that nothing else
        // uses now.
        unsafe {
            let (plan, element) = (&reference(plan, "plan")?.0, element_of(element)?);
            let size = reference(figures, "figures")?.size;
            check_size::<Figures>(size, "redist_figures")?;
            let (steps, stays, memory) = (plan.steps(), plan.stays(), plan.memory(element));
            let made = Figures {
                size,
                steps: number(steps),
                stays: number(stays),
                memory_bytes: number(memory),
                steps_is_exact: steps.is_exact.into(),
                stays_is_exact: stays.is_exact.into(),
                memory_is_exact: memory.is_exact.into(),
                reserved: 0,
            };
            put(figures, || made, "figures")
        }
    })
}

/// Returns a figure, or the largest number that C's has.
fn number(figure: Figure) -> i64 {
    i64::try_from(figure.value).unwrap_or(i64::MAX)
}

/// As `redist_plan_relabelled`, and stores the table: by rank of the plan (`redist_plan_size` tells how
/// many), the rank that now has its cell of the destination's grid. Ranks outside of the grid keep theirs.
/// Also stores the elements that stay on their rank before and after. Each pointer but `relabelled` may
/// be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_relabelling(
    plan: *const Plan,
    relabelled: *mut *mut Plan,
    table: *mut i64,
    stayed: *mut i64,
    stays: *mut i64,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, NULL or a place for the handle, and NULL or places
        // for as many numbers.
        unsafe {
            let best = reference(plan, "plan")?.0.relabelling()?;
            put_numbers(table, &best.table)?;
            put_numbers(stayed, &best.stayed_and_stays[..1])?;
            put_numbers(stays, &best.stayed_and_stays[1..])?;
            put_handle(relabelled, Plan(best.plan.into()), "relabelled")
        }
    })
}

/// Stores a report of a plan as JSON, as `redist explain --json` writes it: classes, windows, elements from
/// rank to rank, schedules with their costs, memory. The element type is as for `redist_bind`. With a `rank`
/// that is not -1, its messages are listed, too. Elements are listed for `counts` pairs of ranks at most,
/// for 2^20 if that is -1. The text is to be freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_explain_json(
    plan: *const Plan,
    element: *const c_char,
    rank: i64,
    counts: i64,
    text: *mut *mut c_char,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, NULL or a text that ends with a zero, and NULL or a
        // place for the text.
        unsafe {
            let plan = &reference(plan, "plan")?.0;
            let bytes = element_of(element)?.bytes();
            let most_pairs = match counts {
                -1 => DEFAULT_MAX_PAIRS,
                given => length(given, "counts")?,
            };
            let rank = (rank != -1).then(|| rank_of(plan, rank)).transpose()?;
            let name = self::text(element, "element")?;
            let report = plan.report((name, bytes), Asked { most_pairs, rank });
            put_text(text, report.to_json(), "text")
        }
    })
}

/// Stores a plan as JSON: its extents, both layouts, and the digest that ranks compare. A layout in JSON
/// is its text in the notation. The text is to be freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_json(plan: *const Plan, text: *mut *mut c_char) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL or a live plan, and NULL or a place for the text.
        unsafe { put_text(text, to_json(&reference(plan, "plan")?.0), "text") }
    })
}

/// Reads a plan of `redist_plan_json`, or one that was written by hand: an object with `extents`, `from`
/// and `to`, which may have no `digest`. A text that is no plan, or whose digest is of other layouts, is
/// `REDIST_LAYOUT`. The plan is to be freed by `redist_plan_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_plan_from_json(
    text: *const c_char,
    plan: *mut *mut Plan,
) -> Status {
    guarded(|| {
        // SAFETY: the header demands NULL, or a text that ends with a zero, and NULL or a place for the
        // handle.
        unsafe {
            let made = from_json(self::text(text, "text")?)?;
            put_handle(plan, Plan(made.into()), "plan")
        }
    })
}

impl From<NotRead> for Refusal {
    fn from(error: NotRead) -> Self {
        Self::new(Status::RedistLayout, error.to_string())
    }
}
