//! `redist.BoundBatch`, of batches and of copies. Unsafe, because numpy's arrays become slices: `Look`
//! has proved once all that these need.

use crate::array::{Expected, Look, Misfit};
use crate::bound::decline;
use crate::communicator::{self, Ranks};
use crate::errors::{ArrayError, MoveError, move_error};
use crate::function::Raised;
use crate::members::{Member, Members, Paddings, SIDES, check_apart, indices_on, shape_on};
use crate::moves::{Move, StartedMoves};
use crate::thread::{OnThread, without_lock};
use crate::words;
use pyo3::prelude::*;
use redist::Error;
use redist::exec::{AnyBoundBatch, BatchArrays};
use redist::layout::Padding;
use std::cell::RefMut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Checked arrays, by array and by side, and the destinations.
type Looked<'py> = (Vec<[Look; 2]>, Vec<Bound<'py, PyAny>>);

/// Arrays of a `Batch`, or the one of `Copies`, bound to the ranks of a communicator.
///
/// Of a `Batch`, `a` and `out` are lists with an array for each plan; of `Copies` they are an array each.
/// Only the thread that bound it uses it; other threads of Python run while it moves.
#[pyclass(frozen, module = "redist")]
pub struct BoundBatch {
    // Dropped before the communicator.
    moving: OnThread<Moving>,
    /// By array, by side.
    expected: Vec<[Expected; 2]>,
    members: Arc<Members>,
    communicator: Py<PyAny>,
    /// This rank's number in the communicator.
    rank: usize,
    /// The last move that was let go of, or 0.
    let_go: AtomicU64,
}

/// A bound batch, which only its thread uses.
struct Moving {
    bound: AnyBoundBatch,
    /// Number of moves that were started.
    started: u64,
    /// Destinations of the move under way.
    under_way: Option<Vec<Py<PyAny>>>,
}

/// Returns what a rank is to bring: dense arrays, by array and by side.
fn expected(py: Python<'_>, members: &Members, rank: usize) -> Vec<[Expected; 2]> {
    let all = members.all.iter().enumerate();
    let of_array = |(number, member): (usize, &Member)| {
        SIDES.map(|side| {
            let name = members.called(["a", "out"][side as usize], number);
            member.expected(py, side, rank).called(&format!("rank {rank}: {name}"))
        })
    };
    all.map(of_array).collect()
}

/// Expects arrays like these, where there are any, and returns their memory layouts, by array.
fn paddings(
    members: &Members,
    expected: &mut [[Expected; 2]],
    like: [Option<&Bound<'_, PyAny>>; 2],
) -> Result<Vec<Paddings>, Misfit> {
    let mut all = vec![[None, None]; expected.len()];
    for (side, like) in [0, 1].into_iter().zip(like) {
        let name = ["src_like", "dst_like"][side];
        let arrays = members.like(name, like).map_err(|words| {
            let what = "a batch".into();
            Misfit { error: Error::Unavailable { what, reason: words.clone() }.into(), words }
        })?;
        for ((own, paddings), array) in expected.iter_mut().zip(&mut all).zip(arrays) {
            if let Some(array) = array {
                paddings[side] = own[side].like(&array)?.map(Padding::Strides);
            }
        }
    }
    Ok(all)
}

impl BoundBatch {
    /// Binds to the ranks of a communicator. Later arrays must be like these, if there are any.
    pub fn of(
        members: &Arc<Members>,
        object: &Bound<'_, PyAny>,
        like: [Option<&Bound<'_, PyAny>>; 2],
    ) -> PyResult<Self> {
        let (py, ranks) = (object.py(), communicator::ranks(object)?);
        let rank = ranks.rank();
        let mut expected = expected(py, members, rank);
        let paddings = paddings(members, &mut expected, like).map_err(|misfit| {
            // The other ranks, which bind, learn of it.
            decline(py, &ranks, *misfit.error);
            ArrayError::new_err(misfit.words)
        })?;
        let batch = members.batch(rank, &paddings);
        let bind = move |ranks: &Ranks| ranks.bind(batch);
        // SAFETY: binding uses the communicator's handle, whose object the caller keeps, and no array.
        let bound = unsafe { without_lock(py, || bind(&ranks)) }.map_err(move_error)?;
        let moving = OnThread::new(Moving { bound, started: 0, under_way: None });
        let (communicator, members) = (object.clone().unbind(), Arc::clone(members));
        Ok(Self { moving, expected, members, communicator, rank, let_go: AtomicU64::new(0) })
    }

    /// Returns the thread's state, after moves that another thread let go of.
    fn enter(&self, py: Python<'_>) -> PyResult<RefMut<'_, Moving>> {
        let mut moving = self.moving.enter()?;
        let number = self.let_go.swap(0, Ordering::Relaxed);
        self.finish_in(&mut moving, py, number)?;
        Ok(moving)
    }

    /// Checks all arrays; the other ranks learn of a wrong one.
    fn look<'py>(
        &self,
        moving: &mut Moving,
        a: &Bound<'py, PyAny>,
        out: &Bound<'py, PyAny>,
    ) -> PyResult<Looked<'py>> {
        if moving.bound.is_under_way() {
            return Err(MoveError::new_err(
                "a move is under way: `finish` what `start` returned before the next",
            ));
        }
        let looked = self.looked(a, out);
        looked.map_err(|Misfit { words, error }| {
            // SAFETY: ranks learn of the error, and no array is used.
            unsafe { without_lock(a.py(), || moving.bound.decline(*error)) };
            ArrayError::new_err(words)
        })
    }

    fn looked<'py>(
        &self,
        a: &Bound<'py, PyAny>,
        out: &Bound<'py, PyAny>,
    ) -> Result<Looked<'py>, Misfit> {
        let refused = |words: String| {
            let what = format!("a move with the arrays of rank {}", self.rank);
            Misfit { error: Error::Unavailable { what, reason: words.clone() }.into(), words }
        };
        let sources = self.members.given("a", a).map_err(refused)?;
        let outs = self.members.given("out", out).map_err(refused)?;
        let all = self.expected.iter().zip(sources.iter().zip(&outs));
        let looks = all.map(|([from, to], (a, out))| Ok([from.look(a)?, to.look(out)?]));
        let looks = looks.collect::<Result<Vec<_>, Misfit>>()?;
        check_apart(["a", "out"], &self.members, &looks).map_err(refused)?;
        Ok((looks, outs))
    }

    /// Waits for this move, if it is under way, into its own arrays. Returns `true` if it was.
    fn finish_in(&self, moving: &mut Moving, py: Python<'_>, number: u64) -> PyResult<bool> {
        let Some(outs) = moving.under_way.take_if(|_| moving.started == number) else {
            return Ok(false);
        };
        let bound = &mut moving.bound;
        let looked = self.expected.iter().zip(&outs).map(|([_, to], out)| to.look(out.bind(py)));
        match looked.collect::<Result<Vec<Look>, Misfit>>() {
            Ok(looks) => {
                // SAFETY: each array is kept and was checked just now. They are apart, as `start`
                // found, and no other slice of them exists.
                let bytes = looks.iter().map(|look| unsafe { look.destination() });
                let mut bytes: Vec<&mut [u8]> = bytes.collect();
                let (members, raised) = (&self.members, Raised::default());
                let called = members.combining(py, &raised);
                let finish = || members.finish(bound, &mut bytes, called.as_ref());
                // SAFETY: finishing uses only these bytes, of arrays that are kept. A function is called
                // with the lock.
                let finished = unsafe { without_lock(py, finish) }.map_err(move_error);
                raised.before(finished)?;
                Ok(true)
            }
            // One was resized in between: its new elements go nowhere.
            Err(Misfit { words, .. }) => {
                let mut bytes: Vec<Vec<u8>> =
                    self.expected.iter().map(|[_, to]| vec![0; to.bytes()]).collect();
                let mut bytes: Vec<&mut [u8]> = bytes.iter_mut().map(Vec::as_mut_slice).collect();
                // SAFETY: finishing uses only bytes of Rust's.
                unsafe { without_lock(py, || bound.finish(&mut bytes)) }.map_err(move_error)?;
                Err(ArrayError::new_err(words))
            }
        }
    }

    /// Pairs checked arrays.
    ///
    /// # Safety
    /// The arrays live, are not resized, and no other code uses the destinations or writes to the
    /// sources.
    unsafe fn pairs<'a>(&self, looks: &'a [[Look; 2]]) -> Vec<BatchArrays<'a>> {
        let all = self.members.all.iter().zip(looks);
        let pairs = all.map(|(member, [from, to])| {
            // SAFETY: `looked` found both to fit, and all destinations to be apart from other arrays.
            // The caller promises the rest.
            let (source, destination) = unsafe { (from.source(), to.destination()) };
            BatchArrays::of_bytes(member.element, source, destination)
        });
        pairs.collect()
    }
}

#[pymethods]
impl BoundBatch {
    /// Moves `a`, this rank's parts on the source's side, to `out`, its parts on the destination's side.
    /// Collective.
    ///
    /// Other threads of Python run meanwhile; none of them may write to `a`, use `out`, or resize any.
    fn run(&self, py: Python<'_>, a: &Bound<'_, PyAny>, out: &Bound<'_, PyAny>) -> PyResult<()> {
        let mut moving = self.enter(py)?;
        let (looks, _outs) = self.look(&mut moving, a, out)?;
        // SAFETY: the arrays are borrowed and were checked just now. The program keeps the rules of
        // this method.
        let pairs = unsafe { self.pairs(&looks) };
        let (bound, members, raised) = (&mut moving.bound, &self.members, Raised::default());
        let called = members.combining(py, &raised);
        let run = || members.run(bound, pairs, called.as_ref());
        // SAFETY: a move uses only these bytes, of arrays that are borrowed. A function is called with
        // the lock.
        let moved = unsafe { without_lock(py, run) }.map_err(move_error);
        raised.before(moved)
    }

    /// Begins the same move; finishing the returned `Move` ends it, as leaving a `with` does. Collective.
    ///
    /// `a` may be written to at once; `out` is written to when the move is finished.
    fn start(
        slf: &Bound<'_, Self>,
        a: &Bound<'_, PyAny>,
        out: &Bound<'_, PyAny>,
    ) -> PyResult<Move> {
        let (py, this) = (slf.py(), slf.get());
        let mut moving = this.enter(py)?;
        let (looks, outs) = this.look(&mut moving, a, out)?;
        // SAFETY: the arrays are borrowed and were checked just now. The program keeps the rules of
        // `run`.
        let pairs = unsafe { this.pairs(&looks) };
        let bound = &mut moving.bound;
        // SAFETY: a move begins with only these bytes, of arrays that are borrowed.
        unsafe { without_lock(py, || bound.start(&pairs)) }.map_err(move_error)?;
        moving.started += 1;
        moving.under_way = Some(outs.into_iter().map(Bound::unbind).collect());
        Ok(Move::new(slf.clone().unbind(), moving.started))
    }

    /// Returns the shape of this rank's part of each array on a side, `"src"` or `"dst"`.
    fn local_shape<'py>(&self, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, which) = (side.py(), words::side(side)?);
        self.members.listed(py, |member| shape_on(py, member, which, self.rank))
    }

    /// Returns this rank's indices along each axis of a side's stored arrays.
    fn global_indices<'py>(&self, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (py, which) = (side.py(), words::side(side)?);
        self.members.listed(py, |member| indices_on(py, member, which, self.rank))
    }

    /// Makes new dense arrays for this rank's parts on a side, their elements not initialised.
    fn empty<'py>(&self, side: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        self.members.empty(side.py(), words::side(side)?, self.rank)
    }

    /// The communicator.
    #[getter]
    fn comm(&self, py: Python<'_>) -> Py<PyAny> {
        self.communicator.clone_ref(py)
    }

    /// This rank's number in the communicator.
    #[getter]
    fn rank(&self) -> usize {
        self.rank
    }

    /// Describes a move of this rank: its messages and the code that packs them.
    fn explain(&self, py: Python<'_>) -> PyResult<String> {
        Ok(self.enter(py)?.bound.explain())
    }

    fn __repr__(&self) -> String {
        format!("<redist.BoundBatch: rank {}, {} arrays>", self.rank, self.members.all.len())
    }
}

impl StartedMoves for Py<BoundBatch> {
    fn is_under_way(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let moving = self.get().enter(py)?;
        Ok(moving.started == number && moving.under_way.is_some())
    }

    fn test(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let mut moving = self.get().enter(py)?;
        let is_under_way = moving.started == number && moving.under_way.is_some();
        Ok(!is_under_way || moving.bound.test().map_err(move_error)?)
    }

    fn finish(&self, py: Python<'_>, number: u64) -> PyResult<bool> {
        let bound = self.get();
        let mut moving = bound.enter(py)?;
        bound.finish_in(&mut moving, py, number)
    }

    fn let_go(&self, number: u64) {
        self.get().let_go.fetch_max(number, Ordering::Relaxed);
    }
}
