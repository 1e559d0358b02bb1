//! Claims are read without trust, and every pair of parts that meets is found.

use super::*;

fn part(at: [usize; 2], extents: [usize; 2]) -> ArrayPart<2> {
    ArrayPart { at, extents }
}

fn claim(role: Side, part: ArrayPart<2>) -> Option<Claim<2>> {
    let layout = "(block, *) onto 2".parse().unwrap();
    let part = ProgramPart { role, whole: [13, 11], part, layout };
    Some(Claim { part, ranks: 2, element: "u64, 8 bytes, aligned to 8".into() })
}

fn holds(at: [usize; 2], extents: [usize; 2]) -> Option<Claim<2>> {
    claim(Side::Source, part(at, extents))
}

fn wants(at: [usize; 2], extents: [usize; 2]) -> Option<Claim<2>> {
    claim(Side::Destination, part(at, extents))
}

#[test]
fn what_is_written_is_read() {
    for claim in [holds([3, 0], [10, 11]), wants([0, 2], [0, usize::MAX])] {
        let claim = claim.unwrap();
        assert_eq!(read(written(&claim).as_bytes()), Ok(claim.clone()));
        assert!(read::<1>(written(&claim).as_bytes()).is_err());
        let many = Claim { ranks: MAX_RANKS + 1, ..claim.clone() };
        assert!(read::<2>(written(&many).as_bytes()).is_err());
        let other = written(&claim).replacen("wire ", "wire 9", 1);
        assert!(matches!(read::<2>(other.as_bytes()), Err(WireError::OtherVersion { .. })));
        for end in 0..written(&claim).rfind('\n').unwrap() {
            assert!(read::<2>(&written(&claim).as_bytes()[..end]).is_err(), "{end}");
        }
    }
}

#[test]
fn every_pair_that_meets_is_found() {
    let claims = [
        holds([0, 0], [5, 11]),
        None,
        holds([5, 0], [8, 11]),
        wants([0, 0], [13, 6]),
        wants([7, 6], [6, 5]),
        wants([7, 6], [0, 5]),
    ];
    let met = settled(&claims).unwrap();
    let places: Vec<_> = met.iter().map(|met| (met.producer, met.consumer, met.part)).collect();
    let expected = vec![
        (0, 3, part([0, 0], [5, 6])),
        (2, 3, part([5, 0], [8, 6])),
        (2, 4, part([7, 6], [6, 5])),
    ];
    assert_eq!(places, expected);
    let last = &met[2];
    assert_eq!(last.from.to_string(), "(block, *) onto 2 of [8, 11] at [2, 6]");
    assert_eq!(last.to.to_string(), "(block, *) onto 2 ranks 2..4 of [6, 5] at [0, 0]");
    assert_eq!(rounds(&met), [vec![0, 2], vec![1]]);
    assert_eq!(settled::<2>(&[None, None]), Ok(Vec::new()));
}

#[test]
fn what_does_not_fit_is_named() {
    let whole = holds([0, 0], [13, 11]);
    let told = |claims: [Option<Claim<2>>; 3]| settled(&claims).unwrap_err().to_string();
    assert_eq!(
        told([holds([0, 0], [5, 11]), holds([4, 3], [9, 8]), None]),
        "programs 0 and 1 both hold elements 4..5 of dimension 0 and elements 3..11 of \
         dimension 1; each element may have one producer"
    );
    assert_eq!(
        told([holds([0, 0], [5, 11]), holds([6, 0], [7, 11]), wants([2, 1], [9, 4])]),
        "program 2 wants elements 5..6 of dimension 0 and elements 1..5 of dimension 1, \
         which no producer holds"
    );
    assert_eq!(
        told([whole.clone(), wants([7, 0], [7, 11]), None]),
        "the part of program 1 has elements 7..14 of dimension 0, which has 13 elements"
    );
    let wants_but = |change: fn(&mut Claim<2>)| {
        let mut other = wants([0, 0], [13, 11]);
        other.iter_mut().for_each(change);
        other
    };
    let words = "dimension 1 of the whole array has 11 elements in program 0, and 12 in program 2";
    let other = wants_but(|claim| claim.part.whole = [13, 12]);
    assert!(told([whole.clone(), None, other]).contains(words));
    let other = wants_but(|claim| claim.element = "f64, 8 bytes, aligned to 8".into());
    assert!(told([whole.clone(), other, None]).contains("program 1 of type f64, 8 bytes"));
    let other = wants_but(|claim| claim.ranks = 1);
    assert!(told([whole, None, other]).contains("program 2: its layout is `(block, *) onto 2`"));
    let past = told([holds([1, 0], [usize::MAX, 11]), None, None]);
    assert!(past.contains("program 0 has elements 1..18446744073709551615"), "{past}");
}

#[test]
fn no_program_is_in_two_pairs_of_a_round() {
    for (producers, consumers) in [(1, 1), (3, 1), (1, 4), (3, 3), (2, 5), (5, 2)] {
        let claims: Vec<_> = (0..producers + consumers)
            .map(|program| match program < producers {
                true if program + 1 == producers => holds([program, 0], [13 - program, 11]),
                true => holds([program, 0], [1, 11]),
                false => wants([0, 0], [13, 11]),
            })
            .collect();
        let met = settled(&claims).unwrap();
        let rounds = rounds(&met);
        assert_eq!(rounds.len(), producers.max(consumers));
        assert_eq!(rounds.concat().len(), producers * consumers);
        for round in &rounds {
            let both = |&number: &usize| [met[number].producer, met[number].consumer];
            let mut programs: Vec<_> = round.iter().flat_map(both).collect();
            programs.sort_unstable();
            let all = programs.len();
            programs.dedup();
            assert_eq!(programs.len(), all);
        }
    }
}

#[test]
fn holes_are_found_wherever_they_are() {
    let holds = |part: &ArrayPart<2>, index: [usize; 2]| {
        (0..2).all(|d| ranges(part)[d].contains(&index[d]))
    };
    let quarters = [([0, 0], [3, 3]), ([0, 3], [3, 2]), ([3, 0], [2, 2]), ([3, 2], [2, 3])];
    for left_out in 0..16 {
        let producers: Vec<_> = (0..4)
            .filter(|number| left_out >> number & 1 == 0)
            .map(|number| (number, part(quarters[number].0, quarters[number].1)))
            .collect();
        for number in 0..5usize.pow(4) {
            let [a, b, c, d] = [number % 5, number / 5 % 5, number / 25 % 5, number / 125];
            let wanted = part([a, b], [(c + 1).min(5 - a), (d + 1).min(5 - b)]);
            let is_held = |index| producers.iter().any(|(_, part)| holds(part, index));
            let all = ranges(&wanted)[0]
                .clone()
                .flat_map(|row| ranges(&wanted)[1].clone().map(move |column| [row, column]));
            let hole = missing(wanted, &producers);
            assert_eq!(hole.is_none(), all.clone().all(is_held), "{wanted:?}");
            if let Some(hole) = hole {
                assert!(met(hole, wanted) == Some(hole));
                assert!(producers.iter().all(|&(_, held)| met(held, hole).is_none()));
            }
        }
    }
}
