//! Messages of ranks that mean harm.

use crate::case::{Limits, case};
use arbitrary::{Result, Unstructured};
use redist::layout::Ranks;
use redist::{Layout, Side};
use redist_coupling::received::{
    ArrayPart, Claim, Notice, ProgramPart, can_meet, met, read_claim, read_greeting, read_notice,
    rounds, settled, settled_parts, written, written_claim, written_notice,
};
use redist_runtime::received::{
    Head, VERSION, Verdict, WireError, head, length, read_body, read_head,
};

/// Words of every body before its name and its plan.
const FIXED: usize = 9;

pub fn check_bytes(bytes: &[u8]) -> Result<()> {
    let mut bytes = Unstructured::new(bytes);
    match bytes.int_in_range(0..=5u8)? {
        0 => heads(&mut bytes)?,
        1 => bodies(&mut bytes)?,
        2 => {
            let words: Vec<u64> = bytes.arbitrary()?;
            let _ = (read_head(&words, bytes.arbitrary()?), read_body(&words));
            let said = bytes.arbitrary()?;
            assert!(length(said).is_ok_and(|length| length as u64 == said) || said > 1 << 26);
        }
        3 => {
            changed_greeting(&mut bytes)?;
            changed_claim(&mut bytes)?;
        }
        4 => {
            let rest = bytes.take_rest();
            greetings::<1>(rest);
            claims::<1>(rest);
        }
        _ => {
            let rest = bytes.take_rest();
            greetings::<2>(rest);
            claims::<2>(rest);
            notices(rest);
            message_head(rest);
        }
    }
    Ok(())
}

fn least(a: &[u64], b: &[u64]) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| *a.min(b)).collect()
}

/// Heads of two ranks, one of whose bodies may be wrong, other, or missing.
fn heads(bytes: &mut Unstructured<'_>) -> Result<()> {
    let [mine, theirs]: [Option<Vec<u64>>; 2] = bytes.arbitrary()?;
    let ranks = bytes.int_in_range(2..=9usize)?;
    let has_gaps: [bool; 2] = bytes.arbitrary()?;
    let mut theirs_said = head(1, ranks, theirs.as_deref(), has_gaps[1]);
    let version = VERSION + u64::from(bytes.arbitrary::<u8>()? % 2);
    (theirs_said[0], theirs_said[1]) = (version, !version);
    let mine_said = head(0, ranks, mine.as_deref(), has_gaps[0]);
    let read = read_head(&least(&mine_said, &theirs_said), ranks);
    let strided = has_gaps.iter().position(|has_gaps| *has_gaps);
    let alike = |body: &[u64]| Ok(Verdict::Alike { words: body.len(), strided });
    if version != VERSION {
        let expected = WireError::OtherVersion { theirs: version, ours: VERSION };
        assert_eq!(read, Err(expected));
        return Ok(());
    }
    match (mine, theirs) {
        (None, _) => assert_eq!(read, Ok(Verdict::Failed(0))),
        (_, None) => assert_eq!(read, Ok(Verdict::Failed(1))),
        (Some(a), Some(b)) if a == b => assert_eq!(read, alike(&a)),
        (Some(a), Some(b)) if a.len() != b.len() => assert_ne!(read, alike(&a)),
        _ => assert!(read.is_ok()),
    }
    Ok(())
}

/// Bodies of two ranks, also with lengths that fit.
fn bodies(bytes: &mut Unstructured<'_>) -> Result<()> {
    let mut mine: Vec<u64> = bytes.arbitrary()?;
    if mine.len() >= FIXED && bytes.arbitrary()? {
        let name = bytes.int_in_range(0..=mine.len() - FIXED)?;
        mine[2] = 8 * name as u64;
        mine[3] = (mine.len() - FIXED - name) as u64;
    }
    let mut theirs = mine.clone();
    let change: u64 = bytes.arbitrary()?;
    if !theirs.is_empty() {
        let at = bytes.choose_index(theirs.len())?;
        theirs[at] ^= change;
    }
    let complements = |words: &[u64]| words.iter().map(|word| !word).collect::<Vec<u64>>();
    let both = |words: &[u64]| [words, &complements(words)].concat();
    let read = read_body(&least(&both(&mine), &both(&theirs)));
    assert!(mine == theirs || read != Ok(None), "{mine:?} and {theirs:?} are told to be the same");
    assert!(mine != theirs || read.is_err() || read == Ok(None) || mine.len() < FIXED, "{mine:?}");
    Ok(())
}

/// Reads a greeting as it was meant; a changed one may be an error.
fn changed_greeting(bytes: &mut Unstructured<'_>) -> Result<()> {
    let case = case::<2>(bytes, Limits::small(2))?;
    let told = (case.from, bytes.arbitrary::<bool>()?.then_some(case.extents));
    let mut sent = written(&told).into_bytes();
    assert_eq!(read_greeting(&sent), Ok(told));
    let (at, with): (usize, Vec<u8>) = (bytes.choose_index(sent.len())?, bytes.arbitrary()?);
    let end = (at + bytes.int_in_range(0..=9usize)?).min(sent.len());
    sent.splice(at..end, with);
    greetings::<1>(&sent);
    greetings::<2>(&sent);
    Ok(())
}

/// Reads a claim as it was meant; a changed one may be an error.
fn changed_claim(bytes: &mut Unstructured<'_>) -> Result<()> {
    let case = case::<2>(bytes, Limits::small(2))?;
    let part = ArrayPart { at: [bytes.arbitrary()?; 2], extents: case.extents };
    let role = if bytes.arbitrary()? { Side::Source } else { Side::Destination };
    let part = ProgramPart { role, whole: [bytes.arbitrary()?; 2], part, layout: case.from };
    let claim = Claim { part, ranks: bytes.int_in_range(0..=99)?, element: "f64".into() };
    let mut sent = written_claim(&claim).into_bytes();
    assert_eq!(read_claim(&sent), Ok(claim));
    let (at, with): (usize, u8) = (bytes.choose_index(sent.len())?, bytes.arbitrary()?);
    sent[at] = with;
    claims::<2>(&sent);
    let [port, launch, obstacle]: [String; 3] = bytes.arbitrary()?;
    let notice = Notice { number: "a-1".into(), port, launch, obstacle };
    let mut sent = written_notice(&notice).into_bytes();
    assert!(matches!(read_notice(&sent), Ok(Some(_))));
    let at = bytes.choose_index(sent.len())?;
    sent[at] = bytes.arbitrary()?;
    notices(&sent);
    Ok(())
}

fn claims<const D: usize>(bytes: &[u8]) {
    let read = read_claim::<D>(bytes);
    let _ = read.as_ref().map_err(|error| error.clone().told_by(0).to_string());
    let Ok(claim) = read else { return };
    assert_eq!(read_claim(written_claim(&claim).as_bytes()), Ok(claim.clone()));
    common_part(claim.part.part);
    let other = |role, at, extents| {
        let part = ProgramPart { role, part: ArrayPart { at, extents }, ..claim.part };
        Some(Claim { part, ..claim.clone() })
    };
    let (whole, own) = (claim.part.whole, Some(claim.clone()));
    for role in [Side::Source, Side::Destination] {
        let half = other(role, [0; D], whole.map(|extent| extent / 2));
        for claims in
            [vec![own.clone(), half.clone()], vec![other(role, [0; D], whole), own.clone(), half]]
        {
            let Ok(met) = settled_parts(&claims) else { continue };
            assert_eq!(rounds(&met).concat().len(), met.len());
            assert!(met.iter().all(|met| !met.part.extents.contains(&0)));
        }
    }
}

fn message_head(bytes: &[u8]) {
    let Ok(head) = Head::read(bytes) else { return };
    assert_eq!(Head::read(&head.bytes()), Ok(head));
}

fn notices(bytes: &[u8]) {
    let Ok(Some(notice)) = read_notice(bytes) else { return };
    assert_eq!(read_notice(written_notice(&notice).as_bytes()), Ok(Some(notice.clone())));
    let _ = can_meet(&notice, &Notice::default());
}

/// Two parts' common part lies in both.
fn common_part<const D: usize>(part: ArrayPart<D>) {
    let parts = [part, ArrayPart { at: [3; D], extents: [1 << 40; D] }];
    let Some(both) = met(parts[0], parts[1]) else { return };
    for part in parts {
        for d in 0..D {
            assert!(both.extents[d] > 0 && both.at[d] >= part.at[d], "{part:?}");
            assert!(both.at[d] - part.at[d] + both.extents[d] <= part.extents[d], "{part:?}");
        }
    }
}

/// Reads greetings as they were written.
fn greetings<const D: usize>(bytes: &[u8]) {
    let read = read_greeting::<D>(bytes);
    let _ = read.as_ref().map_err(|error| error.clone().told_by(0).to_string());
    let Ok(told) = read else { return };
    assert_eq!(read_greeting(written(&told).as_bytes()), Ok(told));
    let own: Layout<D> = told.0.ranks(Ranks::From(1 << 20));
    for extents in [None, Some([7; D])] {
        let _ = settled([told, (own, extents)], 1 << 20, 1 << 21);
        let _ = settled([(own, extents), told], 1, usize::MAX);
    }
}
