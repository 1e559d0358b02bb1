//! A rank's steps in terms of its messages.

use super::Proposal;
use crate::program::{Envelope, Step};

/// What a rank does in one step, by the numbers of its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Turn {
    /// The outgoing message that it sends.
    pub send: Option<usize>,
    /// The incoming message that it receives.
    pub receive: Option<usize>,
}

/// The steps of a proposal; `None` where all messages go at once.
///
/// # Panics
/// If a step names a rank that no message goes to or comes from, or the steps leave out or repeat a message: whoever
/// made the schedule is wrong, and messages would be lost.
pub(super) fn turns(proposal: &Proposal<'_>) -> Option<Vec<Turn>> {
    let steps = proposal.steps?;
    let (sends, receives) = (Places::of(proposal.outgoing), Places::of(proposal.incoming));
    let turn = |step: &Step| Turn {
        send: step.send.map(|rank| sends.place(rank)),
        receive: step.receive.map(|rank| receives.place(rank)),
    };
    let turns: Vec<Turn> = steps.iter().map(turn).collect();
    sends.assert_each_once(turns.iter().filter_map(|turn| turn.send));
    receives.assert_each_once(turns.iter().filter_map(|turn| turn.receive));
    Some(turns)
}

/// Where in a list of messages that of a rank is: sorted by rank.
struct Places(Vec<(usize, usize)>);

impl Places {
    fn of(envelopes: &[Envelope]) -> Self {
        let mut places: Vec<_> = envelopes.iter().enumerate().map(|(place, message)| (message.rank, place)).collect();
        places.sort_unstable();
        Self(places)
    }

    fn place(&self, rank: usize) -> usize {
        match self.0.binary_search_by_key(&rank, |(rank, _)| *rank) {
            Ok(found) => self.0[found].1,
            Err(_) => panic!("the schedule has a message with rank {rank}, but the plan has none"),
        }
    }

    fn assert_each_once(&self, named: impl Iterator<Item = usize>) {
        let mut seen = vec![0usize; self.0.len()];
        named.for_each(|place| seen[place] += 1);
        let wrong = self.0.iter().find(|(_, place)| seen[*place] != 1);
        assert!(wrong.is_none(), "the schedule has not each message once: {wrong:?} of (rank, message)");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Digest;
    use crate::plan::schedule::Method;

    const OUT: [Envelope; 2] = [Envelope { rank: 5, len: 1 }, Envelope { rank: 3, len: 2 }];
    const IN: [Envelope; 1] = [Envelope { rank: 4, len: 7 }];

    fn turns_of(steps: Option<&[Step]>) -> Option<Vec<Turn>> {
        let (digest, method) = (Digest(0), Method::Caterpillar);
        let element = crate::element::ElementType::of::<u8>();
        let description = format_args!("");
        turns(&Proposal { element, digest, description, method, steps, outgoing: &OUT, incoming: &IN })
    }

    fn step(send: Option<usize>, receive: Option<usize>) -> Step {
        Step { send, receive }
    }

    #[test]
    fn steps_name_messages() {
        let turns = turns_of(Some(&[step(Some(3), None), step(Some(5), Some(4))]));
        let expected = [Turn { send: Some(1), receive: None }, Turn { send: Some(0), receive: Some(0) }];
        assert_eq!(turns.unwrap(), expected);
        assert_eq!(turns_of(None), None);
    }

    #[test]
    #[should_panic(expected = "not each message once: Some((5, 0))")]
    fn no_message_is_left_out() {
        turns_of(Some(&[step(Some(3), Some(4))]));
    }

    #[test]
    #[should_panic(expected = "a message with rank 9")]
    fn no_message_is_made_up() {
        turns_of(Some(&[step(Some(9), None)]));
    }
}
