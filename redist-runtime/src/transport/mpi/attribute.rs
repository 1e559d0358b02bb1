//! The context that serves a communicator of the user's: a context that these processes have
//! already, or a new one. Communicators keep theirs as an attribute, as MPI provides. Unsafe,
//! because the library keeps our pointers, and calls us back when a communicator is freed.

use super::communicator::OwnCommunicator;
use super::context::{Context, ContextUse};
use super::life::{abort_for, abort_if_others_wait, check_that_mpi_is_there, note_the_end, told};
use crate::error::Error;
use crate::transport::sync::lock;
use crate::transport::wire::{PREFLIGHT_WORDS, same_version};
use redist_mpi::{Attribute, Communicator, Flavour, Key, Operation};
use std::mem;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The attribute of communicators that holds their context.
static KEPT: Key<Kept> = Key::new();
/// The attribute of `MPI_COMM_SELF` by which this rank learns of the end of MPI.
static END: Key<End> = Key::new();

/// The contexts of this process, in the order in which it made them. A context without a user
/// serves the next communicator of its processes.
static CONTEXTS: Mutex<Vec<Listed>> = Mutex::new(Vec::new());

/// Contexts that serve no communicator any more. This rank has sent its last words there. It frees
/// their communicators when all ranks have. A word to a communicator that is freed ends its receiver
/// by signal 11, where Open MPI 4.1 has given the number to a smaller one.
static LEFT: Mutex<Vec<Listed>> = Mutex::new(Vec::new());

/// Most contexts without any owner beside the list. Older ones go when a further context is made.
const IDLE: usize = 16;

/// A share of a context for any thread.
#[derive(Clone)]
struct Listed(Arc<Context>);

// SAFETY: threads do with it what the docs of `Context` allow to all of them. They count it, read
// its lease and its number, and ask for a use, all of which is atomic, constant, or under a lock. In
// `End` and `retire` they call `end_here`, `end_elsewhere` and `have_far_ended`, which use constant
// data, atomics, locks and the library. No other thread may call that in `End`, and no other thread has
// the contexts of `retire`, which calls the library as its caller may. The last owner drops it:
// `take_idle` sees by the count (acquire) that nobody else has it, and a share in an attribute is
// never the last before MPI ends. After that, dropping does not call the library.
unsafe impl Send for Listed {}
// SAFETY: all that threads do with it, as the proof of `Send` lists, takes only a shared borrow.
unsafe impl Sync for Listed {}

/// Returns the context that serves a communicator of the user's, and the least of each of the
/// numbers over all ranks. Collective. Fails for an intercommunicator or another thread's
/// communicator, or if MPI fails or is finalised.
///
/// A communicator that is new to the ranks gets a context that all of them have without a user, and
/// in which all have made equally many calls. They agree on it by the reduction of the numbers, which
/// is of as many words in all versions.
pub(super) fn serving(
    communicator: &Communicator,
    numbers: &mut [u64; PREFLIGHT_WORDS],
) -> Result<ContextUse, Error> {
    check_that_mpi_is_there()?;
    if let Some(context) = known(communicator)? {
        context.set_up(numbers)?;
        return Ok(context);
    }
    let _setting_up = SettingUp::begin(communicator)?;
    // Another thread may just have set it up.
    match known(communicator)? {
        Some(context) => context.set_up(numbers).map(|()| context),
        None => agreed(communicator, numbers),
    }
}

/// Returns the context that a communicator keeps, if that still serves it.
fn known(communicator: &Communicator) -> Result<Option<ContextUse>, Error> {
    let Some(kept) = KEPT.kept(communicator).map_err(|why| told(0, why))? else { return Ok(None) };
    let Kept { context: Listed(context), lease } = &*kept;
    // All ranks have made the attribute together, and leases count what they have agreed on.
    if context.lease() != *lease {
        return Ok(None);
    }
    ContextUse::of_this_thread(context).map(Some).ok_or_else(other_thread)
}

/// Agrees on the context of a communicator, and keeps it there. Collective.
fn agreed(
    communicator: &Communicator,
    numbers: &mut [u64; PREFLIGHT_WORDS],
) -> Result<ContextUse, Error> {
    let candidate = candidate(communicator)?;
    let state = candidate
        .as_ref()
        .map_or([NONE; 2], |context| [context.pages.id(), context.pages.last_call()]);
    let mut mine: Vec<u64> = state.iter().flat_map(|word| [*word, !*word]).collect();
    mine.extend_from_slice(&*numbers);
    let mut least = mine.clone();
    let reduced = communicator
        .errors_returned()
        .and_then(|_returned| communicator.allreduce(&mine, &mut least, Operation::Min));
    // The other ranks go on.
    reduced.map_err(|why| told(communicator.rank(), why)).inspect_err(|error| {
        abort_for(communicator, error);
    })?;
    let (words, rest) = least.split_at(mine.len() - numbers.len());
    numbers.copy_from_slice(rest);
    // No other version makes the calls that follow.
    let is_of_ours = same_version(numbers[0], numbers[1]);
    is_of_ours.map_err(|error| error.told_by(communicator.rank()))?;
    let is_common = words.chunks(2).all(|both| both[0] == !both[1]) && words[0] != NONE;
    let context = match candidate {
        Some(context) if is_common => context,
        // Other ranks lack it, use it, or have made another number of calls in it.
        other => {
            other.into_iter().for_each(|context| prefer_others(context.shared()));
            new(OwnCommunicator::duplicate_of(communicator)?)?
        }
    };
    let (lease, shared) = (context.serve_next(), Listed(Arc::clone(context.shared())));
    let kept = Arc::new(Kept { context: shared, lease });
    KEPT.keep(communicator, kept).map_err(|why| told(0, why))?;
    Ok(context)
}

/// Stands for no context. MPICH 4.0 takes numbers from 2^63 on for negative ones, and so the
/// complements of these numbers, too. All ranks compare alike then.
const NONE: u64 = 0;

/// Returns the last context of these processes that has no user.
fn candidate(communicator: &Communicator) -> Result<Option<ContextUse>, Error> {
    let listed: Vec<Listed> = lock(&CONTEXTS).iter().rev().cloned().collect();
    for Listed(context) in listed {
        let Some(used) = ContextUse::of_this_thread(&context).filter(ContextUse::is_only) else {
            continue;
        };
        let own = used.communicator();
        if own.size() == communicator.size()
            && used.agreements.check_vote().is_ok()
            && communicator.has_the_ranks_of(own).map_err(|why| told(0, why))?
        {
            return Ok(Some(used));
        }
    }
    Ok(None)
}

/// Makes a context on our own communicator. Collective. Other ranks learn when this one finalises
/// MPI.
pub(super) fn new(communicator: OwnCommunicator) -> Result<ContextUse, Error> {
    retire();
    let context = Context::on(communicator)?;
    await_the_end()?;
    let used = ContextUse::of_this_thread(&context).expect("this thread has made it just now");
    lock(&CONTEXTS).push(Listed(context));
    Ok(used)
}

/// Leaves contexts that nothing else has, but for the last [`IDLE`], and drops those that all ranks
/// have left. Called when ranks set something up, because freeing a communicator is a collective call.
fn retire() {
    let idle = take_idle();
    for Listed(context) in &idle {
        // Ranks that have left before are known then.
        context.pages.have_far_ended();
        context.end_elsewhere(true);
    }
    let mut left = lock(&LEFT);
    left.extend(idle);
    let is_over = |listed: &mut Listed| listed.0.pages.have_far_ended() == [true; 2];
    let retired: Vec<Listed> = left.extract_if(.., is_over).collect();
    // Dropped without the lock.
    drop(left);
    drop(retired);
}

/// Takes the oldest contexts that nothing else has, but for the last [`IDLE`].
fn take_idle() -> Vec<Listed> {
    let mut contexts = lock(&CONTEXTS);
    let is_idle = |listed: &mut Listed| Arc::get_mut(&mut listed.0).is_some();
    let idle = contexts.iter_mut().map(|listed| usize::from(is_idle(listed))).sum::<usize>();
    let too_many = idle.saturating_sub(IDLE);
    contexts.extract_if(.., is_idle).take(too_many).collect()
}

/// Takes a context for older than all others, so that it is the last that serves a communicator.
fn prefer_others(context: &Arc<Context>) {
    let mut contexts = lock(&CONTEXTS);
    if let Some(at) = contexts.iter().position(|listed| Arc::ptr_eq(&listed.0, context)) {
        contexts[..=at].rotate_right(1);
    }
}

/// Handles of communicators whose contexts are agreed on now.
static SETTING_UP: Mutex<Vec<usize>> = Mutex::new(Vec::new());

/// This thread sets up the context of a communicator; no other one does.
struct SettingUp(usize);

impl SettingUp {
    fn begin(communicator: &Communicator) -> Result<Self, Error> {
        let (raw, mut all) = (communicator.as_raw(), lock(&SETTING_UP));
        if all.contains(&raw) {
            return Err(other_thread());
        }
        all.push(raw);
        Ok(Self(raw))
    }
}

impl Drop for SettingUp {
    fn drop(&mut self) {
        lock(&SETTING_UP).retain(|raw| *raw != self.0);
    }
}

fn other_thread() -> Error {
    Error::Unavailable {
        what: "a plan on this communicator".into(),
        reason: "plans of another thread are bound to it; give each thread a duplicate".into(),
    }
}

/// The context that a communicator keeps, and its lease at that time.
struct Kept {
    context: Listed,
    /// Lease of the context at that time: a later lease serves a later communicator.
    lease: u64,
}

impl Attribute for Kept {}

/// Sets an attribute on `MPI_COMM_SELF`, whose attributes are deleted before `MPI_Finalize` does
/// anything else (MPI-3.1, 8.7.1).
fn await_the_end() -> Result<(), Error> {
    static IS_AWAITED: Mutex<bool> = Mutex::new(false);
    let mut is_awaited = lock(&IS_AWAITED);
    if !mem::replace(&mut *is_awaited, true) {
        let alone = redist_mpi::this_rank().map_err(|why| told(0, why))?;
        END.keep(&alone, Arc::new(End)).map_err(|why| told(0, why))?;
    }
    Ok(())
}

/// The value of that attribute: the library deletes it at the beginning of `MPI_Finalize`.
struct End;

impl Attribute for End {
    /// Tells the ranks that may wait for this one, and waits for none.
    fn deleted(self: Arc<Self>) {
        if std::thread::panicking() {
            abort_if_others_wait();
        }
        let mut contexts = mem::take(&mut *lock(&CONTEXTS));
        contexts.iter().for_each(|listed| listed.0.end_here());
        contexts.iter().for_each(|listed| listed.0.end_elsewhere(false));
        contexts.extend(mem::take(&mut *lock(&LEFT)));
        make_progress(&contexts);
        note_the_end();
    }
}

/// Ends forgotten moves of this thread whose messages have come. Returns `true` if no other is left.
fn has_ended_moves(context: &Arc<Context>) -> bool {
    ContextUse::of_this_thread(context).is_none_or(|used| used.forgotten.end_some())
}

/// Longest time in which the library gets to receive the messages of forgotten moves, and to send and
/// take words of ranks of other launches. It waits for no rank.
const TO_SEND: Duration = Duration::from_millis(100);

/// Longest time in which MPICH's ranks of a node hear of each other's ends. A rank that has sent a
/// message that nobody receives would wait in `MPI_Finalize` for ever.
const TO_HEAR: Duration = Duration::from_secs(1);

/// Longest time in which the library gets to send and take the last words of ranks on other nodes. Its
/// `MPI_Finalize` waits for all these ranks in any case, but takes no words, and frees communicators
/// then. A word that comes while Open MPI 4.1 frees them ends the process by signal 11. A rank that ends
/// later than that sends its words while `MPI_Finalize` still waits for it here.
const TO_TAKE: Duration = Duration::from_secs(15);

/// Lets the library make progress until the words of ends have been sent and taken, or the time for
/// each sort of them is over.
fn make_progress(contexts: &[Listed]) {
    let begun = Instant::now();
    let is_mpich = redist_mpi::Library::get().is_ok_and(|found| found.flavour() == Flavour::Mpich);
    loop {
        let far = contexts.iter().map(|listed| listed.0.pages.have_far_ended());
        let [ours, others] = far.fold([true; 2], |all, one| [all[0] && one[0], all[1] && one[1]]);
        let are_received = contexts.iter().all(|listed| has_ended_moves(&listed.0));
        let is_heard = !is_mpich || contexts.iter().all(|listed| listed.0.pages.have_near_ended());
        let waits = [(are_received && others, TO_SEND), (is_heard, TO_HEAR), (ours, TO_TAKE)];
        if waits.iter().all(|(is_done, limit)| *is_done || begun.elapsed() >= *limit) {
            return;
        }
        std::thread::yield_now();
    }
}
