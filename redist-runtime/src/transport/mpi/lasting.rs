//! The parts of a context that outlast its owners: windows, which ranks free together. Unsafe,
//! because the thread that finalises MPI frees them, and their memory is the library's.

use super::communicator::OwnCommunicator;
use super::life::check_that_mpi_is_there;
use super::node::NodePages;
use super::preflight::all_prepared;
use super::vote::Meetings;
use super::window::{Window, WindowParts};
use crate::error::Error;
use crate::transport::slots::{MAX_SLOT_BYTES, PAGE, SLOTS, Slots};
use crate::transport::sync::lock;
use redist_mpi::Request;
use std::cell::{Cell, OnceCell, RefCell};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};

/// Contexts with windows or owners, in the order in which this rank made them. Their other ranks
/// are notified when this one finalises MPI.
pub(super) static LIVE: Mutex<Vec<LiveContext>> = Mutex::new(Vec::new());

/// More than the numbers of all contexts of this rank.
static NEXT: AtomicU64 = AtomicU64::new(0);

pub(super) struct LiveContext(pub Arc<Lasting>);

impl LiveContext {
    /// Returns `true` if a communicator, a plan or an array still has the context. Other nodes wait
    /// for no rank of a context that is gone, and may be other programs that have ended.
    pub fn is_owned(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }
}

// SAFETY: other threads than that of the context do two things with it. They count it, which is
// atomic, and ask `Meetings::is_ours`, which reads constant data. On the thread that finalises MPI,
// the end asks `in_use`, which is atomic. There it calls `end_here`, `end_elsewhere`,
// `have_all_ended`, `have_ended_here` and `frees_windows`, too. These use constant data, atomics, a
// `OnceLock`, and the library, which no other thread may call any more. It calls `free_together`
// on the context's own thread alone, as `forget_freed` does with `holds_windows`. And the end may
// drop the last share, but only after it is noted that MPI ends (`note_the_end`). From then on,
// `drop` of every part neither calls the library nor frees memory that it uses. `free_dropped` uses
// contexts of its own thread alone.
unsafe impl Send for LiveContext {}

/// Forgets the parts of a context that goes, unless they hold windows, or are another thread's.
pub(super) fn forget_freed(of: &Arc<Lasting>) {
    if of.meetings.is_ours() && !of.holds_windows() {
        let mut live = lock(&LIVE);
        live.retain(|context| !Arc::ptr_eq(&context.0, of));
    }
}

/// Frees the windows of a context that no rank of a new communicator owns any more, and returns the
/// new context's number. Libraries have few communicators, and dropped couplings keep theirs.
/// Collective.
fn free_dropped(by: &OwnCommunicator) -> Result<u64, Error> {
    let oldest = oldest_dropped(by);
    let pages = oldest.as_ref().and_then(|context| context.pages());
    let number = pages.map_or(u64::MAX, |pages| pages.number);
    let [least, most, next] = by.minima([number, !number, !NEXT.load(Ordering::Relaxed)])?;
    NEXT.fetch_max(!next + 1, Ordering::Relaxed);
    // Ranks that have dropped others free them when a later context is made.
    if let Some(context) = oldest.filter(|_| least == !most) {
        context.free_together();
        forget_freed(&context);
    }
    Ok(!next)
}

/// Returns the first context with these ranks and an open window, but without an owner here. None
/// if other threads have contexts, because ranks may pair their threads in any way.
fn oldest_dropped(by: &OwnCommunicator) -> Option<Arc<Lasting>> {
    let live = lock(&LIVE);
    if !live.iter().all(|context| context.0.meetings.is_ours()) {
        return None;
    }
    let is_dropped = |context: &&LiveContext| {
        !context.is_owned()
            && context.0.pages().is_some_and(|pages| pages.is_open())
            && context.0.meetings.communicator().has_the_ranks_of(by) == Ok(true)
    };
    live.iter().find(is_dropped).map(|context| Arc::clone(&context.0))
}

#[derive(Debug)]
pub(super) struct Lasting {
    pub meetings: Meetings,
    pages: OnceLock<Arc<NodePages>>,
    pub memory: OnceCell<Option<NodeMemory>>,
    /// Windows of shared arrays, in the order of their making: the same on all ranks.
    windows: RefCell<Vec<KeptWindow>>,
    /// The number of windows made, of which each has its own.
    made: Cell<u64>,
    /// Counts this rank's shared arrays, and marks a call that moves elements. The thread that
    /// finalises MPI reads it, too.
    pub arrays: AtomicUsize,
    pub is_in_call: AtomicBool,
}

#[derive(Debug)]
struct KeptWindow {
    id: u64,
    dropped: Option<Window>,
    /// Address and length of each rank's part, if it is that of a shared array.
    parts: WindowParts,
}

impl Lasting {
    pub fn new(communicator: Arc<OwnCommunicator>) -> Self {
        Self {
            meetings: Meetings::new(communicator),
            pages: OnceLock::new(),
            memory: OnceCell::new(),
            windows: RefCell::default(),
            made: Cell::new(0),
            arrays: AtomicUsize::new(0),
            is_in_call: AtomicBool::new(false),
        }
    }

    pub fn pages(&self) -> Option<&Arc<NodePages>> {
        self.pages.get()
    }

    pub fn meet(&self) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        match self.pages().filter(|pages| pages.is_open()) {
            Some(pages) if pages.far().is_none() => pages.meet(),
            Some(pages) => self.meetings.meet(pages.set_up()?, || pages.serve_together()),
            None => self.meetings.meet(0, || Ok(())),
        }
    }

    #[expect(clippy::arc_with_non_send_sync, reason = "as for the context itself")]
    pub fn set_pages(&self, node: &Result<OwnCommunicator, Error>) -> Result<(), Error> {
        if self.pages.get().is_some() {
            return Ok(());
        }
        let own = self.meetings.communicator();
        let node = all_prepared(own, node.as_ref().map_err(Error::clone))?;
        let number = free_dropped(own)?;
        // No code above sets it.
        let _ = self.pages.set(Arc::new(NodePages::new(own, node, number)?));
        Ok(())
    }

    /// Publishes to this node's ranks alone that this one takes part in nothing any more.
    pub fn end_here(&self) {
        self.pages().into_iter().for_each(|pages| pages.end());
    }

    /// Publishes the same to the ranks of other nodes. Words to send are leaked.
    pub fn end_elsewhere(&self) -> Vec<Request> {
        match self.pages() {
            Some(pages) if pages.far().is_none() => Vec::new(),
            Some(pages) => self.meetings.end().into_iter().chain(pages.end_elsewhere()).collect(),
            None => self.meetings.end().into_iter().collect(),
        }
    }

    pub fn have_ended_here(&self) -> bool {
        let progress = || self.meetings.communicator().progress();
        self.pages().is_none_or(|pages| pages.have_all_ended()) || progress().is_err()
    }

    /// Returns `true` if all ranks of this node free the windows when MPI ends, else none does.
    /// Threads that cannot free them call it before [`end_here`](Self::end_here), and the others after it.
    pub fn frees_windows(&self) -> bool {
        let frees = |pages: &Arc<NodePages>| pages.frees_windows(self.meetings.is_ours());
        self.pages().is_some_and(|pages| pages.is_open() && frees(pages))
    }

    /// Notes a window that all ranks have made, and returns its number from 1 on: the same on all.
    pub fn note_window(&self, parts: WindowParts) -> u64 {
        let id = self.made.get() + 1;
        self.made.set(id);
        self.windows.borrow_mut().push(KeptWindow { id, dropped: None, parts });
        id
    }

    /// Returns a rank's part of a shared array, dropped or not, that some rank still has; an empty one
    /// for number 0.
    pub fn part(&self, array: u64, rank: usize) -> *const [u8] {
        let windows = self.windows.borrow();
        let window = windows.iter().find(|window| array != 0 && window.id == array);
        let part = window.and_then(|window| window.parts.get(rank).copied());
        let (start, len) = part.unwrap_or(([].as_mut_ptr(), 0));
        ptr::slice_from_raw_parts(start.cast_const(), len)
    }

    pub fn has_arrays(&self) -> bool {
        !self.windows.borrow().is_empty()
    }

    /// Keeps a dropped window, because freeing it would wait for the other ranks.
    pub fn drop_window(&self, id: u64, window: Window) {
        let mut windows = self.windows.borrow_mut();
        if let Some(kept) = windows.iter_mut().find(|other| other.id == id) {
            kept.dropped = Some(window);
        }
    }

    /// Frees the windows that all ranks have dropped. Collective.
    pub fn free_windows(&self) -> Result<(), Error> {
        let mut windows = self.windows.borrow_mut();
        if windows.is_empty() {
            return Ok(());
        }
        let mut dropped: Vec<u64> =
            windows.iter().map(|window| u64::from(window.dropped.is_some())).collect();
        self.meetings.communicator().minima_of(&mut dropped)?;
        for (window, by_all) in windows.iter_mut().zip(&dropped) {
            window.dropped.take_if(|_| *by_all != 0).into_iter().for_each(Window::free);
        }
        let mut by_all = dropped.into_iter();
        windows.retain(|_| by_all.next() == Some(0));
        Ok(())
    }

    /// Returns `true` if windows are left to free. On the thread of the plans.
    pub fn holds_windows(&self) -> bool {
        let memory = self.memory.get().and_then(Option::as_ref);
        let pages = self.pages().is_some_and(|pages| pages.is_open());
        memory.is_some_and(NodeMemory::is_open) || pages || !self.windows.borrow().is_empty()
    }

    /// Names something of this rank that goes with MPI and that it still uses.
    pub fn in_use(&self) -> Option<&'static str> {
        if self.arrays.load(Ordering::Relaxed) > 0 {
            return Some("a shared array lives");
        }
        self.is_in_call.load(Ordering::Relaxed).then_some("a move is under way")
    }

    /// Frees all windows before all ranks finalise MPI: contexts in the order in which ranks made
    /// them. Open MPI 4.1 frees windows in `MPI_Finalize` by numbers, which differ between ranks,
    /// and waits for ever.
    pub fn free_together(&self) {
        self.memory.get().into_iter().flatten().for_each(NodeMemory::close);
        self.windows.take().into_iter().filter_map(|kept| kept.dropped).for_each(Window::free);
        if let Some(pages) = self.pages() {
            pages.close();
        }
    }
}

/// Bytes of all chunks of a node with many ranks: the chunks that a rank writes and reads should
/// stay in its second cache. With few ranks, slots have the maximal length.
const NODE_BYTES: usize = 32 << 20;

/// The shortest chunk that is worth a round.
const LEAST_CHUNK_BYTES: usize = 16 << 10;

/// Memory that the ranks of a node move arrays through, until they free it together, or MPI is
/// finalised: chunks stay in a cache.
#[derive(Debug)]
pub(super) struct NodeMemory {
    slots: Slots,
    window: RefCell<Option<Window>>,
}

impl NodeMemory {
    /// Makes slots for the ranks of each node. `None` if a rank of any has no memory. Collective.
    pub fn for_slots(all: &OwnCommunicator, node: &OwnCommunicator) -> Option<Self> {
        let slot = slot_bytes(node.size());
        let bytes = Slots::part_bytes(slot, node.size());
        // SAFETY: each part has that many bytes from a multiple of a page on. It is in a window of
        // these ranks alone, all of which come here. The window is closed when no rank has a plan
        // of them any more (`Context::close`), and forgotten otherwise. Chunks do not outlive
        // moves, in which MPI is not finalised (`Lasting::in_use`), and no move begins after. No
        // rank goes on before all have met in `on_pages`, the window synchronised.
        let slots = |parts: WindowParts| unsafe {
            Slots::new(slot, parts.into_iter().map(|(part, _)| part).collect(), node.rank())
        };
        let (window, slots) = Window::on_pages(all, node, bytes, slots).ok()?;
        Some(Self { slots, window: RefCell::new(Some(window)) })
    }

    pub fn slots(&self) -> Option<&Slots> {
        self.is_open().then_some(&self.slots)
    }

    pub fn is_open(&self) -> bool {
        self.window.borrow().is_some()
    }

    pub fn close(&self) {
        self.window.take().into_iter().for_each(Window::free);
    }
}

pub(super) fn bytes_among(ranks: usize) -> usize {
    Slots::part_bytes(slot_bytes(ranks), ranks)
}

fn slot_bytes(ranks: usize) -> usize {
    (NODE_BYTES / SLOTS / ranks).clamp(LEAST_CHUNK_BYTES, MAX_SLOT_BYTES) / PAGE * PAGE
}
