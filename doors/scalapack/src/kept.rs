//! The plans of each communicator, until BLACS frees it. Each communicator keeps a number, as an
//! attribute of MPI: a reused handle finds no other grid's plans. Plans stay with the thread that
//! calls BLACS.

use crate::moves::Move;
use crate::plans::Plans;
use redist_mpi::{Attribute, Communicator, Error, Key};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::rc::Rc;
use std::sync::Arc;

pub(crate) type Shared = Rc<RefCell<Plans<Move>>>;

thread_local! {
    /// By serial number. Plans outlive the program's end: MPI may not be callable then.
    static PLANS: ManuallyDrop<RefCell<BTreeMap<u64, Shared>>> =
        const { ManuallyDrop::new(RefCell::new(BTreeMap::new())) };
}

static KEY: Key<Serial> = Key::new();

struct Serial(u64);

impl Attribute for Serial {
    /// Drops the plans when all ranks free the communicator.
    fn deleted(self: Arc<Self>) {
        let gone = PLANS.with(|plans| plans.borrow_mut().remove(&self.0));
        drop(gone);
    }
}

pub(crate) fn plans(serial: u64) -> Option<Shared> {
    PLANS.with(|plans| plans.borrow().get(&serial).map(Rc::clone))
}

/// Makes room for a new communicator's plans. Local. Libraries free the last kept value first.
pub(crate) fn keep(communicator: &Communicator, serial: u64) -> Result<Shared, Error> {
    KEY.keep(communicator, Arc::new(Serial(serial)))?;
    let made = Shared::new(RefCell::new(Plans::new()));
    PLANS.with(|plans| plans.borrow_mut().insert(serial, Rc::clone(&made)));
    Ok(made)
}
