//! The words by which ranks find out if all propose the same. A head of a fixed number of words
//! comes first, with a hash of everything. If heads agree, so do their lengths, and a body follows
//! with everything by value, because hashes may collide. Ranks learn the least of each word over
//! all of them. Each number's complement follows it, so the two minima show if all ranks passed the
//! same.

use super::{WireError, at_most, same_version, version_words};
use crate::plan::schedule::Method;
use crate::transport::{Options, Proposal, Route};

/// Words of a head: in all versions of the wire format.
pub const HEAD: usize = 16;

/// Most words of a body: layouts of millions of ranks fit.
const MAX_BODY: usize = 1 << 24;

/// Place in the head of the rank that could not prepare, after the version and its complement.
const UNPREPARED: usize = 2;

/// Place of the compared numbers, each before its complement.
const COMPARED: usize = 3;

/// Place of the rank whose local arrays are not dense.
const STRIDED: usize = 13;

/// Place of the kind of set-up, before its complement.
const KIND: usize = 14;

/// The set-up of a plan.
const OF_PLAN: u64 = 0;

/// The set-up of an array in shared memory.
const OF_ARRAY: u64 = 1;

/// Subjects of a body's first numbers.
const FIXED: [Subject; 9] = [
    Subject::Element,
    Subject::Element,
    Subject::Element,
    Subject::Plan,
    Subject::Method,
    Subject::Options,
    Subject::Options,
    Subject::Options,
    Subject::Options,
];

/// Places of the lengths of the name and of the plan among these.
const NAME_LENGTH: usize = 2;
const PLAN_LENGTH: usize = 3;

/// Subjects of differences, in the order in which ranks report them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Element,
    /// The plan: the elements, their sources and destinations.
    Plan,
    Method,
    Options,
}

const SUBJECTS: [Subject; 4] = [Subject::Element, Subject::Plan, Subject::Method, Subject::Options];

/// The result of all ranks' heads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The lowest rank that could not prepare.
    Failed(usize),
    /// Some ranks bind a plan, others make an array in shared memory.
    OtherSetup,
    /// This subject is not the same on all ranks, and later ones may not be.
    Differs(Subject),
    Alike {
        words: usize,
        /// The lowest rank whose local arrays are not dense.
        strided: Option<usize>,
    },
}

/// Returns a rank's head; no `body` if it could not prepare. Arrays are not dense if `has_gaps`.
pub fn head(rank: usize, ranks: usize, body: Option<&[u64]>, has_gaps: bool) -> [u64; HEAD] {
    let mut head = [0; HEAD];
    head[STRIDED] = if has_gaps { rank } else { ranks } as u64;
    head[..UNPREPARED].copy_from_slice(&version_words());
    head[UNPREPARED] = if body.is_none() { rank } else { ranks } as u64;
    let body = body.unwrap_or_default();
    let compared = SUBJECTS.map(|subject| hashed(subject, body)).into_iter();
    let compared = compared.chain([body.len() as u64]);
    for (number, at) in compared.zip((COMPARED..).step_by(2)) {
        head[at] = number;
        head[at + 1] = !number;
    }
    (head[KIND], head[KIND + 1]) = (OF_PLAN, !OF_PLAN);
    head
}

/// Returns the head of a rank that makes an array in shared memory.
pub fn array_head() -> [u64; HEAD] {
    let mut head = [0; HEAD];
    head[..UNPREPARED].copy_from_slice(&version_words());
    (head[KIND], head[KIND + 1]) = (OF_ARRAY, !OF_ARRAY);
    head
}

/// Returns `true` if all ranks make an array in shared memory, by the least words of all heads.
///
/// # Errors
/// A rank speaks another version.
pub fn read_array_head(least: &[u64; HEAD]) -> Result<bool, WireError> {
    same_version(least[0], least[1])?;
    Ok(are_of_kind(least, OF_ARRAY))
}

fn are_of_kind(least: &[u64; HEAD], kind: u64) -> bool {
    least[KIND] == kind && least[KIND + 1] == !kind
}

/// Hashes a body's words of a subject, by FNV-1a.
fn hashed(subject: Subject, body: &[u64]) -> u64 {
    let about = (0..body.len()).filter(|at| subject_of(*at, body) == subject);
    about.fold(0xcbf2_9ce4_8422_2325, |state, at| {
        body[at]
            .to_le_bytes()
            .into_iter()
            .fold(state, |state, byte| (state ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
    })
}

fn subject_of(at: usize, body: &[u64]) -> Subject {
    let name = body.get(NAME_LENGTH).map_or(0, |bytes| bytes.div_ceil(8));
    match FIXED.get(at) {
        Some(subject) => *subject,
        None if ((at - FIXED.len()) as u64) < name => Subject::Element,
        None => Subject::Plan,
    }
}

/// Reads the least words of all heads: the same result on all ranks.
///
/// # Errors
/// A rank speaks another version, or its words make no sense.
pub fn read_head(least: &[u64], ranks: usize) -> Result<Verdict, WireError> {
    let short = || WireError::Malformed(format!("a preflight of {} words", least.len()));
    let least: &[u64; HEAD] = least.try_into().map_err(|_| short())?;
    same_version(least[0], least[1])?;
    if !are_of_kind(least, OF_PLAN) {
        return Ok(Verdict::OtherSetup);
    }
    let unprepared = at_most("ranks", least[UNPREPARED], ranks)?;
    if unprepared < ranks {
        return Ok(Verdict::Failed(unprepared));
    }
    let agree = |place: usize| {
        let at = COMPARED + 2 * place;
        least[at] == !least[at + 1]
    };
    if let Some(place) = (0..SUBJECTS.len()).find(|place| !agree(*place)) {
        return Ok(Verdict::Differs(SUBJECTS[place]));
    }
    if !agree(SUBJECTS.len()) {
        return Err(WireError::Malformed("lengths that differ where hashes do not".into()));
    }
    let length = least[COMPARED + 2 * SUBJECTS.len()];
    let strided = Some(at_most("ranks", least[STRIDED], ranks)?).filter(|rank| *rank < ranks);
    Ok(Verdict::Alike { words: at_most("words", length, MAX_BODY)?, strided })
}

/// Returns everything that a rank proposes, by value.
pub fn body(proposal: &Proposal<'_>) -> Vec<u64> {
    let Proposal { element, method, options, numbers, .. } = proposal;
    let Options { route, max_message_bytes, max_bytes, max_tags, collectively } = options;
    let place = |found: Option<usize>| found.map_or(u64::MAX, |place| place as u64);
    let name = element.identity();
    let name = name.as_bytes();
    let mut body = vec![
        element.bytes() as u64,
        element.alignment() as u64,
        name.len() as u64,
        numbers.len() as u64,
        place(Method::ALL.iter().position(|other| other == method)),
        place(Route::ALL.iter().position(|other| other == route)) ^ u64::from(*collectively) << 32,
        // No rank has segments of no bytes.
        max_message_bytes.unwrap_or(0) as u64,
        *max_bytes as u64,
        *max_tags as u64,
    ];
    body.extend(name.chunks(8).map(|bytes| {
        let mut word = [0; 8];
        word[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(word)
    }));
    body.extend(numbers.iter());
    body
}

/// Returns the subject that differs between ranks: the same on all ranks. The words are the least
/// of all bodies, and then the least of all their complements.
pub fn read_body(least: &[u64]) -> Result<Option<Subject>, WireError> {
    let (words, complements) = least.split_at(least.len() / 2);
    let differs = |at: usize| words.get(at).zip(complements.get(at)).is_none_or(|(a, b)| *a != !b);
    if let Some(at) = (0..FIXED.len()).find(|at| differs(*at)) {
        return Ok(Some(FIXED[at]));
    }
    let name = at_most("words", words[NAME_LENGTH].div_ceil(8), MAX_BODY)?;
    let plan = at_most("words", words[PLAN_LENGTH], MAX_BODY)?;
    if !least.len().is_multiple_of(2) || words.len() != FIXED.len() + name + plan {
        let found = words.len();
        return Err(WireError::Malformed(format!("lengths of {name} and {plan} words in {found}")));
    }
    let first = (FIXED.len()..words.len()).find(|at| differs(*at));
    Ok(first.map(|at| subject_of(at, words)))
}

#[cfg(test)]
mod tests {
    use super::super::VERSION;
    use super::*;
    use crate::element::ElementType;
    use crate::transport::{MessageSizes, Partners};

    fn proposed(change: impl Fn(&mut Proposal<'_>, &mut Options)) -> Vec<u64> {
        let (mut options, numbers) = (Options::default(), [1, 1, 10, 20, u64::MAX]);
        let mut proposal = Proposal {
            element: ElementType::of::<u32>(),
            numbers: &numbers,
            description: format_args!(""),
            method: Method::AllAtOnce,
            arrays: &Default::default(),
            partners: &Partners::default,
            options: &Options::default(),
            sizes: MessageSizes::NEVER,
        };
        change(&mut proposal, &mut options);
        body(&Proposal { options: &options, ..proposal })
    }

    fn least(all: &[Vec<u64>]) -> Vec<u64> {
        (0..all[0].len()).filter_map(|at| all.iter().map(|words| words[at]).min()).collect()
    }

    fn compared(a: &[u64], b: &[u64]) -> Result<Option<Subject>, WireError> {
        let complements = |words: &[u64]| words.iter().map(|word| !word).collect::<Vec<_>>();
        read_body(&least(&[a, b, a].map(|words| [words, &complements(words)].concat())))
    }

    #[test]
    fn what_differs_is_found_by_value() {
        let same = proposed(|_, _| {});
        assert_eq!(compared(&same, &same), Ok(None));
        type Change = fn(&mut Proposal<'_>, &mut Options);
        let changes: [(Subject, Change); 9] = [
            (Subject::Element, |proposal, _| proposal.element = ElementType::of::<i32>()),
            (Subject::Element, |proposal, _| proposal.element = ElementType::of::<u64>()),
            (Subject::Plan, |proposal, _| proposal.numbers = &[1, 1, 10, 21, u64::MAX]),
            (Subject::Method, |proposal, _| proposal.method = Method::Koenig),
            (Subject::Options, |_, options| options.route = Route::Chunks),
            (Subject::Options, |_, options| options.max_message_bytes = Some(1000)),
            (Subject::Options, |_, options| options.max_bytes = 100),
            (Subject::Options, |_, options| options.max_tags = 4),
            (Subject::Options, |_, options| options.collectively = true),
        ];
        for (subject, change) in changes {
            assert_eq!(compared(&same, &proposed(change)), Ok(Some(subject)));
        }
    }

    #[test]
    fn lengths_of_bodies_have_to_fit() {
        let mut body = proposed(|_, _| {});
        body.pop();
        assert!(matches!(compared(&body, &body), Err(WireError::Malformed(_))));
        body[PLAN_LENGTH] = u64::MAX;
        assert!(matches!(compared(&body, &body), Err(WireError::TooLong { .. })));
        assert_eq!(read_body(&[]), Ok(Some(Subject::Element)));
    }

    #[test]
    fn heads_are_compared_and_bounded() {
        let of = |rank, body: Option<&[u64]>| head(rank, 4, body, false).to_vec();
        let read = |heads: &[Vec<u64>]| read_head(&least(heads), 4);
        let body = proposed(|_, _| {});
        let same = of(0, Some(&body));
        let alike = |strided| Ok(Verdict::Alike { words: body.len(), strided });
        assert_eq!(read(&[same.clone(), of(3, Some(&body))]), alike(None));
        let strided = |rank| head(rank, 4, Some(&body), true).to_vec();
        assert_eq!(read(&[strided(3), same.clone(), strided(2)]), alike(Some(2)));
        let failed = [of(2, None), same.clone(), of(1, None)];
        assert_eq!(read(&failed), Ok(Verdict::Failed(1)));
        for at in 0..body.len() {
            let mut other = body.clone();
            other[at] ^= 1;
            let subject = subject_of(at, &body);
            assert_eq!(read(&[same.clone(), of(1, Some(&other))]), Ok(Verdict::Differs(subject)));
        }
    }

    #[test]
    fn heads_of_other_versions_or_lengths_are_errors() {
        let same = head(0, 4, Some(&proposed(|_, _| {})), false);
        let read = |other: &[u64]| read_head(&least(&[same.to_vec(), other.to_vec()]), 4);
        let mut other = same;
        (other[0], other[1]) = (VERSION + 1, !(VERSION + 1));
        let versions = WireError::OtherVersion { theirs: VERSION + 1, ours: VERSION };
        assert_eq!(read(&other), Err(versions));
        let (mut length, at) = (same, COMPARED + 2 * SUBJECTS.len());
        (length[at], length[at + 1]) = (length[at] + 1, length[at + 1] - 1);
        assert!(matches!(read(&length), Err(WireError::Malformed(_))));
        (length[at], length[at + 1]) = (1 << 40, !(1 << 40));
        assert!(matches!(read_head(&length, 4), Err(WireError::TooLong { .. })));
        assert!(matches!(read_head(&same, 3), Err(WireError::TooLong { .. })));
        let mut strided = same;
        strided[STRIDED] = 5;
        assert!(matches!(read_head(&strided, 4), Err(WireError::TooLong { .. })));
        assert!(matches!(read_head(&same[..3], 4), Err(WireError::Malformed(_))));
    }

    #[test]
    fn plans_are_told_from_arrays_in_shared_memory() {
        let plan = head(0, 4, Some(&proposed(|_, _| {})), false);
        let of_both = |a: [u64; HEAD], b: [u64; HEAD]| std::array::from_fn(|at| a[at].min(b[at]));
        let array = array_head();
        assert_eq!(read_array_head(&of_both(array, array)), Ok(true));
        assert_eq!(read_array_head(&of_both(array, plan)), Ok(false));
        assert_eq!(read_head(&of_both(plan, array), 4), Ok(Verdict::OtherSetup));
        assert_eq!(read_head(&array, 4), Ok(Verdict::OtherSetup));
    }
}
