//! Statements are checked against the planner: a changed one does not compile.

use crate::tests::expand;
use redist_plan::program::{BlocksAndRanks, MAX_STEP_CYCLES, Statement, StepMoves};
use std::array::from_fn;
use syn::{Expr, Lit};

/// Elements, blocks and ranks of both sides: every class, runs of 8 bytes and more.
const ITEMS: [(&str, [usize; 2], [usize; 2]); 5] = [
    ("f64", [10, 3], [2, 3]),
    ("f32", [2, 8], [6, 3]),
    ("f32", [10, 3], [4, 3]),
    ("u64", [5, 3], [1, 4]),
    ("u16", [8, 3], [12, 5]),
];

type Text = Vec<Statement>;

fn texts(
    (element, [own, ranks], [peer, peers]): (&str, [usize; 2], [usize; 2]),
    name: &str,
) -> Vec<Text> {
    let item = format!(
        "struct Item: [{element}; 9000] {{ from: cyclic({own}) onto {ranks}, to: cyclic({peer}) onto {peers} }}"
    );
    let all = expand(item.parse().unwrap()).to_string();
    let Some((_, text)) = all.split_once(&format!("const {name} :")) else { return Vec::new() };
    let text = text.split_once('=').unwrap().1.split_once(';').unwrap().0;
    let value = syn::parse_str::<Expr>(text).unwrap();
    match name {
        "EXCHANGE" => vec![list(&value, &statement)],
        _ => list(&value, &|cycle| list(cycle, &statement)),
    }
}

fn list<T>(value: &Expr, entry: &dyn Fn(&Expr) -> T) -> Vec<T> {
    let Expr::Reference(reference) = value else { panic!("a list is borrowed") };
    let Expr::Array(array) = &*reference.expr else { panic!("a list has brackets") };
    array.elems.iter().map(entry).collect()
}

fn statement(value: &Expr) -> Statement {
    let Expr::Array(numbers) = value else { panic!("a statement has brackets") };
    let number = |index: usize| match &numbers.elems[index] {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse::<u16>().unwrap(),
            _ => panic!("a number"),
        },
        _ => panic!("a literal"),
    };
    from_fn(number)
}

/// The statements with one changed in its streams, places, length, order, or left out.
fn mutants(text: &Text) -> Vec<Text> {
    let mut mutants = Vec::new();
    for (number, &[from, source, to, destination, len]) in text.iter().enumerate() {
        let changed = [
            [from + 1, source, to, destination, len],
            [from + 256, source, to, destination, len],
            [from, source + 1, to, destination, len],
            [from, source.wrapping_sub(1), to, destination, len],
            [from, source, to + 1, destination, len],
            [from + 256, source, to.wrapping_sub(1), destination, len],
            [from, source, to + 256, destination, len],
            [from, source, to, destination + 1, len],
            [from, source, to, destination, len + 1],
            [from, source, to, destination, len - 1],
        ];
        for statement in changed {
            let mut mutant = text.clone();
            mutant[number] = statement;
            mutants.push(mutant);
        }
        let mut shorter = text.clone();
        shorter.remove(number);
        mutants.push(shorter);
        if number > 0 {
            let mut turned = text.clone();
            turned.swap(number - 1, number);
            mutants.push(turned);
        }
    }
    mutants
}

fn steps(blocks: BlocksAndRanks) -> Vec<(&'static str, usize, StepMoves)> {
    let cycles = 0..MAX_STEP_CYCLES;
    let step = |blocks: BlocksAndRanks, cycle, packs| Some(blocks.new_step(cycle)?.moves(packs));
    let mut steps = Vec::new();
    for cycle in cycles {
        steps.extend(step(blocks, cycle, true).map(|moves| ("PACK", cycle, moves)));
        steps.extend(step(blocks.turned(), cycle, false).map(|moves| ("UNPACK", cycle, moves)));
    }
    steps.extend(blocks.exchange().map(|moves| ("EXCHANGE", 0, moves)));
    steps
}

#[test]
fn a_changed_statement_is_refused() {
    for item in ITEMS {
        let (mut statements, mut refused) = (0, 0);
        for (name, cycle, moves) in steps(blocks(item)) {
            let Some(text) = texts(item, name).into_iter().nth(cycle) else { continue };
            if text.is_empty() {
                continue;
            }
            assert!(moves.are_written_as(&text), "{item:?} {name} {text:?}");
            statements += text.len();
            for mutant in mutants(&text) {
                assert!(!moves.are_written_as(&mutant), "{item:?} {name} {mutant:?}");
                refused += 1;
            }
        }
        assert!(
            statements >= 12 && refused >= 11 * statements,
            "{item:?}: {statements}, {refused}"
        );
    }
}

fn blocks((_, [own, ranks], [peer, peers]): (&str, [usize; 2], [usize; 2])) -> BlocksAndRanks {
    BlocksAndRanks::new((own, ranks), (peer, peers))
}
