use super::AnyBound;
use crate::element::AnyElement;
use crate::error::Error;
use crate::exec::decision::AskedMethod;
use crate::exec::mover::{Mover, Wishes};
use crate::exec::prepared::Facts;
use crate::layout::Padding;
use crate::plan::schedule::Method;
use crate::plan::{AnyPlan, Diag, Plan, Side, Trapezoid, Uplo};
use crate::transport::{Route, Transport};
use std::ffi::c_int;

/// A [`Binder`](crate::exec::Binder) whose plan and element type are run-time values.
#[must_use = "a binder does nothing before `bind`"]
#[derive(Clone, Debug)]
pub struct AnyBinder {
    plan: AnyPlan,
    words: String,
    element: AnyElement,
    wishes: Wishes,
}

impl AnyBinder {
    /// Prepares to bind this plan for elements of this type, with default options.
    pub fn new<const D: usize>(plan: &Plan<D>, element: AnyElement) -> Self {
        Self {
            plan: AnyPlan::from(plan),
            words: plan.in_words().to_string(),
            element,
            wishes: Wishes::default(),
        }
    }

    /// As [`Binder::method`](crate::exec::Binder::method).
    pub fn method(mut self, method: Method) -> Self {
        self.wishes.method = Some(AskedMethod::new(method));
        self
    }

    /// As [`Binder::route`](crate::exec::Binder::route).
    pub fn route(mut self, route: Route) -> Self {
        self.wishes.options.route = route;
        self
    }

    /// As [`Binder::max_message_bytes`](crate::exec::Binder::max_message_bytes).
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.wishes.options.max_message_bytes = Some(bytes.clamp(1, c_int::MAX as usize));
        self
    }

    /// Sets the memory layout of this rank's local array on one side: see
    /// [`Binder::strides`](crate::exec::Binder::strides) and the two methods after it. Panics if
    /// strides or extents are not as many as the array's dimensions.
    pub fn padding(mut self, side: Side, padding: Padding) -> Self {
        let is_whole = |list: &Vec<usize>| list.len() == self.plan.dimensions();
        assert!(
            match &padding {
                Padding::Strides(strides) => is_whole(strides),
                Padding::Leading(_) => true,
                Padding::Within(lists) => lists.iter().all(is_whole),
            },
            "{padding:?} is not of {} dimensions",
            self.plan.dimensions()
        );
        self.wishes.paddings[side as usize] = Some(padding);
        self
    }

    /// As [`Binder::trapezoid`](crate::exec::Binder::trapezoid). Panics if the array does not have
    /// two dimensions.
    pub fn trapezoid(mut self, uplo: Uplo, diag: Diag) -> Self {
        assert_eq!(self.plan.dimensions(), 2, "trapezoids are parts of matrices");
        self.wishes.trapezoid = Some(Trapezoid { uplo, diag });
        self
    }

    /// As [`Binder::bind`](crate::exec::Binder::bind). Collective.
    pub fn bind<C: Transport>(&self, communicator: &C) -> Result<AnyBound, Error> {
        let (rank, element) = (communicator.rank(), self.element.element_type());
        let facts = Facts::new(self.plan.clone(), rank, element.bytes(), self.wishes.trapezoid);
        let words = format_args!("{}", self.words);
        let mover = Mover::new(facts, element, communicator, &self.wishes, words)?;
        Ok(AnyBound::of(mover, self.element))
    }

    /// Joins the other ranks' [`bind`](Self::bind) and makes it fail on all ranks, because this
    /// rank has no plan. Returns this rank's error. Collective.
    pub fn decline<C: Transport>(communicator: &C, reason: Error) -> Error {
        communicator.open(Err(reason.clone())).err().unwrap_or(reason)
    }
}
