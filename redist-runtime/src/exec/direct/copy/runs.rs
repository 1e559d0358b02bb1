//! Runs of a strided copy, checked once. Unsafe, because a check of each would outlast most copies.

use crate::program::{Spacing, StridedCopy};
use core::cell::UnsafeCell;
use core::marker::PhantomData;

/// Strided runs in two arrays that do not overlap. Nothing else uses their bytes in `'a`. Spacings
/// are in bytes. All methods rely on this; only [`checked`](Runs::checked) establishes it. It holds
/// for parts.
#[derive(Clone, Copy)]
pub(super) struct Runs<'a> {
    pub(super) from: *const u8,
    pub(super) to: *mut u8,
    pub(super) bytes: usize,
    pub(super) inner: Spacing,
    pub(super) outer: Spacing,
    arrays: PhantomData<&'a UnsafeCell<u8>>,
}

impl<'a> Runs<'a> {
    /// Checks all runs of a copy of elements of `width` bytes. Panics if one passes an array's end.
    ///
    /// # Safety
    /// While the value and its parts are used, nothing else touches the bytes of the runs in `to`.
    /// Nothing writes to `from`, and the two do not overlap.
    #[inline(always)]
    pub(super) unsafe fn checked(
        from: &'a [u8],
        to: &'a [UnsafeCell<u8>],
        strided: StridedCopy,
        width: usize,
    ) -> Self {
        let StridedCopy { source, destination, len, inner, outer } = strided;
        // The last run of the last row ends last. No intermediate number exceeds its end in bytes,
        // so none overflows if the end fits. Unused spacings may overflow.
        let end = |start: usize, inner_spacing: usize, outer_spacing: usize| {
            let row = inner_spacing.checked_mul(inner.count.saturating_sub(1))?;
            let rows = outer_spacing.checked_mul(outer.count.saturating_sub(1))?;
            start.checked_add(row)?.checked_add(rows)?.checked_add(len)?.checked_mul(width)
        };
        let fits = |end: Option<usize>, available: usize| end.is_some_and(|end| end <= available);
        assert!(
            fits(end(source, inner.source, outer.source), from.len()),
            "a source shorter than its plan"
        );
        assert!(
            fits(end(destination, inner.destination, outer.destination), to.len()),
            "a destination shorter than its plan"
        );
        let spaced = |spacing: Spacing| Spacing {
            source: spacing.source.wrapping_mul(width),
            destination: spacing.destination.wrapping_mul(width),
            ..spacing
        };
        Self {
            from: from.as_ptr().wrapping_add(source * width),
            to: UnsafeCell::raw_get(to.as_ptr()).wrapping_add(destination * width),
            bytes: len * width,
            inner: spaced(inner),
            outer: spaced(outer),
            arrays: PhantomData,
        }
    }

    #[inline(always)]
    pub(super) fn part(self, row: usize, column: usize) -> Self {
        let (from, to) = self.place(row, column);
        let left = |spacing: Spacing, first: usize| Spacing {
            count: spacing.count.saturating_sub(first),
            ..spacing
        };
        Self { from, to, inner: left(self.inner, column), outer: left(self.outer, row), ..self }
    }

    pub(super) fn columns(self, count: usize) -> Self {
        Self { inner: Spacing { count: count.min(self.inner.count), ..self.inner }, ..self }
    }

    /// Returns both ends of a run. Past the last run, the addresses are only for prefetches.
    #[inline(always)]
    pub(super) fn place(&self, row: usize, column: usize) -> (*const u8, *mut u8) {
        let offset = |of_row: usize, of_column: usize| {
            row.wrapping_mul(of_row).wrapping_add(column.wrapping_mul(of_column))
        };
        (
            self.from.wrapping_add(offset(self.outer.source, self.inner.source)),
            self.to.wrapping_add(offset(self.outer.destination, self.inner.destination)),
        )
    }
}
