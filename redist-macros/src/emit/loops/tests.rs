//! Loops are compared with the planner: each statement is a run, and no run is left out.

use crate::tests::expand;
use redist_plan::program::{BlocksAndRanks, MAX_STEP_CYCLES, Statement, StepMoves};
use std::collections::HashMap;
use syn::{Block, Expr, ExprCall, ItemFn, Lit, Pat, Stmt};

/// Elements, blocks and ranks of both sides: every class, runs of 8 bytes and more.
const ITEMS: [(&str, [usize; 2], [usize; 2]); 6] = [
    ("f64", [10, 3], [2, 3]),
    ("f64", [3, 4], [1, 3]),
    ("f32", [2, 8], [6, 3]),
    ("f32", [10, 3], [4, 3]),
    ("u64", [5, 3], [1, 4]),
    ("u16", [8, 3], [12, 5]),
];

/// A loop's text as numbers: elements of a step by stream, and its runs.
#[derive(Debug, Default)]
struct Read {
    /// Stream that each name means here.
    streams: HashMap<String, u16>,
    /// Elements of a step, by the name of the stream that is read or written.
    shares: HashMap<String, usize>,
    runs: Vec<Statement>,
}

/// Returns the function of that name in an item's expansion.
fn function(expansion: &str, name: &str) -> Option<ItemFn> {
    let text = &expansion[expansion.find(&format!("fn {name} ("))?..];
    let (mut depth, mut end) = (0, 0);
    for (at, byte) in text.bytes().enumerate() {
        depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        if depth == 0 && byte == b'}' {
            end = at + 1;
            break;
        }
    }
    Some(syn::parse_str(&text[..end]).unwrap())
}

fn number(value: &Expr) -> u16 {
    match value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().unwrap(),
            _ => panic!("a number"),
        },
        _ => panic!("a literal"),
    }
}

fn name(value: &Expr) -> String {
    match value {
        Expr::Path(path) => path.path.get_ident().unwrap().to_string(),
        Expr::Reference(reference) => name(&reference.expr),
        Expr::Index(index) => name(&index.expr),
        _ => panic!("a name"),
    }
}

/// The number behind a name's last underscore.
fn stream(name: &str) -> u16 {
    name.rsplit_once('_').map_or(0, |(_, number)| number.parse().unwrap())
}

impl Read {
    fn block(&mut self, block: &Block) {
        for statement in &block.stmts {
            match statement {
                Stmt::Local(local) => {
                    let value = &local.init.as_ref().unwrap().expr;
                    // Names of streams, and of one step of each, mean the same number.
                    if let (Pat::Ident(to), Expr::Call(call)) = (&local.pat, &**value) {
                        self.steps(&to.ident.to_string(), call);
                    }
                }
                Stmt::Expr(Expr::ForLoop(each), _) => self.block(&each.body),
                Stmt::Expr(Expr::Block(inner), _) => self.block(&inner.block),
                Stmt::Expr(Expr::Call(call), _) => self.copy(call),
                _ => panic!("an unknown statement"),
            }
        }
    }

    fn steps(&mut self, to: &str, call: &ExprCall) {
        let Expr::Path(path) = &*call.func else { panic!("a function") };
        let syn::PathArguments::AngleBracketed(sizes) = &path.path.segments[0].arguments else {
            panic!("a size")
        };
        let syn::GenericArgument::Const(size) = &sizes.args[0] else { panic!("a size") };
        let from = name(&call.args[0]);
        self.streams.insert(to.to_owned(), stream(&from));
        self.shares.insert(from, number(size).into());
    }

    fn copy(&mut self, call: &ExprCall) {
        let arguments: Vec<_> = call.args.iter().collect();
        let [there, len] =
            [arguments.len() - 2, arguments.len() - 1].map(|at| number(arguments[at]));
        let to = self.streams[&name(arguments[arguments.len() - 3])];
        let from = |value: &Expr, at: &Expr| (self.streams[&name(value)], number(at));
        let runs = match name(&call.func).as_str() {
            "copy" => vec![from(arguments[0], arguments[1])],
            "copy_two" => {
                let pair = |value: &Expr| match value {
                    Expr::Tuple(pair) => from(&pair.elems[0], &pair.elems[1]),
                    _ => panic!("a place"),
                };
                vec![pair(arguments[0]), pair(arguments[1])]
            }
            other => panic!("{other}"),
        };
        for (number, (stream, at)) in (0..).zip(runs) {
            self.runs.push([stream, at, to, there + number * len, len]);
        }
    }
}

fn steps(blocks: BlocksAndRanks) -> Vec<(String, [&'static str; 2], StepMoves)> {
    let step = |blocks: BlocksAndRanks, cycle, packs| Some(blocks.new_step(cycle)?.moves(packs));
    let numbered = |name: &str, cycle| match cycle {
        0 => name.to_owned(),
        _ => format!("{name}_{cycle}"),
    };
    let mut steps = Vec::new();
    for cycle in 0..MAX_STEP_CYCLES {
        let packed = step(blocks, cycle, true).map(|it| ("pack", ["local", "message"], it));
        let other = step(blocks.turned(), cycle, false);
        let unpacked = other.map(|moves| ("unpack", ["message", "local"], moves));
        let both = packed.into_iter().chain(unpacked);
        steps.extend(both.map(|(name, sides, moves)| (numbered(name, cycle), sides, moves)));
    }
    let sides = ["source", "destination"];
    steps.extend(blocks.exchange().map(|moves| ("exchange".to_owned(), sides, moves)));
    steps
}

#[test]
fn loops_have_the_runs_of_the_plan() {
    for (element, [own, ranks], [peer, peers]) in ITEMS {
        let item = format!(
            "struct Item: [{element}; 9000] {{ from: cyclic({own}) onto {ranks}, to: cyclic({peer}) onto {peers} }}"
        );
        let expansion = expand(item.parse().unwrap()).to_string();
        let (mut functions, mut runs) = (0, 0);
        for (name, [from, to], moves) in steps(BlocksAndRanks::new((own, ranks), (peer, peers))) {
            let Some(function) = function(&expansion, &name) else { continue };
            let mut read = Read::default();
            read.block(&function.block);
            assert!(moves.are_written_as(&read.runs), "{item} {name} {:?}", read.runs);
            for (side, shares) in [(from, moves.read()), (to, moves.written())] {
                for (number, share) in shares.iter().enumerate() {
                    let stream =
                        if side == "local" { side.into() } else { format!("{side}_{number}") };
                    let is_read = read.shares.get(&stream);
                    assert!(is_read == Some(share), "{item} {name}: {stream} has {is_read:?}");
                }
            }
            functions += 1;
            runs += read.runs.len();
        }
        assert!(functions >= 2 && runs >= 12, "{item}: {functions} functions, {runs} runs");
    }
}
