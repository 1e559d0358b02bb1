//! `redist.Messages`: messages of a rank as strided views, for any transport.

use crate::dtype::tuple;
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use redist::plan::{MessageViews, RankMessages};
use redist_doors::DoorPlan;

/// Messages of one rank, made by `Plan.messages`.
///
/// Arrays are dense, as `Plan.empty` makes them. The sender copies its boxes to a buffer, one after
/// the other, and the receiver copies the buffer to its own: both have the same views, in the same
/// order.
#[pyclass(frozen, module = "redist")]
pub struct Messages {
    /// The rank.
    #[pyo3(get)]
    rank: usize,
    /// A dict: `Views` by the rank that they go to, this one among them for what stays.
    #[pyo3(get)]
    sends: Py<PyDict>,
    /// A dict: `Views` by the rank that they come from, this one among them for what stays.
    #[pyo3(get)]
    receives: Py<PyDict>,
}

/// The views of one message: a sequence, whose members are made when they are asked for.
#[pyclass(frozen, eq, sequence, module = "redist")]
pub struct Views {
    message: MessageViews,
}

/// Sender and receiver have equal views.
impl PartialEq for Views {
    fn eq(&self, other: &Self) -> bool {
        let (one, other) = (&self.message, &other.message);
        one.elements == other.elements && one.len() == other.len() && one.views().eq(other.views())
    }
}

/// An iterator over `Views`.
#[pyclass]
pub struct ViewsIterator {
    views: Py<Views>,
    /// Number of the next view.
    next: usize,
}

/// A part of a message: a strided box of the sender's array, and one of the receiver's. Both list the
/// same elements in the same order.
#[pyclass(frozen, eq, hash, module = "redist")]
#[derive(PartialEq, Eq, Hash)]
pub struct View {
    view: redist::plan::View,
}

/// The place of a `View` in the memory of a local array: what `as_strided` takes.
#[pyclass(frozen, eq, hash, module = "redist")]
#[derive(PartialEq, Eq, Hash)]
pub struct Place {
    place: redist::plan::Place,
}

impl Messages {
    pub fn of(py: Python<'_>, plan: &DoorPlan, rank: usize) -> PyResult<Self> {
        let RankMessages { sends, receives } = plan.messages(rank);
        let by_peer = |messages: Vec<MessageViews>| {
            let dict = PyDict::new(py);
            for message in messages {
                dict.set_item(message.peer, Bound::new(py, Views { message })?)?;
            }
            Ok::<_, PyErr>(dict.unbind())
        };
        Ok(Self { rank, sends: by_peer(sends)?, receives: by_peer(receives)? })
    }
}

#[pymethods]
impl Messages {
    fn __repr__(&self, py: Python<'_>) -> String {
        let [sends, receives] = [&self.sends, &self.receives].map(|dict| dict.bind(py).len());
        format!("<redist.Messages: rank {} sends {sends} and receives {receives}>", self.rank)
    }
}

#[pymethods]
impl Views {
    /// Elements in all views.
    #[getter]
    fn elements(&self) -> usize {
        self.message.elements
    }

    fn __len__(&self) -> usize {
        self.message.len()
    }

    fn __getitem__(&self, number: isize) -> PyResult<View> {
        let len = self.message.len();
        let from_end = || len.checked_sub(number.unsigned_abs());
        let place = usize::try_from(number).ok().or_else(from_end);
        let view = place.and_then(|place| self.message.view(place));
        let refused = || PyIndexError::new_err(format!("view {number}: the message has {len}"));
        view.map(|view| View { view }).ok_or_else(refused)
    }

    fn __iter__(slf: Py<Self>) -> ViewsIterator {
        ViewsIterator { views: slf, next: 0 }
    }

    fn __repr__(&self) -> String {
        let (views, elements) = (self.message.len(), self.message.elements);
        format!("<redist.Views: {views}, of {elements} elements>")
    }
}

#[pymethods]
impl ViewsIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self) -> Option<View> {
        let view = self.views.get().message.view(self.next)?;
        self.next += 1;
        Some(View { view })
    }
}

#[pymethods]
impl View {
    /// Elements along each axis, the slowest first; `()` for one element.
    #[getter]
    fn shape<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.view.shape)
    }

    /// Elements in the view.
    #[getter]
    fn size(&self) -> usize {
        self.view.shape.iter().product()
    }

    /// The box in the sender's array.
    #[getter]
    fn src(&self) -> Place {
        Place { place: self.view.source.clone() }
    }

    /// The box in the receiver's array.
    #[getter]
    fn dst(&self) -> Place {
        Place { place: self.view.destination.clone() }
    }

    fn __repr__(&self) -> String {
        let redist::plan::View { shape, source, destination } = &self.view;
        format!(
            "<redist.View: {}, src {}, dst {}>",
            tuple(shape),
            words(source),
            words(destination)
        )
    }
}

#[pymethods]
impl Place {
    /// Elements of memory before the first one.
    #[getter]
    fn offset(&self) -> usize {
        self.place.offset
    }

    /// Elements of memory from neighbour to neighbour along each axis of the view.
    #[getter]
    fn strides<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        PyTuple::new(py, &self.place.strides)
    }

    fn __repr__(&self) -> String {
        format!("<redist.Place: {}>", words(&self.place))
    }
}

fn words(place: &redist::plan::Place) -> String {
    format!("from {} by {}", place.offset, tuple(&place.strides))
}
