//! Promises to callers have one text each, wherever they are told; `docs/internals/faults.md` is what
//! tests find.

use std::fs;
use std::path::Path;

/// The effect of a wrong array. Each of these places tells it in these words.
const WRONG_ARRAY: &str = "A wrong array on one rank is an error of that rank and of all ranks that \
    receive from it. All others move. Ranks that bound the plan collectively all get the error, and none moves.";
const TOLD_IN: [&str; 8] = [
    "docs/c.md",
    "docs/mpi.md",
    "docs/python.md",
    "doors/c/cbindgen.toml",
    "doors/c/include/redist.h",
    "doors/c/include/redist.hpp",
    "doors/c/src/ffi/moves.rs",
    "doors/fortran/redist.F90",
];

/// Words of promises that were not kept.
const UNTRUE: [&str; 6] = [
    "fails on all ranks, and nothing moves",
    "to a collective call, all ranks fail",
    "this rank has not moved, either",
    "Nothing of the call has been done",
    "on all ranks, before anything moves",
    "prints it as a sentence on every rank:",
];
/// Headers and texts of the doors, beside all pages of `docs/`.
const READ: [&str; 20] = [
    "README.md",
    "doors/c/cbindgen.toml",
    "doors/c/include/redist.h",
    "doors/c/include/redist.hpp",
    "doors/c/include/redist_batch.hpp",
    "doors/c/include/redist_mdspan.hpp",
    "doors/c/src/status.rs",
    "doors/fortran/redist.F90",
    "doors/fortran/redist_arrays.inc",
    "doors/fortran/redist_bind.inc",
    "doors/fortran/redist_functions.inc",
    "doors/fortran/redist_layouts.inc",
    "doors/fortran/redist_scalars.inc",
    "doors/fortran/redist_together.inc",
    "doors/fortran/redist_together_functions.inc",
    "doors/fortran/redist_alone.inc",
    "doors/fortran/redist_alone_functions.inc",
    "doors/fortran/redist_moves.inc",
    "doors/fortran/redist_types.inc",
    "doors/python/python/redist/_redist.pyi",
];

/// Words by which a sentence tells of the fault of another rank.
const OF_OTHERS: [&str; 5] =
    ["receive from", "error on all", "fails on all", "all ranks fail", "all ranks get an error"];

/// Every other sentence that has one of these. Its author has compared it with `docs/internals/faults.md`:
/// what rank 1 gets, what the others get, and the next move.
const COMPARED: &[(&str, &str)] = &[
    (
        "README.md",
        "A mistake on one rank is an error on the ranks that receive from it, not a hang",
    ),
    (
        "docs/torch.md",
        "bind and Weights compare plans: a plan that is wrong on one rank is an error on all",
    ),
    (
        "docs/torch.md",
        "A wrong tensor is an error of its rank and of all ranks that receive from it, for type, device, \
         shape, a missing one or a sparse one: text ArrayError: rank 1: the source tensor 'odd' is of \
         float32, not float64; bring a tensor of float64 of the shape (2, 5) on cpu",
    ),
    (
        "doors/c/cbindgen.toml",
        "If a rank passes wrong arguments to redist_bind or redist_shared_alloc, all ranks fail",
    ),
    (
        "doors/c/cbindgen.toml",
        "Collective: ranks that hold nothing call it, too, and an error of one rank fails \
         on all",
    ),
    (
        "doors/c/include/redist.h",
        "If a rank passes wrong arguments to redist_bind or redist_shared_alloc, all ranks fail",
    ),
    (
        "doors/c/include/redist.h",
        "Collective: ranks that hold nothing call it, too, and an error of one rank fails \
         on all",
    ),
    (
        "doors/python/python/redist/_redist.pyi",
        "With collectively , which all ranks give, a wrong array on one rank is an error on \
         all ranks; without it, on those that receive from that rank",
    ),
    (
        "docs/c.md",
        "If one rank brings wrong arguments to redist_bind or redist_shared_alloc , all \
         ranks fail",
    ),
    (
        "docs/c.md",
        "Ranks that run plans of one communicator in different orders get REDIST_DIFFERS , \
         if they receive from such a rank",
    ),
    (
        "docs/c.md",
        "In a move the ranks that receive from this one get REDIST_PEER , and destinations \
         may be half written",
    ),
    (
        "docs/c.md",
        "An array of another type than the plan's is a wrong one, on its rank and on the \
         ranks that receive from it",
    ),
    (
        "docs/mpi.md",
        "its own error there, and [ PeerFailed ][Error::PeerFailed] on ranks that receive \
         from it; the next run works",
    ),
    (
        "docs/mpi.md",
        "its own error there, [ PeerFailed ][Error::PeerFailed] on ranks that receive from \
         it, unless they have read its shared array already; the next move works",
    ),
    (
        "docs/mpi.md",
        "[ DifferentMoves ][Error::DifferentMoves] on ranks that receive from another \
         order; the next call in one order works",
    ),
    ("docs/mpi.md", "[ RankEnded ][Error::RankEnded] on ranks that receive from it, from then on"),
    (
        "docs/mpi.md",
        "main prints it as a sentence on that rank and on the ranks that receive from it",
    ),
    (
        "docs/trust.md",
        "| A mistake on one rank is an error of all that receive from it , with the rank \
         and what is wrong; on one node, before their destinations change",
    ),
    (
        "docs/trust.md",
        "Ranks that only send to it succeed; with [ Binder::collectively \
         ][exec::Binder::collectively], and in rounds of a bounded memory between nodes, \
         all ranks get an error; in rounds on one node they get that of a wrong array",
    ),
];

fn pages() -> Vec<String> {
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("docs");
    let entries = fs::read_dir(docs).expect("the pages are there");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    let names = names.map(|name| name.expect("a name in UTF-8"));
    let pages = names.filter(|name| name.ends_with(".md")).map(|name| format!("docs/{name}"));
    READ.into_iter().map(String::from).chain(pages).collect()
}

/// Cuts where a sentence, a cell of a table or an item ends.
fn sentences(words: &str) -> Vec<String> {
    let words = words.replace(" | ", ". ").replace(" - ", ". ");
    words.split(". ").map(|sentence| sentence.trim_end_matches('.').trim().to_owned()).collect()
}

/// Returns a file's words without marks of comments, code and emphasis.
fn words(path: &str) -> String {
    let whole = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    let text = fs::read_to_string(whole).unwrap_or_else(|error| panic!("{path}: {error}"));
    let text = text.replace(['`', '*'], " ");
    let is_mark = |word: &&str| !["/", "//", "///", "!"].contains(word);
    text.split_whitespace().filter(is_mark).collect::<Vec<_>>().join(" ")
}

#[test]
fn a_promise_has_one_text() {
    let wanted = WRONG_ARRAY.split_whitespace().collect::<Vec<_>>().join(" ");
    let lack = TOLD_IN.into_iter().filter(|path| !words(path).contains(&wanted));
    assert_eq!(lack.collect::<Vec<_>>(), [""; 0], "these do not say: {wanted}");
}

#[test]
fn no_page_promises_more() {
    for path in pages() {
        let words = words(&path);
        for untrue in UNTRUE {
            assert!(!words.contains(untrue), "{path} says: {untrue}");
        }
    }
}

#[test]
fn sentences_about_faults_of_others_are_those_that_were_compared() {
    let wanted = sentences(WRONG_ARRAY);
    let told = pages().into_iter().flat_map(|path| {
        let found = sentences(&words(&path));
        let about = |sentence: &String| OF_OTHERS.iter().any(|words| sentence.contains(words));
        found.into_iter().filter(about).map(move |sentence| (path.clone(), sentence))
    });
    let is_new = |(path, sentence): &(String, String)| {
        let is_one_text = wanted.iter().any(|wanted| sentence.ends_with(wanted.as_str()));
        !is_one_text && !COMPARED.contains(&(path.as_str(), sentence.as_str()))
    };
    let new: Vec<_> = told.filter(is_new).collect();
    assert!(new.is_empty(), "compare these with faults.md, and list them: {new:#?}");
}

#[test]
fn no_compared_sentence_has_gone() {
    let is_there = |(path, sentence): &&(&str, &str)| {
        sentences(&words(path)).iter().any(|found| found == sentence)
    };
    let gone: Vec<_> = COMPARED.iter().filter(|compared| !is_there(compared)).collect();
    assert!(gone.is_empty(), "these are not told any more: {gone:#?}");
}
