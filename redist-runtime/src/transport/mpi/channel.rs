//! Repeated moves between processes. Ranks of a node move elements in the memory that they share
//! (`near.rs`), or by messages if one has only begun the move; ranks of different nodes send
//! messages. A rank exchanges nothing with ranks that it has no elements for, unless all ranks have
//! to agree. Unsafe, because it reads other ranks' memory.

use super::context::ContextUse;
use super::forgotten::ForgottenMove;
use super::gateway::Gateway;
use super::inbox::Inbox;
use super::life::{check_that_mpi_is_there, is_over};
use super::near::{NodeEnd, recognised, shared};
use super::node::NodeBoard;
use super::posting::Posting;
use super::reason::{panicked, refusing};
use super::segments::Cut;
use super::tags::TaggedCommunicator;
use super::transfers::Transfers;
use super::vote::{Vote, VoteSubject};
use crate::error::Error;
use crate::program::StridedArrays;
use crate::transport::board::{Board, Progress};
use crate::transport::wire::{HEAD_BYTES, Head};
use crate::transport::{
    Access, Arrays, Channel, ChannelFacts, GoesOn, LentArrays, Messages, Messaging, Options,
    Outbox, Pull, Pulls, Rooms, Senders, Way,
};
use std::cell::UnsafeCell;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

/// One rank's end of the moves of a plan over MPI.
#[derive(Debug)]
pub(super) struct MpiChannel {
    near: NodeEnd,
    options: Options,
    /// Empty until messages are prepared.
    transfers: Transfers,
    gateway: Option<Gateway>,
    /// This rank's messages are counted in the gateway in this move.
    is_counted: bool,
    /// Messages are under way, or have been, in this move.
    has_transfers: bool,
    /// This rank has received what other ranks send in a move that fails.
    is_drained: bool,
    /// The vote of all ranks, over several nodes, on a move in which all learn of a fault.
    vote: Vote,
    /// Its outcome is not known to this rank.
    votes: bool,
    lent: LentArrays,
}

impl MpiChannel {
    pub fn new(
        near: NodeEnd,
        gateway: Option<Gateway>,
        options: Options,
        communicator: TaggedCommunicator,
    ) -> Self {
        let vote = Vote::on(near.context.communicator());
        Self {
            lent: LentArrays::new(near.context.communicator().size()),
            near,
            options,
            transfers: Transfers::new(&Messages::default(), &|_| Cut::default(), &[], communicator),
            gateway,
            is_counted: false,
            has_transfers: false,
            is_drained: false,
            vote,
            votes: false,
        }
    }

    fn progress(&self) -> &Progress<NodeBoard> {
        &self.near.progress
    }

    /// Returns `true` if all ranks of several nodes vote on this move.
    fn is_joint(&self) -> bool {
        let is_asked = self.options.collectively || self.progress().is_among_several();
        is_asked && self.progress().board.pages.far().is_some()
    }

    fn begin_round(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        if self.progress().under_way {
            self.end_forgotten();
        }
        let call = self.progress().call()?;
        if call.is_none() {
            // Receivers that have failed in the round before get no messages of this round.
            self.progress().wait_to_come(&self.progress().partners.receivers);
        }
        self.near.progress.begin(call, ready);
        (self.near.slots.sends, self.near.slots.is_open) = (false, false);
        (self.has_transfers, self.is_drained, self.is_counted) = (false, false, false);
        self.begin_elsewhere()
    }

    /// Publishes to other nodes that this rank takes part, and why it is not ready.
    fn begin_elsewhere(&mut self) -> Result<(), Error> {
        let call = self.progress().current_call();
        if self.progress().board.pages.far().is_none() {
            return Ok(());
        }
        let votes = self.is_joint();
        if votes && let Err(error) = self.near.context.agreements.check_vote() {
            let ready = &mut self.near.progress.ready;
            *ready = ready.clone().and(Err(error));
        } else if votes {
            let (agreements, ready) = (&self.near.context.agreements, &self.near.progress.ready);
            self.near.progress.board.pages.note_vote(call.number());
            agreements.begin(&mut self.vote, VoteSubject::Move(call), ready)?;
            self.votes = true;
        }
        let progress = &self.near.progress;
        if let Err(error) = &progress.ready
            && !self.transfers.is_empty()
        {
            let (number, head) =
                (progress.number(), refusing(progress.number(), progress.rank, error));
            self.wait_for_refused()?;
            self.transfers.refuse(number, head)?;
            self.count(head)?;
        }
        Ok(())
    }

    /// Waits until receivers on other nodes are not far behind with the refusals of earlier moves.
    fn wait_for_refused(&mut self) -> Result<(), Error> {
        let NodeEnd { progress, .. } = &self.near;
        let pages = &progress.board.pages;
        while let (Some(behind), Some(far)) = (self.transfers.behind()?, pages.far()) {
            pages.serve()?;
            let (to, call) = behind;
            if far.absence(to, (progress.board.plan, call), true)?.is_some() {
                self.transfers.give_up_refusal(behind);
            }
            thread::yield_now();
        }
        Ok(())
    }

    /// Waits until the memory of a move before the last one is free, and receivers are not far behind.
    fn wait_for_room(&self, gateway: &Gateway) -> Result<(), Error> {
        let progress = &self.near.progress;
        let is_absent = |rank, call| progress.takes_no_part(rank, call);
        let user = || gateway.user(progress.buffer, is_absent);
        while progress.wait_until(user).is_err() {
            if is_over() {
                return Ok(());
            }
        }
        let pages = &progress.board.pages;
        while let (Some(behind), Some(far)) =
            (gateway.behind(&self.transfers.communicator)?, pages.far())
        {
            pages.serve()?;
            let (to, call) = behind;
            if far.absence(to, (progress.board.plan, call), true)?.is_some() {
                gateway.give_up(behind);
            }
            thread::yield_now();
        }
        Ok(())
    }

    /// Counts this rank's messages in the gateway, once in a move: with this head before each.
    fn count(&mut self, head: Head) -> Result<(), Error> {
        let progress = &self.near.progress;
        let Some(gateway) = self.gateway.as_ref().filter(|_| !self.is_counted) else {
            return Ok(());
        };
        self.wait_for_room(gateway)?;
        self.is_counted = true;
        let at = (progress.buffer, progress.current_call(), progress.number());
        // SAFETY: the turn's memory is free, as waited for. Rooms of this move borrow the channel,
        // and are gone.
        unsafe { gateway.count(&self.transfers.communicator, at, &head.bytes()) }
    }

    /// Waits for the vote of all ranks, if they vote in this move.
    fn wait_for_vote(&mut self) -> Result<(), Error> {
        if !mem::take(&mut self.votes) {
            return Ok(());
        }
        let context = &self.near.context;
        let call = self.near.progress.current_call();
        let serve = || self.near.progress.board.pages.serve_in_vote(call);
        match context.agreements.wait(&mut self.vote, serve)? {
            Some((rank, reason)) => Err(Error::PeerFailed { rank, reason }),
            None => Ok(()),
        }
    }

    /// Ends a move whose result no caller waits for.
    fn end_forgotten(&mut self) {
        if self.agree().is_ok() && self.all().is_ok() {
            self.end();
        }
    }

    fn end_round(&mut self, how: Result<(), Error>) -> Result<(), Error> {
        self.near.progress.under_way = false;
        if is_over() {
            return how;
        }
        if how.is_err() {
            // The library has failed otherwise, which ends the job.
            let _ = self.drain();
        }
        let agreed = self.wait_for_vote();
        self.near.leave_slots();
        self.progress().count(|rank| &rank.unpacked);
        how.and(agreed)
    }

    /// Receives the messages that senders send although the move fails for this rank, and cancels
    /// all further messages.
    fn drain(&mut self) -> Result<(), Error> {
        if mem::replace(&mut self.is_drained, true) {
            return Ok(());
        }
        self.progress().wait_to_come(&self.progress().partners.senders);
        let by_message = self.near.way.0 == Way::Messages;
        let sends =
            self.progress().ready.is_ok() && (self.progress().begun.is_some() || by_message);
        let Self { near, transfers, .. } = self;
        let progress = &near.progress;
        let comes = |rank| comes_from(near, by_message || sends, rank);
        if self.has_transfers {
            transfers.cancel(comes)?;
            // Its receivers get the data of a rank whose own senders are at fault.
            while sends && transfers.post_next(true)? {}
        } else if progress.partners.senders.iter().chain(&near.far.senders).any(|rank| comes(*rank))
        {
            transfers.restart(progress.number());
            transfers.receive(comes)?;
        }
        transfers.all(near)
    }

    /// Begins to receive messages from ranks that send some, once in a move.
    fn begin_transfers(&mut self) -> Result<(), Error> {
        if !mem::replace(&mut self.has_transfers, true) {
            let all = self.progress().begun.is_some() || self.near.way.0 == Way::Messages;
            let Self { near: NodeEnd { progress, .. }, transfers, .. } = self;
            transfers.restart(progress.number());
            let sends =
                |rank: usize| all || !progress.board.is_here(rank) || progress.sends_message(rank);
            if !self.is_drained {
                transfers.receive(sends)?;
            }
            let is_in =
                |rank: usize| !progress.board.is_here(rank) || !progress.has_refused_before(rank);
            transfers.send_to(|rank| all && is_in(rank));
        }
        Ok(())
    }

    /// Tells receivers of a panic that has left chunks out, and returns `true`, if one has.
    fn tell_of_missing_chunks(&self) -> bool {
        let NodeEnd { slots, packed, .. } = &self.near;
        let is_whole = match packed {
            Some(_) => slots.is_packed,
            None => slots.staged == slots.chunks,
        };
        let fails = slots.sends && !is_whole;
        if fails {
            self.progress().mark(|rank| &rank.failed);
        }
        fails
    }

    fn begins(&mut self, goes_on: GoesOn) {
        self.near.progress.begun = Some(goes_on);
        self.progress().mark(|rank| &rank.packs);
        self.near.slots.is_packed = false;
        self.progress().arrive();
    }
}

/// Returns `true` if a sender's message comes in a move that fails; `by_message` if near ones send
/// some in any case.
fn comes_from(near: &NodeEnd, by_message: bool, rank: usize) -> bool {
    let progress = &near.progress;
    let is_near = progress.board.is_here(rank);
    let sends = |rank| progress.is_in(rank) && (by_message || progress.sends_message(rank));
    rank != progress.rank && (!is_near || sends(rank))
}

impl Channel for MpiChannel {
    fn way(&self) -> (Way, &'static str) {
        self.near.way
    }

    fn facts(&self) -> ChannelFacts {
        let window = match self.near.way.0 {
            Way::Chunks | Way::Slots => self.near.slot_bytes(),
            _ => 0,
        };
        ChannelFacts { receives: true, messages: self.transfers.bytes(), window, head: HEAD_BYTES }
    }

    fn begin_call(&mut self, several: bool) -> Result<(), Error> {
        self.near.context.begin_call()?;
        // Ranks of several nodes vote instead.
        let is_one_node = self.progress().board.pages.far().is_none();
        let asks_all = is_one_node && self.near.way.0 == Way::Messages;
        self.near.progress.begin_call(several, asks_all);
        Ok(())
    }

    fn end_call(&mut self, left_out: Option<&Error>) {
        if self.progress().is_among_several() {
            // All ranks know of a vote, and of a rank that is not ready when it begins.
            let is_told =
                self.progress().refuses() || self.progress().is_known_to_fail() || self.is_joint();
            if let Some(error) = left_out.filter(|_| !is_told) {
                // Senders do not know yet, and send the messages of the next move.
                let begun = self.begin_round(Err(error.clone()));
                if begun.is_ok() {
                    self.progress().arrive();
                }
            }
            if self.progress().under_way && self.progress().ready.is_err() {
                let _ = self.drain();
            }
            self.near.progress.under_way &= self.progress().ready.is_ok() || left_out.is_none();
        }
        self.near.progress.end_call(left_out);
        self.near.context.end_call();
    }

    fn arrays(&self) -> Option<StridedArrays> {
        None
    }

    fn context(&self) -> Option<&ContextUse> {
        Some(&self.near.context)
    }

    fn slots(&mut self) -> Option<&mut NodeEnd> {
        if self.near.uses_slots() { Some(&mut self.near) } else { None }
    }

    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Access<'_>, Error> {
        let ready = ready.and_then(|()| recognised(arrays, &self.transfers.communicator));
        self.begin_round(ready)?;
        let sends_far = !self.near.far.receivers.is_empty();
        if sends_far && self.near.way.0 != Way::Messages && self.progress().ready.is_ok() {
            self.begins(GoesOn::WithSenders);
            return Ok(Access::Messages);
        }
        self.near.share(arrays, self.progress().ready.is_ok());
        if self.progress().ready.is_err() {
            return self.end_round(self.progress().ready.clone()).map(|()| Access::Messages);
        }
        if self.near.way.0 == Way::Messages {
            return Ok(Access::Messages);
        }
        if !self.near.far.senders.is_empty() && !self.transfers.is_empty() {
            self.begin_transfers()?;
        }
        self.near.progress.under_way = false;
        let shares_both = shared(arrays).iter().all(Option::is_some) && self.near.slots.shares;
        if !(self.progress().partners.divide && shares_both && self.near.all_share_both()) {
            return Ok(Access::Pulled(Pull::new(self)));
        }
        let Self { lent, near: NodeEnd { progress, context, .. }, .. } = &mut *self;
        let (progress, ranks) = (&*progress, || 0..context.communicator().size());
        let part =
            |rank: usize, array: &AtomicU64| context.part(array.load(Ordering::Relaxed), rank);
        let arrays = |rank: usize| &progress.marks(rank).arrays;
        lent.note(
            ranks().map(|rank| part(rank, &arrays(rank).source)),
            ranks().map(|rank| part(rank, &arrays(rank).destination) as *const [UnsafeCell<u8>]),
        );
        // SAFETY: this rank has counted itself as arrived, and so have all of the plan (release and
        // acquire), which are on one node (`divide`). Each reads the same marks, which no rank
        // changes before all have left the move: all are ready, and share both arrays. So each
        // comes to this line with its arrays borrowed, and drops the guard that is made here before
        // it uses them otherwise, as their callers promise. The guard waits until all have counted
        // themselves as through (release and acquire). The memory is there as long as a rank has
        // the array (`Context::forget_arrays`).
        Ok(Access::Lent(unsafe { self.lent.lent(&self.near.progress) }))
    }

    fn begin(&mut self, ready: Result<(), Error>, goes_on: GoesOn) -> Result<(), Error> {
        self.begin_round(ready)?;
        self.begins(goes_on);
        Ok(())
    }

    fn test(&mut self) -> Result<bool, Error> {
        check_that_mpi_is_there()?;
        let Self { near, transfers, vote, .. } = self;
        if near.progress.is_any_at_fault() {
            return Ok(true);
        }
        let senders = &near.progress.partners.senders;
        let have_come = near.progress.behind(senders, |rank| &rank.arrived).is_none()
            && vote.is_over(near.context.communicator())?;
        if !self.has_transfers {
            return Ok(have_come);
        }
        transfers.look(near)?;
        Ok(!transfers.progress(false)? && have_come)
    }

    fn agree(&mut self) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        let near = self.progress().agree(|rank| &rank.arrived);
        let near = near.and_then(|()| match self.progress().begun {
            // Senders of other nodes are known to be ready by their messages.
            Some(GoesOn::WithAll) if !self.near.far.senders.is_empty() => {
                self.transfers.all(&self.near).and_then(|()| self.transfers.check())
            }
            _ => Ok(()),
        });
        let agreed = near.and(self.wait_for_vote());
        if agreed.is_err() { self.end_round(agreed) } else { agreed }
    }

    fn end(&mut self) {
        let _ = self.end_round(Ok(()));
    }
}

impl ForgottenMove for MpiChannel {
    fn has_ended(&mut self) -> bool {
        let is_right = !self.progress().is_any_at_fault();
        match self.test() {
            Ok(false) => false,
            // It waits for none then.
            Ok(true) if is_right => {
                self.end_forgotten();
                true
            }
            _ => true,
        }
    }
}

impl Messaging for MpiChannel {
    fn prepare_messages(&mut self, messages: Arc<Messages>) {
        let NodeEnd { context, progress, packed, .. } = &mut self.near;
        let is_joined = self.gateway.is_some();
        let cut = |rank: usize| {
            let is_far = !progress.board.is_here(rank);
            let max_bytes = context.segment_bytes(&self.options, rank);
            Cut { max_bytes, is_far, is_joined: is_far && is_joined }
        };
        let parcels = self.gateway.as_ref().map_or(&[][..], |gateway| &gateway.arriving);
        let transfers =
            Transfers::new(&messages, &cut, parcels, self.transfers.communicator.clone());
        let last = mem::replace(&mut self.transfers, transfers);
        self.transfers.reuse(last);
        packed.iter_mut().for_each(|packed| packed.note_messages(&messages, progress));
    }

    fn begin_messages(&mut self) -> Result<Option<Outbox<'_>>, Error> {
        if self.progress().ready.is_err() {
            return Ok(None);
        }
        self.begin_transfers()?;
        if !self.progress().under_way {
            let progress = &self.near.progress;
            self.transfers
                .send_to(|rank| progress.board.is_here(rank) && progress.wants_message(rank));
        }
        if let Some(gateway) = self.gateway.as_ref().filter(|_| !self.is_counted) {
            self.wait_for_room(gateway)?;
        }
        let (buffer, posting) = Posting::begin(&mut self.transfers);
        let gateway = self.gateway.as_ref().filter(|_| !self.is_counted);
        // SAFETY: the turn's memory is free, as waited for. Rooms are made until messages are
        // counted, and those made before are gone, because they borrow the channel.
        let joined = gateway.map(|gateway| unsafe { gateway.rooms(self.near.progress.buffer) });
        Ok(Some(Outbox { rooms: Rooms { buffer, joined }, posting }))
    }

    fn send(&mut self) -> Result<(), Error> {
        if !self.has_transfers {
            return Ok(());
        }
        let (begun, under_way) = (self.progress().begun.is_some(), self.progress().under_way);
        let number = self.progress().number();
        self.count(Head { number, segments: 1, ..Head::default() })?;
        let Self { near, transfers, .. } = self;
        match begun || !under_way || !transfers.in_turn {
            true => while transfers.post_next(true)? {},
            false => transfers.post_in_turn()?,
        }
        // Receivers that have only begun the move are served when this rank is through with it.
        if under_way { Ok(()) } else { transfers.all(near) }
    }

    /// Sends empty segments in place of the rest.
    fn leave(&mut self) -> Result<(), Error> {
        let progress = &self.near.progress;
        let (rank, number) = (progress.rank, progress.number());
        if !progress.under_way && !self.transfers.is_empty() {
            if !mem::replace(&mut self.has_transfers, true) {
                self.transfers.restart(number);
            }
            self.transfers
                .send_to(|rank| progress.board.is_here(rank) && progress.wants_message(rank));
        }
        if self.has_transfers {
            self.count(panicked(number, rank))?;
            while self.transfers.post_next(false)? {}
            self.transfers.all(&self.near)?;
        }
        if mem::take(&mut self.near.progress.under_way) {
            self.near.leave_slots();
            self.progress().count(|rank| &rank.unpacked);
        }
        Ok(())
    }

    fn inbox(&mut self) -> Option<Inbox<'_>> {
        Some(Inbox::new(&mut self.transfers, &self.near))
    }

    fn all(&mut self) -> Result<(), Error> {
        let checked = self.transfers.all(&self.near).and_then(|()| self.transfers.check());
        if checked.is_err() && self.progress().under_way {
            self.end_round(checked)
        } else {
            checked
        }
    }

    fn message(&self, number: usize) -> Option<&[u8]> {
        let (sender, progress) = (self.transfers.sender(number), self.progress());
        let is_near = progress.board.is_here(sender);
        if sender != progress.rank && (!is_near || progress.sends_message(sender)) {
            return Some(self.transfers.message(number));
        }
        // SAFETY: this rank has waited for the sender's packed messages (`packed`), and drops the
        // slice before it leaves the move, which borrows the channel mutably.
        unsafe { self.near.in_slots(number) }
    }

    fn leave_behind(self: Box<Self>) {
        if self.progress().under_way && !is_over() {
            let context = ContextUse::clone(&self.near.context);
            context.forgotten.keep(self);
        }
    }
}

impl Pulls for MpiChannel {
    fn senders(&mut self) -> Result<(), Error> {
        let near = self.progress().senders_are_ready(|rank| &rank.arrived);
        near.and(self.wait_for_vote())
    }

    fn senders_give(&self) -> Senders {
        let NodeEnd { progress, packed, slots, far, way, .. } = &self.near;
        let senders = &progress.partners.senders;
        if way.0 == Way::Slots && self.near.uses_slots() && self.near.have_all() {
            return Senders::Packed;
        }
        let is_packed = |rank: usize| packed.is_some() && self.near.sender_stages(rank);
        let shares = |rank: &usize| self.near.sender_shares(*rank);
        if senders.iter().any(|rank| progress.sends_message(*rank) || is_packed(*rank))
            || packed.is_some() && !slots.shares
            || !far.senders.is_empty()
        {
            Senders::Mixed
        } else if slots.shares && senders.iter().all(shares) {
            Senders::Arrays
        } else if slots.shares || senders.iter().any(shares) {
            Senders::SomeArrays
        } else {
            Senders::Chunks
        }
    }

    unsafe fn sources(&mut self) -> &[&[u8]] {
        let Self { near: NodeEnd { progress, context, slots, .. }, lent, .. } = self;
        let mut senders = progress.partners.senders.iter().copied().peekable();
        let sources = (0..context.communicator().size()).map(|rank| {
            let is_sender = senders.next_if_eq(&rank).is_some();
            let is_own = rank == progress.rank && slots.shares;
            let shares = is_own || is_sender && !progress.sends_message(rank);
            let load = || progress.marks(rank).arrays.source.load(Ordering::Relaxed);
            context.part(if shares { load() } else { 0 }, rank)
        });
        lent.note(sources, std::iter::empty());
        // SAFETY: each of these senders has published its part of an array, and has only run the
        // move, as this rank has seen (release and acquire, `senders`). It keeps the part borrowed
        // until this rank has left (`Progress::is_a_message_wanted`), which it does when the borrow
        // that is returned has ended. The memory is there as long as a rank has the array
        // (`Context::forget_arrays`).
        unsafe { lent.sources() }
    }

    fn receive(&mut self) -> Result<(), Error> {
        let progress = self.progress();
        let sends = |rank: &usize| progress.sends_message(*rank);
        let has_near = progress.partners.senders.iter().any(sends);
        if !has_near && self.near.far.senders.is_empty() {
            return Ok(());
        }
        self.begin_transfers()?;
        // They may not have been known when messages of other nodes began to be received.
        let progress = &self.near.progress;
        self.transfers
            .receive(|rank| progress.board.is_here(rank) && progress.sends_message(rank))?;
        self.all()
    }

    fn is_a_message_wanted(&mut self) -> bool {
        let fails = self.tell_of_missing_chunks();
        self.near.slots.sends = false;
        self.near.slots.is_packed = false;
        self.near.leave_slots();
        self.progress().count(|rank| &rank.unpacked);
        // Receivers would take chunks of the next move for the chunks that are left out.
        let is_wanted = self.progress().is_a_message_wanted(self.near.slots.shares || fails);
        self.near.keep_readers();
        is_wanted
    }

    fn fail(&mut self) {
        // Senders of messages in turn may wait for ranks that wait for this rank's chunks, or for its
        // slots.
        self.tell_of_missing_chunks();
        self.near.leave_slots();
        let _ = self.drain();
    }
}

impl Drop for MpiChannel {
    /// Leaks what the library may still read or write.
    fn drop(&mut self) {
        if self.progress().under_way || is_over() {
            self.transfers.give_up();
        }
        if self.progress().under_way && !is_over() {
            self.near.leave_slots();
            self.progress().count(|rank| &rank.unpacked);
        }
        if self.vote.is_under_way() {
            self.near.context.agreements.give_up(&mut self.vote);
        }
    }
}
