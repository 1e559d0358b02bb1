//! A rank's steps in terms of its messages.

use super::Messages;
use crate::program::{Envelope, Step};

/// What a rank does in one step, by the numbers of its messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct MessageStep {
    /// The outgoing message that it sends.
    pub send: Option<usize>,
    /// The incoming message that it receives.
    pub receive: Option<usize>,
}

/// The steps of a rank; `None` where all messages go at once.
///
/// # Panics
/// If a step names a rank that no message goes to or comes from, or the steps leave out or repeat a
/// message: the schedule is wrong then, and messages would be lost.
pub(super) fn by_message(messages: &Messages) -> Option<Vec<MessageStep>> {
    let steps = messages.steps.as_deref()?;
    let (sends, receives) =
        (Places::of(&messages.outgoing.envelopes), Places::of(&messages.incoming.envelopes));
    let step = |step: &Step| MessageStep {
        send: step.send.map(|rank| sends.place(rank)),
        receive: step.receive.map(|rank| receives.place(rank)),
    };
    let steps: Vec<MessageStep> = steps.iter().map(step).collect();
    sends.assert_each_once(steps.iter().filter_map(|step| step.send));
    receives.assert_each_once(steps.iter().filter_map(|step| step.receive));
    Some(steps)
}

/// Where in a list of messages that of a rank is: sorted by rank.
struct Places(Vec<(usize, usize)>);

impl Places {
    fn of(envelopes: &[Envelope]) -> Self {
        let mut places: Vec<_> =
            envelopes.iter().enumerate().map(|(place, message)| (message.rank, place)).collect();
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
        assert!(
            wrong.is_none(),
            "the schedule has not each message once: {wrong:?} of (rank, message)"
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transport::Lists;

    const OUT: [Envelope; 2] = [Envelope { rank: 5, len: 1 }, Envelope { rank: 3, len: 2 }];
    const IN: [Envelope; 1] = [Envelope { rank: 4, len: 7 }];

    fn steps_of(steps: Option<&[Step]>) -> Option<Vec<MessageStep>> {
        let (outgoing, incoming) = (Lists::new(&OUT, 1), Lists::new(&IN, 1));
        by_message(&Messages {
            outgoing,
            incoming,
            steps: steps.map(<[Step]>::to_vec),
            loops: Default::default(),
        })
    }

    fn step(send: Option<usize>, receive: Option<usize>) -> Step {
        Step { send, receive }
    }

    #[test]
    fn steps_name_messages() {
        let steps = steps_of(Some(&[step(Some(3), None), step(Some(5), Some(4))]));
        let expected = [
            MessageStep { send: Some(1), receive: None },
            MessageStep { send: Some(0), receive: Some(0) },
        ];
        assert_eq!(steps.unwrap(), expected);
        assert_eq!(steps_of(None), None);
    }

    #[test]
    #[should_panic(expected = "not each message once: Some((5, 0))")]
    fn no_message_is_left_out() {
        steps_of(Some(&[step(Some(3), Some(4))]));
    }

    #[test]
    #[should_panic(expected = "a message with rank 9")]
    fn no_message_is_made_up() {
        steps_of(Some(&[step(Some(9), None)]));
    }
}
