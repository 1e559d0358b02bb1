//! Repeated moves between processes. Ranks of a node move elements in the memory that they share
//! (`near.rs`), or by messages if one has only begun the move; ranks of different nodes send
//! messages. A rank exchanges nothing with ranks that it has no elements for, unless all ranks have
//! to agree. Unsafe, because it reads other ranks' memory.

use super::context::Context;
use super::gateway::Gateway;
use super::life::{check_that_mpi_is_there, is_over};
use super::mail::{Inbox, Mail};
use super::near::{NearMove, recognised, shared};
use super::node::NodeBoard;
use super::pieces::Cut;
use super::reason::{panicked, refusing};
use super::tags::TaggedCommunicator;
use super::vote::{Vote, VoteSubject};
use crate::error::Error;
use crate::program::StridedArrays;
use crate::transport::board::{Board, Rounds};
use crate::transport::slots::Slots;
use crate::transport::wire::{HEAD_BYTES, Head};
use crate::transport::{
    Arrays, Channel, ChannelFacts, GoesOn, LentArrays, Messages, Messaging, Options, Outbox, Pull,
    Pulls, Rooms, Shape, Way,
};
use std::cell::UnsafeCell;
use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;

#[derive(Debug)]
pub(super) struct MpiChannel {
    near: NearMove,
    options: Options,
    /// Empty until messages are prepared.
    mail: Mail,
    gateway: Option<Gateway>,
    /// This rank's messages are counted in the gateway in this move.
    is_counted: bool,
    /// Messages are under way, or have been, in this move.
    has_mail: bool,
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
        near: NearMove,
        gateway: Option<Gateway>,
        options: Options,
        communicator: TaggedCommunicator,
    ) -> Self {
        let vote = Vote::on(near.context.communicator());
        Self {
            lent: LentArrays::new(near.context.communicator().size()),
            near,
            options,
            mail: Mail::new(&Messages::default(), &|_| Cut::default(), &[], communicator),
            gateway,
            is_counted: false,
            has_mail: false,
            is_drained: false,
            vote,
            votes: false,
        }
    }

    fn rounds(&self) -> &Rounds<NodeBoard> {
        &self.near.rounds
    }

    /// Returns `true` if all ranks of several nodes vote on this move.
    fn is_joint(&self) -> bool {
        let is_asked = self.options.collectively || self.rounds().is_among_several();
        is_asked && self.rounds().board.pages.far().is_some()
    }

    fn begin_round(&mut self, ready: Result<(), Error>) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        if self.rounds().under_way {
            self.end_forgotten();
        }
        let call = self.rounds().call()?;
        if call.is_none() {
            // Those that have failed in the round before receive no messages of this one.
            self.rounds().wait_to_come(&self.rounds().partners.receivers);
        }
        self.near.rounds.begin(call, ready);
        (self.near.slots.sends, self.near.slots.is_open) = (false, false);
        (self.has_mail, self.is_drained, self.is_counted) = (false, false, false);
        self.begin_elsewhere()
    }

    /// Publishes to other nodes that this rank takes part, and why it is not ready.
    fn begin_elsewhere(&mut self) -> Result<(), Error> {
        let call = self.rounds().current_call();
        if self.rounds().board.pages.far().is_none() {
            return Ok(());
        }
        let votes = self.is_joint();
        if votes && let Err(error) = self.near.context.lasting.meetings.check_vote() {
            let ready = &mut self.near.rounds.ready;
            *ready = ready.clone().and(Err(error));
        } else if votes {
            let (meetings, ready) = (&self.near.context.lasting.meetings, &self.near.rounds.ready);
            meetings.begin(&mut self.vote, VoteSubject::Move(call), ready)?;
            self.votes = true;
        }
        let rounds = &self.near.rounds;
        if let Err(error) = &rounds.ready
            && !self.mail.is_empty()
        {
            let head = refusing(call.number(), rounds.rank, error);
            self.mail.refuse(rounds.number(), head)?;
            self.count(head)?;
        }
        Ok(())
    }

    /// Waits until the memory of a move before the last one is free, and receivers are not far behind.
    fn wait_for_room(&self, gateway: &Gateway) -> Result<(), Error> {
        let rounds = &self.near.rounds;
        let is_absent = |rank, call| rounds.takes_no_part(rank, call);
        let user = || gateway.user(rounds.buffer, is_absent);
        while rounds.wait_until(user).is_err() {
            if is_over() {
                return Ok(());
            }
        }
        let pages = &rounds.board.pages;
        while let (Some(behind), Some(far)) =
            (gateway.behind(&self.mail.communicator)?, pages.far())
        {
            pages.serve()?;
            let (to, call) = behind;
            if far.absence(to, rounds.board.plan, call)?.is_some() {
                gateway.give_up(behind);
            }
            thread::yield_now();
        }
        Ok(())
    }

    /// Counts this rank's messages in the gateway, once in a move: with this head before each.
    fn count(&mut self, head: Head) -> Result<(), Error> {
        let rounds = &self.near.rounds;
        let Some(gateway) = self.gateway.as_ref().filter(|_| !self.is_counted) else {
            return Ok(());
        };
        self.wait_for_room(gateway)?;
        self.is_counted = true;
        let at = (rounds.buffer, rounds.current_call(), rounds.number());
        // SAFETY: the turn's memory is free, as waited for. Rooms of this move borrow the channel,
        // and are gone.
        unsafe { gateway.count(&self.mail.communicator, at, &head.bytes()) }
    }

    /// Waits for the vote of all ranks, if there is one in this move.
    fn wait_for_vote(&mut self) -> Result<(), Error> {
        if !mem::take(&mut self.votes) {
            return Ok(());
        }
        let context = &self.near.context;
        let serve = || self.near.rounds.board.pages.serve_together();
        match context.lasting.meetings.wait(&mut self.vote, serve)? {
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
        self.near.rounds.under_way = false;
        if is_over() {
            return how;
        }
        if how.is_err() {
            // The library has failed otherwise, which ends the job.
            let _ = self.drain();
        }
        let agreed = self.wait_for_vote();
        self.near.leave_slots();
        self.rounds().count(|rank| &rank.unpacked);
        how.and(agreed)
    }

    /// Receives the messages that senders send although the move fails for this rank, and cancels
    /// the others.
    fn drain(&mut self) -> Result<(), Error> {
        if mem::replace(&mut self.is_drained, true) {
            return Ok(());
        }
        self.rounds().wait_to_come(&self.rounds().partners.senders);
        let by_message = self.near.way.0 == Way::Messages;
        let sends = self.rounds().ready.is_ok() && (self.rounds().begun.is_some() || by_message);
        let Self { near, mail, .. } = self;
        let rounds = &near.rounds;
        let comes = |rank| comes_from(near, by_message || sends, rank);
        if self.has_mail {
            mail.cancel(comes)?;
            // Its receivers get the data of a rank whose own senders are at fault.
            while sends && mail.post_next(true)? {}
        } else if rounds.partners.senders.iter().chain(&near.far.senders).any(|rank| comes(*rank)) {
            mail.restart(rounds.number(), rounds.current_call().number());
            mail.receive(comes)?;
        }
        mail.all(near)
    }

    /// Begins to receive messages from ranks that send some, once in a move.
    fn begin_mail(&mut self) -> Result<(), Error> {
        if !mem::replace(&mut self.has_mail, true) {
            let all = self.rounds().begun.is_some() || self.near.way.0 == Way::Messages;
            let Self { near: NearMove { rounds, .. }, mail, .. } = self;
            mail.restart(rounds.number(), rounds.current_call().number());
            let sends =
                |rank: usize| all || !rounds.board.is_here(rank) || rounds.sends_message(rank);
            if !self.is_drained {
                mail.receive(sends)?;
            }
            let is_in =
                |rank: usize| !rounds.board.is_here(rank) || !rounds.has_refused_before(rank);
            mail.send_to(|rank| all && is_in(rank));
        }
        Ok(())
    }

    fn begins(&mut self, goes_on: GoesOn) {
        self.near.rounds.begun = Some(goes_on);
        self.rounds().mark(|rank| &rank.packs);
        self.near.slots.is_packed = false;
        self.rounds().arrive();
    }
}

/// Returns `true` if a sender's message comes in a move that fails; `by_message` if near ones send
/// some in any case.
fn comes_from(near: &NearMove, by_message: bool, rank: usize) -> bool {
    let rounds = &near.rounds;
    let is_near = rounds.board.is_here(rank);
    let sends = |rank| rounds.is_in(rank) && (by_message || rounds.sends_message(rank));
    rank != rounds.rank && (!is_near || sends(rank))
}

impl Channel for MpiChannel {
    fn way(&self) -> (Way, &'static str) {
        self.near.way
    }

    fn facts(&self) -> ChannelFacts {
        let context = &self.near.context;
        let window = match self.near.way.0 {
            Way::Chunks => context.slots().map_or(0, Slots::bytes),
            _ => 0,
        };
        ChannelFacts {
            receives: true,
            packs_slots: self.near.packed.is_some(),
            messages: self.mail.bytes(),
            window,
            head: self.rounds().board.pages.far().map_or(0, |_| HEAD_BYTES),
        }
    }

    fn begin_call(&mut self, several: bool) -> Result<(), Error> {
        self.near.context.begin_call()?;
        self.near.rounds.begin_call(several);
        Ok(())
    }

    fn end_call(&mut self, left_out: Option<&Error>) {
        if self.rounds().is_among_several() {
            // All ranks know of a vote.
            let is_told = self.rounds().refuses() || self.is_joint();
            if let Some(error) = left_out.filter(|_| !is_told) {
                // Senders do not know yet, and send the messages of the next move.
                let begun = self.begin_round(Err(error.clone()));
                if begun.is_ok() {
                    self.rounds().arrive();
                }
            }
            if self.rounds().under_way && self.rounds().ready.is_err() {
                let _ = self.drain();
            }
            self.near.rounds.under_way &= self.rounds().ready.is_ok() || left_out.is_none();
        }
        self.near.rounds.end_call(left_out);
        self.near.context.end_call();
    }

    fn arrays(&self) -> Option<StridedArrays> {
        None
    }

    fn context(&self) -> Option<&Arc<Context>> {
        Some(&self.near.context)
    }

    fn slots(&mut self) -> Option<&mut NearMove> {
        if self.near.uses_slots() { Some(&mut self.near) } else { None }
    }

    unsafe fn meet(
        &mut self,
        ready: Result<(), Error>,
        arrays: &mut Arrays<'_>,
    ) -> Result<Shape<'_>, Error> {
        let ready = ready.and_then(|()| recognised(arrays, &self.mail.communicator));
        self.begin_round(ready)?;
        let sends_far = !self.near.far.receivers.is_empty();
        if sends_far && self.near.way.0 != Way::Messages && self.rounds().ready.is_ok() {
            self.begins(GoesOn::WithSenders);
            return Ok(Shape::Messages);
        }
        self.near.share(arrays, self.rounds().ready.is_ok());
        if self.rounds().ready.is_err() {
            return self.end_round(self.rounds().ready.clone()).map(|()| Shape::Messages);
        }
        if self.near.way.0 == Way::Messages {
            return Ok(Shape::Messages);
        }
        if !self.near.far.senders.is_empty() && !self.mail.is_empty() {
            self.begin_mail()?;
        }
        self.near.rounds.under_way = false;
        let shares_both = shared(arrays).iter().all(Option::is_some) && self.near.slots.shares;
        if !(self.rounds().partners.divide && shares_both && self.near.all_share_both()) {
            return Ok(Shape::Pulled(Pull::new(self)));
        }
        let Self { lent, near: NearMove { rounds, context, .. }, .. } = &mut *self;
        let (rounds, ranks) = (&*rounds, || 0..context.communicator().size());
        let part = |rank: usize, array: &AtomicU64| {
            context.lasting.part(array.load(Ordering::Relaxed), rank)
        };
        let arrays = |rank: usize| &rounds.progress(rank).arrays;
        lent.note(
            ranks().map(|rank| part(rank, &arrays(rank).source)),
            ranks().map(|rank| part(rank, &arrays(rank).destination) as *const [UnsafeCell<u8>]),
        );
        // SAFETY: this rank has counted itself as arrived, and so have all of the plan (release and
        // acquire), which are on one node (`divide`). Each reads the same marks, which no rank
        // changes before all have left the move: all are ready, and share both arrays. So each
        // comes to this line with its arrays borrowed, and drops the guard that is made here before
        // it uses them otherwise, as their callers promise. The guard waits until all have counted
        // themselves as through (release and acquire). The windows are there as long as a rank has
        // the array.
        Ok(Shape::Lent(unsafe { self.lent.lent(&self.near.rounds) }))
    }

    fn begin(&mut self, ready: Result<(), Error>, goes_on: GoesOn) -> Result<(), Error> {
        self.begin_round(ready)?;
        self.begins(goes_on);
        Ok(())
    }

    fn test(&mut self) -> Result<bool, Error> {
        check_that_mpi_is_there()?;
        let Self { near, mail, vote, .. } = self;
        let senders = &near.rounds.partners.senders;
        if senders.iter().any(|rank| near.rounds.is_at_fault(*rank)) {
            return Ok(true);
        }
        let have_come = near.rounds.behind(senders, |rank| &rank.arrived).is_none()
            && vote.is_over(near.context.communicator())?;
        if !self.has_mail {
            return Ok(have_come);
        }
        mail.look(near)?;
        Ok(!mail.progress(false)? && have_come)
    }

    fn agree(&mut self) -> Result<(), Error> {
        check_that_mpi_is_there()?;
        let near = self.rounds().agree(|rank| &rank.arrived);
        let near = near.and_then(|()| match self.rounds().begun {
            // Senders of other nodes are known to be ready by their messages.
            Some(GoesOn::WithAll) if !self.near.far.senders.is_empty() => {
                self.mail.all(&self.near).and_then(|()| self.mail.check())
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

impl Messaging for MpiChannel {
    fn prepare_messages(&mut self, messages: Arc<Messages>) {
        let NearMove { context, rounds, packed, .. } = &mut self.near;
        let is_joined = self.gateway.is_some();
        let cut = |rank: usize| {
            let has_head = !rounds.board.is_here(rank);
            let max_bytes = context.piece_bytes(&self.options, rank);
            Cut { max_bytes, has_head, is_joined: has_head && is_joined }
        };
        let parcels = self.gateway.as_ref().map_or(&[][..], |gateway| &gateway.arriving);
        let mail = Mail::new(&messages, &cut, parcels, self.mail.communicator.clone());
        let last = mem::replace(&mut self.mail, mail);
        self.mail.reuse(last);
        packed.iter_mut().for_each(|packed| packed.note_messages(&messages, rounds));
    }

    fn begin_messages(&mut self) -> Result<Option<Outbox<'_>>, Error> {
        if self.rounds().ready.is_err() {
            return Ok(None);
        }
        self.begin_mail()?;
        if !self.rounds().under_way {
            let rounds = &self.near.rounds;
            self.mail.send_to(|rank| rounds.board.is_here(rank) && rounds.wants_message(rank));
        }
        if let Some(gateway) = self.gateway.as_ref().filter(|_| !self.is_counted) {
            self.wait_for_room(gateway)?;
        }
        let (buffer, posting) = self.mail.begin_packing();
        let gateway = self.gateway.as_ref().filter(|_| !self.is_counted);
        // SAFETY: the turn's memory is free, as waited for. Rooms are made until messages are
        // counted, and those made before are gone, because they borrow the channel.
        let joined = gateway.map(|gateway| unsafe { gateway.rooms(self.near.rounds.buffer) });
        Ok(Some(Outbox { rooms: Rooms { buffer, joined }, posting }))
    }

    fn send(&mut self) -> Result<(), Error> {
        if !self.has_mail {
            return Ok(());
        }
        let (begun, under_way) = (self.rounds().begun.is_some(), self.rounds().under_way);
        let call = self.rounds().current_call().number();
        self.count(Head { call, ..Head::default() })?;
        let Self { near, mail, .. } = self;
        match begun || !under_way || !mail.in_turn {
            true => while mail.post_next(true)? {},
            false => mail.post_in_turn()?,
        }
        // Receivers that have only begun the move are served when this rank is through with it.
        if under_way { Ok(()) } else { mail.all(near) }
    }

    /// Sends empty segments in place of the rest.
    fn leave(&mut self) -> Result<(), Error> {
        let rounds = &self.near.rounds;
        let (rank, call) = (rounds.rank, rounds.current_call().number());
        if !rounds.under_way && !self.mail.is_empty() {
            if !mem::replace(&mut self.has_mail, true) {
                self.mail.restart(rounds.number(), call);
            }
            self.mail.send_to(|rank| rounds.board.is_here(rank) && rounds.wants_message(rank));
        }
        if self.has_mail {
            self.count(panicked(call, rank))?;
            while self.mail.post_next(false)? {}
            self.mail.all(&self.near)?;
        }
        if mem::take(&mut self.near.rounds.under_way) {
            self.near.leave_slots();
            self.rounds().count(|rank| &rank.unpacked);
        }
        Ok(())
    }

    fn inbox(&mut self) -> Option<Inbox<'_>> {
        Some(Inbox::new(&mut self.mail, &self.near))
    }

    fn all(&mut self) -> Result<(), Error> {
        let checked = self.mail.all(&self.near).and_then(|()| self.mail.check());
        if checked.is_err() && self.rounds().under_way { self.end_round(checked) } else { checked }
    }

    fn message(&self, number: usize) -> Option<&[u8]> {
        let (sender, rounds) = (self.mail.sender(number), self.rounds());
        let is_near = rounds.board.is_here(sender);
        if sender != rounds.rank && (!is_near || rounds.sends_message(sender)) {
            return Some(self.mail.message(number));
        }
        // SAFETY: this rank has waited for the sender's packed messages (`packed`), and drops the
        // slice before it leaves the move, which borrows the channel mutably.
        unsafe { self.near.in_slots(number) }
    }
}

impl Pulls for MpiChannel {
    fn senders(&mut self) -> Result<(), Error> {
        let near = self.rounds().senders_are_ready(|rank| &rank.arrived);
        near.and(self.wait_for_vote())
    }

    fn has_messages(&self) -> bool {
        let NearMove { rounds, packed, slots, .. } = &self.near;
        let senders = &rounds.partners.senders;
        let is_packed = |rank: usize| packed.is_some() && self.near.sender_stages(rank);
        senders.iter().any(|rank| rounds.sends_message(*rank) || is_packed(*rank))
            || packed.is_some() && !slots.shares
            || !self.near.far.senders.is_empty()
    }

    fn has_arrays(&self) -> bool {
        let senders = &self.rounds().partners.senders;
        self.near.slots.shares || senders.iter().any(|rank| self.near.sender_shares(*rank))
    }

    fn has_all_arrays(&self) -> bool {
        let senders = &self.rounds().partners.senders;
        self.near.slots.shares && senders.iter().all(|rank| self.near.sender_shares(*rank))
    }

    unsafe fn sources(&mut self) -> &[&[u8]] {
        let Self { near: NearMove { rounds, context, slots, .. }, lent, .. } = self;
        let mut senders = rounds.partners.senders.iter().copied().peekable();
        let sources = (0..context.communicator().size()).map(|rank| {
            let is_sender = senders.next_if_eq(&rank).is_some();
            let is_own = rank == rounds.rank && slots.shares;
            let shares = is_own || is_sender && !rounds.sends_message(rank);
            let load = || rounds.progress(rank).arrays.source.load(Ordering::Relaxed);
            context.lasting.part(if shares { load() } else { 0 }, rank)
        });
        lent.note(sources, std::iter::empty());
        // SAFETY: each of these senders has published its part of an array, and has only run the
        // move, as this rank has seen (release and acquire, `senders`). It keeps the part borrowed
        // until this rank has left (`Rounds::is_a_message_wanted`), which it does when the borrow
        // that is returned has ended. The window is there as long as a rank has the array.
        unsafe { lent.sources() }
    }

    fn receive(&mut self) -> Result<(), Error> {
        let rounds = self.rounds();
        let sends = |rank: &usize| rounds.sends_message(*rank);
        let has_near = rounds.partners.senders.iter().any(sends);
        if !has_near && self.near.far.senders.is_empty() {
            return Ok(());
        }
        self.begin_mail()?;
        // They may not have been known when messages of other nodes began to be received.
        let rounds = &self.near.rounds;
        self.mail.receive(|rank| rounds.board.is_here(rank) && rounds.sends_message(rank))?;
        self.all()
    }

    fn is_a_message_wanted(&mut self) -> bool {
        let NearMove { slots, packed, .. } = &mut self.near;
        let is_whole = match packed {
            Some(_) => slots.is_packed,
            None => slots.staged == slots.chunks,
        };
        let fails = mem::take(&mut slots.sends) && !is_whole;
        if fails {
            // This rank panics in the middle.
            self.rounds().mark(|rank| &rank.failed);
        }
        self.near.slots.is_packed = false;
        self.near.leave_slots();
        self.rounds().count(|rank| &rank.unpacked);
        // Receivers would take chunks of the next move for those that are left out.
        let is_wanted = self.rounds().is_a_message_wanted(self.near.slots.shares || fails);
        self.near.keep_readers();
        is_wanted
    }

    fn fail(&mut self) {
        let _ = self.drain();
    }
}

impl Drop for MpiChannel {
    /// Ends a forgotten move, which no rank completes any more.
    fn drop(&mut self) {
        if self.rounds().under_way && !is_over() {
            self.end_forgotten();
        }
        if is_over() {
            self.mail.give_up();
        }
        if self.vote.is_under_way() {
            self.near.context.lasting.meetings.give_up(&mut self.vote);
        }
    }
}
