//! `redist.Packing`: messages of one rank, packed and unpacked for any transport. Unsafe, because
//! numpy's arrays become slices: `Look` has proved once all that these need.

use crate::array::{Expected, Look, Misfit, buffer};
use crate::errors::{ArrayError, PlanError, plan_error};
use crate::simulated::PlanOf;
use crate::thread::without_lock;
use crate::words::argument;
use numpy::{PyArrayDescr, PyArrayDescrMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use redist::Side;
use redist::exec::{AnyPacking, PackingError};
use redist::layout::Padding;
use redist_doors::overlap;

/// The packing and the unpacking of one rank, made by `Plan.packing`.
///
/// A transport brings each buffer from its sender to its receiver. Elements lie in a buffer as in the
/// messages of `Bound.run`. Any thread may use it. Other threads of Python run meanwhile; none may use
/// the arrays of a call.
#[pyclass(frozen, module = "redist")]
pub struct Packing {
    packing: AnyPacking,
    /// By side.
    expected: [Expected; 2],
    dtype: Py<PyArrayDescr>,
    /// Bytes of an element.
    itemsize: usize,
}

/// Both sides, in the order of lists by side.
const SIDES: [Side; 2] = [Side::Source, Side::Destination];

impl Packing {
    /// Prepares a rank; later arrays must be like these, if there are any.
    pub fn of(
        plan: PlanOf<'_>,
        py: Python<'_>,
        rank: usize,
        like: [Option<&Bound<'_, PyAny>>; 2],
    ) -> PyResult<Self> {
        let dtype = plan.dtype.bind(py);
        let mut expected = SIDES.map(|side| {
            let part = plan.plan.local(side, rank).as_array();
            Expected::dense(side, rank, part, dtype).called("array")
        });
        let mut binder = plan.plan.binder(plan.element);
        for (expected, like) in expected.iter_mut().zip(like) {
            let Some(like) = like else { continue };
            let strides = expected.like(like).map_err(refused)?;
            if let Some(strides) = strides {
                binder = binder.padding(expected.side, Padding::Strides(strides));
            }
        }
        let packing = binder.packing(rank).map_err(plan_error)?;
        Ok(Self { packing, expected, dtype: plan.dtype.clone_ref(py), itemsize: dtype.itemsize() })
    }

    /// Returns the elements of the message with a peer.
    fn elements(&self, side: Side, peer: &Bound<'_, PyAny>) -> PyResult<(usize, usize)> {
        let (rank, word) = (self.rank(), ["to", "from"][side as usize]);
        let write = format!("a rank that there is a message {word}, one of `{}`", named(side));
        let found: usize = argument("peer", peer, &write)?;
        let message = self.packing.messages(side).iter().find(|message| message.rank == found);
        let none = || {
            PlanError::new_err(format!(
                "peer {found}: rank {rank} has no message {word} it; write {write}"
            ))
        };
        message.map(|message| (found, message.len)).ok_or_else(none)
    }

    /// Checks an array, and the buffer of the message with a peer.
    fn look(
        &self,
        side: Side,
        array: &Bound<'_, PyAny>,
        peer: &Bound<'_, PyAny>,
        given: &Bound<'_, PyAny>,
    ) -> PyResult<(usize, Look, Look)> {
        let (peer, elements) = self.elements(side, peer)?;
        let look = self.expected[side as usize].look(array).map_err(refused)?;
        let packed = self.buffer(side, peer, elements, given)?;
        apart(&look, &packed)?;
        Ok((peer, look, packed))
    }

    fn buffer(
        &self,
        side: Side,
        peer: usize,
        elements: usize,
        given: &Bound<'_, PyAny>,
    ) -> PyResult<Look> {
        let message = format!("{} rank {peer}", ["to", "from"][side as usize]);
        let dtype = self.dtype.bind(given.py());
        buffer(given, dtype, (elements, &message), side == Side::Source)
    }

    /// Checks an array, and a buffer for each message, in their order.
    fn look_all(
        &self,
        side: Side,
        array: &Bound<'_, PyAny>,
        buffers: &Bound<'_, PyAny>,
    ) -> PyResult<(Look, Vec<Look>)> {
        let word = named(side);
        let write = format!("a dict with a buffer for each rank of `{word}`");
        let given: Bound<'_, PyDict> = argument("buffers", buffers, &write)?;
        let look = self.expected[side as usize].look(array).map_err(refused)?;
        let messages = self.packing.messages(side);
        if given.len() != messages.len() {
            return Err(PlanError::new_err(format!(
                "buffers: found {}, but `{word}` has {} ranks; write {write}",
                given.len(),
                messages.len()
            )));
        }
        let mut looks: Vec<Look> = Vec::with_capacity(messages.len());
        for message in messages {
            let Some(buffer) = given.get_item(message.rank)? else {
                return Err(PlanError::new_err(format!(
                    "buffers: there is none for rank {}; write {write}",
                    message.rank
                )));
            };
            let packed = self.buffer(side, message.rank, message.len, &buffer)?;
            apart(&look, &packed)?;
            looks.push(packed);
        }
        if side == Side::Source {
            let mut places: Vec<(usize, usize)> = looks.iter().map(Look::place).collect();
            places.sort_unstable();
            if places.windows(2).any(|pair| overlap([pair[0], pair[1]])) {
                let words = "two buffers share memory; bring buffers that are apart";
                return Err(ArrayError::new_err(words));
            }
        }
        Ok((look, looks))
    }

    fn counts<'py>(&self, py: Python<'py>, side: Side) -> PyResult<Bound<'py, PyDict>> {
        let counts = PyDict::new(py);
        for message in self.packing.messages(side) {
            counts.set_item(message.rank, message.len)?;
        }
        Ok(counts)
    }
}

#[pymethods]
impl Packing {
    /// The rank.
    #[getter]
    fn rank(&self) -> usize {
        self.expected[0].rank
    }

    /// A dict: the elements of each message that the rank sends, by receiver, itself among them.
    #[getter]
    fn sends<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.counts(py, Side::Source)
    }

    /// A dict: the elements of each message that the rank receives, by sender, itself among them.
    #[getter]
    fn receives<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.counts(py, Side::Destination)
    }

    /// Makes a new buffer for a number of elements, not initialised.
    fn empty<'py>(&self, elements: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let py = elements.py();
        let write = "a number of elements, as `sends` and `receives` have it";
        let elements: usize = argument("elements", elements, write)?;
        py.import("numpy")?.call_method1("empty", (elements, &self.dtype))
    }

    /// Packs the message to `peer` into a buffer: an array of its elements or of their bytes, or
    /// whatever has the buffer protocol.
    fn pack(
        &self,
        py: Python<'_>,
        array: &Bound<'_, PyAny>,
        peer: &Bound<'_, PyAny>,
        buffer: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (peer, look, packed) = self.look(Side::Source, array, peer, buffer)?;
        // SAFETY: both arrays are borrowed and were checked just now, and share no byte. The program
        // lets no other thread use them in this call, as the docs of the class ask.
        let (from, to) = unsafe { (look.source(), packed.destination()) };
        // SAFETY: packing uses only these bytes, of arrays that are borrowed.
        unsafe { without_lock(py, || self.packing.pack(from, peer, to)) }.map_err(not_packed)
    }

    /// Unpacks the message from `peer`, which a buffer has, into the array. Elements of no message keep
    /// their values.
    fn unpack(
        &self,
        py: Python<'_>,
        buffer: &Bound<'_, PyAny>,
        peer: &Bound<'_, PyAny>,
        array: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (peer, look, packed) = self.look(Side::Destination, array, peer, buffer)?;
        // SAFETY: both arrays are borrowed and were checked just now, and share no byte. The program
        // lets no other thread use them in this call, as the docs of the class ask.
        let (from, to) = unsafe { (packed.source(), look.destination()) };
        // SAFETY: unpacking uses only these bytes, of arrays that are borrowed.
        unsafe { without_lock(py, || self.packing.unpack(from, peer, to)) }.map_err(not_packed)
    }

    /// Packs all messages by the kernels of `Bound.run`, which read the array once. The buffers are a
    /// dict, by receiver.
    fn pack_all(
        &self,
        py: Python<'_>,
        array: &Bound<'_, PyAny>,
        buffers: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (look, packed) = self.look_all(Side::Source, array, buffers)?;
        // SAFETY: the array is borrowed and was checked just now. The program lets no other thread
        // use it in this call, as the docs of the class ask.
        let from = unsafe { look.source() };
        // SAFETY: the buffers are borrowed and were checked just now. They share no byte with the
        // array, or with each other, and the program uses them nowhere else in this call.
        let mut to: Vec<&mut [u8]> =
            packed.iter().map(|look| unsafe { look.destination() }).collect();
        // SAFETY: packing uses only these bytes, of arrays that are borrowed.
        unsafe { without_lock(py, || self.packing.pack_all(from, &mut to)) }.map_err(not_packed)
    }

    /// Unpacks all messages by the kernels of `Bound.run`. The buffers are a dict, by sender.
    fn unpack_all(
        &self,
        py: Python<'_>,
        buffers: &Bound<'_, PyAny>,
        array: &Bound<'_, PyAny>,
    ) -> PyResult<()> {
        let (look, packed) = self.look_all(Side::Destination, array, buffers)?;
        // SAFETY: the array is borrowed and was checked just now. The program lets no other thread
        // use it in this call, as the docs of the class ask.
        let to = unsafe { look.destination() };
        // SAFETY: the buffers are borrowed and were checked just now. They share no byte with the
        // array, and nothing writes to them in this call.
        let mut from: Vec<&[u8]> = packed.iter().map(|look| unsafe { look.source() }).collect();
        // SAFETY: unpacking uses only these bytes, of arrays that are borrowed.
        unsafe { without_lock(py, || self.packing.unpack_all(&mut from, to)) }.map_err(not_packed)
    }

    fn __repr__(&self) -> String {
        let [sends, receives] = SIDES.map(|side| self.packing.messages(side).len());
        let bytes = self.itemsize;
        format!(
            "<redist.Packing: rank {} sends {sends} and receives {receives}, elements of {bytes} bytes>",
            self.rank()
        )
    }
}

fn named(side: Side) -> &'static str {
    ["sends", "receives"][side as usize]
}

fn refused(misfit: Misfit) -> PyErr {
    ArrayError::new_err(misfit.words)
}

fn not_packed(error: PackingError) -> PyErr {
    ArrayError::new_err(error.to_string())
}

fn apart(array: &Look, buffer: &Look) -> PyResult<()> {
    match overlap([array.place(), buffer.place()]) {
        true => Err(ArrayError::new_err("buffer shares memory with array; bring a buffer apart")),
        false => Ok(()),
    }
}
