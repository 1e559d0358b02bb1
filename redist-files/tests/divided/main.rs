//! Runs whose work several ranks share: threads stand for ranks, over one folder.

#[path = "../common/mod.rs"]
mod common;
mod killed;
mod team;

use common::{bytes, quick, tree};
use redist_files::{ArrayOutcome, FilesError, Manifest, Peers, Run, RunOptions, Unwatched, Watch};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use team::team;

/// Small arrays of a set.
const SMALL: usize = 40;

/// Little memory: even small arrays have several boxes.
const MEMORY: usize = if cfg!(feature = "zarr") { 144 << 10 } else { 128 << 10 };

fn options() -> RunOptions {
    RunOptions { check: true, threads: Some(1), ..quick(MEMORY) }
}

/// Makes a folder with sources: one long array, and many small ones.
fn with_sources() -> tempfile::TempDir {
    let made = tempfile::tempdir().expect("a folder");
    fs::write(made.path().join("long"), bytes(300 * 400 * 8)).expect("written");
    for number in 0..SMALL {
        let file = made.path().join(format!("small{number}"));
        fs::write(file, bytes(8 * (3 + number) * 5)).expect("written");
    }
    #[cfg(feature = "hdf5")]
    with_hdf5(&made.path().join("packed.h5"));
    made
}

/// Writes a dataset in chunks, of which HDF5's library reads boxes. The file is a copy: programs that tests
/// start meanwhile keep the lock of the one that is written.
#[cfg(feature = "hdf5")]
fn with_hdf5(path: &Path) {
    let written = path.with_extension("new");
    let file = hdf5_metno::File::create(&written).expect("HDF5");
    let numbers: Vec<f64> = (0..300 * 400).map(|at| f64::from(at) * 0.5).collect();
    let builder = file.new_dataset::<f64>().shape((300, 400)).chunk((25, 20)).deflate(1);
    let created = builder.create("packed").and_then(|packed| packed.write_raw(&numbers));
    created.expect("a dataset");
    drop(builder);
    file.close().expect("closed");
    fs::copy(written, path).expect("copied");
}

/// Writes the manifest of all arrays, whose files are in a folder `out`.
fn manifest(folder: &Path, out: &str) {
    let mut arrays = vec![
        json!({
            "name": "long", "in": "long", "extents": [300, 400], "out": format!("{out}/long.{{rank}}.npy"),
            "to": "(cyclic(7), cyclic(16)) onto (2, 3)",
        }),
        json!({
            "name": "turned", "in": "long", "extents": [300, 400], "out": format!("{out}/turned"),
            "to": "(*, *) storage fortran",
        }),
    ];
    arrays.extend((0..SMALL).map(|number| {
        json!({
            "name": format!("small{number}"), "in": format!("small{number}"),
            "extents": [3 + number, 5], "to": "(block, *) onto 3",
            "out": format!("{out}/{}", if number % 2 == 0 { "all.{rank}.npz" } else { "all.{rank}.safetensors" }),
        })
    }));
    if cfg!(feature = "hdf5") {
        for (number, to) in ["(block, *) onto 3", "(*, cyclic(7)) onto 2"].iter().enumerate() {
            arrays.push(json!({
                "name": "packed", "in": "packed.h5", "to": to,
                "out": format!("{out}/packed.{number}.{{rank}}.{}", ["h5", "nc4"][number]),
            }));
        }
    }
    if cfg!(feature = "zarr") {
        let more = |keys: Value| common::with(arrays_in_chunks(out), &keys);
        arrays.push(more(json!({ "name": "tiles", "chunks": [50, 40] })));
        arrays.push(more(json!({ "name": "strips", "chunks": [300, 7] })));
        arrays.push(more(json!({ "name": "shards", "chunks": [25, 20], "shards": [50, 40] })));
    }
    let text = json!({ "defaults": { "element": "f64" }, "array": arrays }).to_string();
    fs::write(folder.join("manifest.json"), text).expect("written");
    let _ = fs::remove_dir_all(folder.join(out));
    fs::create_dir(folder.join(out)).expect("a folder");
}

fn arrays_in_chunks(out: &str) -> Value {
    json!({ "in": "long", "extents": [300, 400], "out": format!("{out}/{{name}}.zarr") })
}

/// Does what each rank of a run does.
fn run(
    folder: &Path,
    (peers, watch): (&dyn Peers, &dyn Watch),
    options: RunOptions,
) -> Result<Vec<ArrayOutcome>, FilesError> {
    let mut run = Run::over(options, watch, peers)?;
    Manifest::read(&folder.join("manifest.json"))?.add_to(&mut run)?;
    run.convert()
}

/// Reads all files. Of a shard only its bytes are counted, because its chunks lie in the order in which
/// ranks wrote them.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let read = |name: String| {
        let bytes = fs::read(folder.join(&name)).expect("a file");
        let is_shard = name.contains("shards.zarr") && !name.ends_with(".json");
        let bytes = if is_shard { bytes.len().to_ne_bytes().to_vec() } else { bytes };
        (name, bytes)
    };
    tree(folder).into_iter().map(read).collect()
}

fn sums(outcomes: &[ArrayOutcome]) -> Vec<String> {
    outcomes.iter().map(|array| array.checksum.clone().expect("a checksum")).collect()
}

/// The work of one rank of a run.
type RankWork<'a> = dyn Fn(&dyn Peers) -> Result<Vec<ArrayOutcome>, FilesError> + Sync + 'a;

#[test]
fn ranks_write_the_bytes_of_one() {
    let made = with_sources();
    let folder = made.path();
    manifest(folder, "one");
    let mut alone = Run::new(options(), &Unwatched);
    Manifest::read(&folder.join("manifest.json")).expect("read").add_to(&mut alone).expect("added");
    let right = sums(&alone.convert().expect("converted"));
    for ranks in 1..=4 {
        manifest(folder, "out");
        let all = team(ranks, |peers| run(folder, (peers, &Unwatched), options()));
        for outcomes in all {
            assert_eq!(sums(&outcomes.expect("converted")), right, "{ranks}");
        }
        assert!(contents(&folder.join("out")) == contents(&folder.join("one")), "{ranks}");
        let compared = team(ranks, |peers| {
            let mut run = Run::over(options(), &Unwatched, peers)?;
            Manifest::read(&folder.join("manifest.json"))?.add_to(&mut run)?;
            run.compare()
        });
        assert!(compared.iter().all(Result::is_ok), "{ranks} {compared:?}");
    }
}

/// Counts the bytes that a rank says are done, of which each stands for those of all ranks.
#[derive(Default)]
struct Counted(AtomicU64);

impl Watch for Counted {
    fn begin(&self, _what: &'static str, _bytes: u64) {}

    fn add(&self, bytes: u64) {
        self.0.fetch_add(bytes, Ordering::Relaxed);
    }

    fn end(&self) {}

    fn warn(&self, _words: &str) {}
}

#[test]
fn one_long_array_is_divided_as_many_small_ones_are() {
    let made = with_sources();
    let folder = made.path();
    for ranks in [2, 3, 4] {
        manifest(folder, "out");
        let quick = RunOptions { check: false, ..options() };
        let watches: Vec<Counted> = (0..ranks).map(|_| Counted::default()).collect();
        let all = team(ranks, |peers| {
            run(folder, (peers, &watches[peers.rank()]), quick.clone()).expect("converted")
        });
        let bytes: u64 = all[0].iter().map(|array| array.bytes).sum();
        let own = watches.iter().map(|watch| watch.0.load(Ordering::Relaxed) / ranks as u64);
        let own: Vec<u64> = own.collect();
        assert_eq!(own.iter().sum::<u64>(), bytes, "{own:?}");
        // A rank has a box more than another in each of few batches.
        let fair = bytes / ranks as u64;
        let is_fair = |own: &u64| own.abs_diff(fair) < fair / 2;
        assert!(own.iter().all(is_fair), "{ranks}: {own:?} of {bytes}");
    }
}

/// Panics in the middle of the work.
struct Faulty(AtomicU64);

impl Watch for Faulty {
    fn begin(&self, _what: &'static str, _bytes: u64) {}

    fn add(&self, bytes: u64) {
        if self.0.fetch_add(bytes, Ordering::Relaxed) > 200_000 {
            panic!("as the test wants");
        }
    }

    fn end(&self) {}

    fn warn(&self, _words: &str) {}
}

#[test]
fn the_failure_of_one_rank_is_told_by_all() {
    let made = with_sources();
    let folder = made.path();
    for (ranks, faulty) in [(2, 0), (2, 1), (3, 1), (4, 3)] {
        manifest(folder, "out");
        let watch = Faulty(AtomicU64::new(0));
        let told = team(ranks, |peers| {
            let own: &dyn Watch = if peers.rank() == faulty { &watch } else { &Unwatched };
            run(folder, (peers, own), options()).expect_err("a failure").to_string()
        });
        assert!(told[0].starts_with(&format!("rank {faulty}: ")), "{}", told[0]);
        assert!(told[0].contains("panicked") && told.iter().all(|own| *own == told[0]), "{told:?}");
        assert_eq!(tree(&folder.join("out")), [""; 0], "{ranks} {faulty}");
    }
}

#[test]
fn ranks_with_other_work_are_refused() {
    let made = with_sources();
    let folder = made.path();
    manifest(folder, "out");
    let text = fs::read_to_string(folder.join("manifest.json")).expect("a manifest");
    fs::create_dir(folder.join("other")).expect("a folder");
    let other = text.replace("cyclic(7)", "cyclic(8)").replace("\"in\":\"", "\"in\":\"../");
    fs::write(folder.join("other/manifest.json"), other.replace("out/", "../out/"))
        .expect("written");
    let refused = |work: &RankWork<'_>| {
        let told = team(3, |peers| work(peers).expect_err("a difference").to_string());
        assert!(told.iter().all(|own| *own == told[0]), "{told:?}");
        assert_eq!(tree(&folder.join("out")), [""; 0], "{told:?}");
        told[0].clone()
    };
    let told = refused(&|peers| {
        let own = if peers.rank() == 2 { folder.join("other") } else { folder.into() };
        run(&own, (peers, &Unwatched), options())
    });
    assert!(told.starts_with("rank 2 has other arrays, files or options"), "{told}");
    let told = refused(&|peers| {
        let memory = if peers.rank() == 1 { 2 * MEMORY } else { MEMORY };
        run(folder, (peers, &Unwatched), RunOptions { memory, ..options() })
    });
    assert!(told.starts_with("rank 1 has another --memory"), "{told}");
    let told = refused(&|peers| {
        let force = peers.rank() == 1;
        run(folder, (peers, &Unwatched), RunOptions { force, ..options() })
    });
    assert!(told.starts_with("rank 1 has other arrays, files or options"), "{told}");
    // All fail alike, so that no rank is named.
    fs::write(folder.join("out/turned"), "there").expect("written");
    let told = team(3, |peers| {
        run(folder, (peers, &Unwatched), options()).expect_err("a file that is there").to_string()
    });
    let is_plain = |own: &String| own.contains("out/turned: is there") && !own.starts_with("rank");
    assert!(told.iter().all(is_plain), "{told:?}");
    assert_eq!(tree(&folder.join("out")), ["turned"]);
}

#[test]
fn a_rank_that_is_lost_ends_the_run() {
    let made = with_sources();
    let folder = made.path();
    manifest(folder, "out");
    let told = team(3, |peers| match peers.rank() {
        2 => Run::over(options(), &Unwatched, peers).map(|_| String::new()).expect("begun"),
        _ => run(folder, (peers, &Unwatched), options()).expect_err("a lost rank").to_string(),
    });
    for own in &told[..2] {
        assert!(own.contains("ranks do not hear of each other any more"), "{told:?}");
    }
    assert_eq!(tree(&folder.join("out")), [""; 0]);
}

/// An element that differs is found by the rank that has it, and told by all.
#[test]
fn a_wrong_element_is_told_by_all() {
    let made = with_sources();
    let folder = made.path();
    manifest(folder, "out");
    team(2, |peers| run(folder, (peers, &Unwatched), options()).map(drop).expect("converted"));
    let file = folder.join("out/turned");
    let mut wrong = fs::read(&file).expect("a file");
    let last = wrong.len() - 3;
    wrong[last] ^= 1;
    fs::write(&file, wrong).expect("written");
    for ranks in [1, 2, 4] {
        let told = team(ranks, |peers| {
            let mut run = Run::over(options(), &Unwatched, peers).expect("begun");
            let manifest = Manifest::read(&folder.join("manifest.json")).expect("read");
            manifest.add_to(&mut run).expect("added");
            run.compare().expect_err("another element").to_string()
        });
        let is_right = |own: &String| own.contains("element [299, 399] is") && *own == told[0];
        assert!(told.iter().all(is_right), "{told:?}");
    }
}
