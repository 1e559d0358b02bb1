//! What all plans that are bound to one communicator share, made when the first of them is bound.

use super::attribute;
use super::communicator::OwnCommunicator;
use super::node;
use super::staging::Staging;
use crate::error::Error;
use crate::plan::schedule::CostModel;
use ::mpi::ffi::MPI_Comm;
use std::cell::{Cell, OnceCell};
use std::ffi::c_int;
use std::ops::Deref;
use std::sync::{Arc, Mutex, PoisonError};

/// A communicator of our own for the ranks of one of the user's, and what was found out about
/// these.
///
/// It is kept on the user's communicator as an attribute, and shared with channels and arrays; it
/// ends with the last of them all. It is not counted by `Rc`, since a communicator may be freed on
/// another thread than a plan was bound on.
#[derive(Debug)]
pub(super) struct Context {
    /// For what all ranks do together when they set something up.
    communicator: Arc<OwnCommunicator>,
    /// To move arrays through, once a plan has asked for it.
    staging: OnceCell<Option<Staging>>,
    /// The ranks that share memory with this one, in their order; or why the library cannot tell.
    node: Result<OwnCommunicator, Error>,
    tags: Mutex<Tags>,
    /// Whether ranks have run plans in different orders, so that no messages can be relied on.
    broken: Cell<bool>,
}

/// What channels are told apart by: no two share both communicator and tag, so that none gets
/// another's messages.
#[derive(Debug)]
struct Tags {
    communicator: Arc<OwnCommunicator>,
    next: c_int,
    last: c_int,
}

impl Tags {
    fn of(communicator: Arc<OwnCommunicator>) -> Result<Self, Error> {
        // Less than the largest number, which there would be no next one after.
        let last = communicator.largest_tag()?.min(c_int::MAX - 1);
        Ok(Self { communicator, next: 1, last })
    }
}

impl Context {
    /// The context of a communicator of the user's. Collective.
    ///
    /// # Safety
    /// `raw` is a live communicator.
    ///
    /// # Errors
    /// What the library says; or that it is an intercommunicator.
    pub unsafe fn of(raw: MPI_Comm) -> Result<Arc<Self>, Error> {
        // SAFETY: the caller vouches for the handle. What is kept on it, all ranks made together.
        if let Some(context) = unsafe { attribute::kept(raw) }? {
            return Ok(context);
        }
        // SAFETY: as above; every rank makes this call.
        let context = Self::on(unsafe { OwnCommunicator::duplicate(raw) }?)?;
        // SAFETY: as above.
        unsafe { attribute::keep(raw, Arc::clone(&context)) }?;
        Ok(context)
    }

    /// As [`Context::of`], on a communicator that is ours already.
    #[expect(
        clippy::arc_with_non_send_sync,
        reason = "what counts it may run on another thread, and only counts"
    )]
    pub fn on(communicator: OwnCommunicator) -> Result<Arc<Self>, Error> {
        // SAFETY: our communicator is alive, and all its ranks make this call.
        let node = unsafe { node::of(communicator.raw) };
        let communicator = Arc::new(communicator);
        let tags = Mutex::new(Tags::of(Arc::clone(&communicator))?);
        let broken = Cell::new(false);
        Ok(Arc::new(Self { communicator, staging: OnceCell::new(), node, tags, broken }))
    }

    /// For what all ranks do together.
    pub fn communicator(&self) -> &OwnCommunicator {
        &self.communicator
    }

    /// The ranks that share memory with this one, in their order.
    ///
    /// # Errors
    /// What the library said when it was asked.
    pub fn node(&self) -> Result<&OwnCommunicator, Error> {
        self.node.as_ref().map_err(Error::clone)
    }

    /// Gives up all later moves, as all ranks do.
    pub fn break_off(&self) {
        self.broken.set(true);
    }

    /// Whether all later moves have been given up.
    pub fn is_broken(&self) -> bool {
        self.broken.get()
    }

    /// Whether all ranks are on one node: the same on all.
    pub fn is_one_node(&self) -> bool {
        self.node.as_ref().is_ok_and(|node| node.size() == self.communicator.size())
    }

    /// What messages cost: shared memory, if all ranks are on one node, else a network. The same on
    /// all ranks.
    pub fn cost_model(&self) -> CostModel {
        if self.is_one_node() { CostModel::SHARED_MEMORY } else { CostModel::NETWORK }
    }

    /// Shared memory to move arrays through, where all ranks are on one node and the library has
    /// it. The same on all ranks, and collective when asked for the first time.
    pub fn staging(&self) -> Result<Option<&Staging>, Error> {
        if self.staging.get().is_none() {
            let staging = if self.is_one_node() {
                Staging::new(&self.communicator, self.node()?)?
            } else {
                None
            };
            // It is still empty: nothing above sets it.
            let _ = self.staging.set(staging);
        }
        Ok(self.staging.get().and_then(Option::as_ref).filter(|staging| !staging.is_closed()))
    }

    /// Gives that memory back; plans that moved arrays through it send messages from now on.
    /// Collective.
    pub fn close_staging(&self) {
        if let Some(Some(staging)) = self.staging.get() {
            staging.close();
        }
    }

    /// A communicator for a channel, with a tag of its own up to `max_tags`. Collective: all ranks
    /// count alike.
    #[expect(clippy::arc_with_non_send_sync, reason = "as for the context itself")]
    pub fn tagged(self: &Arc<Self>, max_tags: usize) -> Result<TaggedCommunicator, Error> {
        let mut tags = self.tags.lock().unwrap_or_else(PoisonError::into_inner);
        if tags.next as usize > max_tags.min(tags.last as usize) {
            *tags = Tags::of(Arc::new(self.communicator.again()?))?;
        }
        let tag = tags.next;
        tags.next += 1;
        Ok(TaggedCommunicator {
            communicator: Arc::clone(&tags.communicator),
            tag,
            context: Arc::clone(self),
        })
    }
}

/// A channel's communicator.
#[derive(Debug)]
pub(super) struct TaggedCommunicator {
    communicator: Arc<OwnCommunicator>,
    /// That of all its messages, and of no others on this communicator.
    pub tag: c_int,
    /// What it shares with other channels.
    pub context: Arc<Context>,
}

impl TaggedCommunicator {
    /// As it is shared with other channels.
    pub fn own(&self) -> Arc<OwnCommunicator> {
        Arc::clone(&self.communicator)
    }
}

impl Deref for TaggedCommunicator {
    type Target = OwnCommunicator;

    fn deref(&self) -> &OwnCommunicator {
        &self.communicator
    }
}
