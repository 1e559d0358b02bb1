//! Plans with window tables, as items have them.

use redist::exec::Tier;
use redist::plan::{Axis, Piece, WindowTable};
use redist::{Element, Plan, Redistribution, Side};
use std::collections::HashSet;
use std::marker::PhantomData;
use std::sync::{LazyLock, Mutex, PoisonError};

/// A plan with a window table for every dimension, or for none.
pub struct Tabled<T, const D: usize> {
    plan: Plan<D>,
    windows: [WindowTable<'static>; D],
    element: PhantomData<fn(T)>,
}

impl<T: Element, const D: usize> Tabled<T, D> {
    pub fn new(plan: Plan<D>, with_tables: bool) -> Self {
        let table = |dimension| table(&plan.axis(dimension));
        let windows =
            if with_tables { core::array::from_fn(table) } else { [WindowTable::NONE; D] };
        Self { plan, windows, element: PhantomData }
    }
}

/// Returns a dimension's table; none for sections and given blocks, which can have none.
fn table(axis: &Axis) -> WindowTable<'static> {
    let whole = [Side::Source, Side::Destination].iter().all(|side| axis.side(*side).at() == 0);
    if !whole || axis.regular_blocks().is_none() {
        return WindowTable::NONE;
    }
    WindowTable::of(axis, kept(axis.window_walk().collect()))
}

/// Keeps equal tables once, because fuzzing asks repeatedly for the same ones.
fn kept(pieces: Vec<Piece>) -> &'static [Piece] {
    static TABLES: LazyLock<Mutex<HashSet<&'static [Piece]>>> = LazyLock::new(Mutex::default);
    let mut tables = TABLES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(table) = tables.get(pieces.as_slice()) {
        return table;
    }
    let table: &'static [Piece] = pieces.leak();
    tables.insert(table);
    table
}

impl<T: Element, const D: usize> Redistribution<D> for Tabled<T, D> {
    type Element = T;

    fn name(&self) -> &str {
        "plan with tables"
    }

    fn plan(&self) -> Plan<D> {
        self.plan
    }

    fn windows(&self) -> [WindowTable<'static>; D] {
        self.windows
    }

    fn tiers(&self) -> [(Tier, &'static str); D] {
        [(Tier::Constant, ""); D]
    }
}
