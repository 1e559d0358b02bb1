//! A model's arrays on 8 ranks, on 2, and on 8 again; runs that are killed, and attacks on a set.

use super::running::CONSTANT;
use super::safetensors::{Tensor, read, text, with_header};
use super::{folder, names};
use crate::cli::process::Run;
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Arrays of the set.
const ARRAYS: usize = 300;

/// Bytes of the set, unless `REDIST_CHECKPOINT_BYTES` tells.
const BYTES: usize = 3 << 20;

/// Runs that are killed.
const KILLS: usize = 20;

fn set_bytes() -> usize {
    std::env::var("REDIST_CHECKPOINT_BYTES").ok().map_or(BYTES, |text| text.parse().unwrap())
}

/// Names and extents of uneven arrays, some of one dimension, some of fewer rows than ranks.
fn shapes() -> Vec<(String, Vec<usize>)> {
    let side = ((set_bytes() / 2 / ARRAYS) as f64).sqrt() * 1.15;
    let shape = |number: usize| match number % 6 {
        0 => vec![(side * side) as usize / 7 + number],
        1 => vec![5, (side * side / 5.0) as usize | 1],
        _ => vec![side as usize + number % 29, side as usize + number % 13],
    };
    (0..ARRAYS)
        .map(|number| (format!("layers.{}.w{}", number / 6, number % 6), shape(number)))
        .collect()
}

fn byte(array: usize, at: usize) -> u8 {
    word(array, at / 8)[at % 8]
}

fn word(array: usize, number: usize) -> [u8; 8] {
    let number = (number + array * 1_000_003) as u64 + 1;
    number.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes()
}

/// Bytes of an array from one on, up to another.
fn bytes(array: usize, range: std::ops::Range<usize>) -> Vec<u8> {
    let (first, last) = (range.start / 8, range.end.div_ceil(8));
    let all: Vec<u8> = (first..last).flat_map(|number| word(array, number)).collect();
    all[range.start - 8 * first..range.end - 8 * first].to_vec()
}

/// Writes the set by the first dimension in blocks of 8 ranks.
fn write_by_rows(folder: &Path) {
    for rank in 0..8 {
        let mut tensors = BTreeMap::new();
        for (number, (name, extents)) in shapes().into_iter().enumerate() {
            let block = extents[0].div_ceil(8);
            let [start, end] = [rank, rank + 1].map(|rank| (rank * block).min(extents[0]));
            let row = 2 * extents[1..].iter().product::<usize>();
            let bytes = bytes(number, start * row..end * row);
            let mut shape = extents;
            shape[0] = end - start;
            tensors.insert(name, Tensor { dtype: "BF16".into(), shape, bytes });
        }
        fs::write(folder.join(format!("model-{rank}.safetensors")), text(&tensors)).unwrap();
    }
}

/// Rows of 8 ranks, and the last dimension on 2.
fn manifest(files: [&str; 2], to_two: bool) -> String {
    let mut text =
        format!("[defaults]\nelement = \"bf16\"\nin = \"{}\"\nout = \"{}\"\n", files[0], files[1]);
    for (name, extents) in shapes() {
        let [eight, two] = match extents.len() {
            1 => ["block onto 8", "cyclic(64) onto 2"],
            _ => ["(block, *) onto 8", "(*, block) onto 2"],
        };
        let [from, to] = if to_two { [eight, two] } else { [two, eight] };
        text += &format!(
            "[[array]]\nname = \"{name}\"\nextents = {extents:?}\nfrom = \"{from}\"\nto = \"{to}\"\n"
        );
    }
    text
}

fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redist"));
    command.current_dir(folder).args(arguments).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn redist(folder: &Path, arguments: &[&str]) -> Run {
    let output = command(folder, arguments).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

#[track_caller]
fn report(run: &Run) -> Value {
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
    serde_json::from_str(&run.stdout).unwrap()
}

fn checksums(report: &Value) -> Vec<(String, String)> {
    let word = |of: &Value| of.as_str().unwrap().to_owned();
    let arrays = report["arrays"].as_array().unwrap().iter();
    arrays.map(|array| (word(&array["name"]), word(&array["checksum"]))).collect()
}

/// Makes a set of 8 ranks, and manifests from it to 2 ranks and back.
fn with_set(name: &str) -> PathBuf {
    let folder = folder(name);
    for made in ["eight", "two", "again"] {
        fs::create_dir(folder.join(made)).unwrap();
    }
    write_by_rows(&folder.join("eight"));
    let [eight, two, again] =
        ["eight", "two", "again"].map(|of| format!("{of}/model-{{rank}}.safetensors"));
    fs::write(folder.join("to-two.toml"), manifest([&eight, &two], true)).unwrap();
    fs::write(folder.join("again.toml"), manifest([&two, &again], false)).unwrap();
    folder
}

fn same_files(folder: &Path, [one, other]: [&str; 2]) {
    assert_eq!(names(&folder.join(one)), names(&folder.join(other)));
    for name in names(&folder.join(one)) {
        let [one, other] = [one, other].map(|of| read(&folder.join(of).join(&name)));
        assert_eq!(one.len(), other.len(), "{name}");
        for (array, tensor) in &one {
            assert!(other[array] == *tensor, "{name}: {array}");
        }
    }
}

#[test]
fn eight_ranks_become_two_and_eight_again() {
    let folder = with_set("checkpoint");
    let there =
        report(&redist(&folder, &["convert", "to-two.toml", "--json", "--check", "--no-sync"]));
    assert_eq!(
        (&there["checked"], there["arrays"].as_array().unwrap().len()),
        (&true.into(), ARRAYS)
    );
    let back = report(&redist(
        &folder,
        &["convert", "again.toml", "--json", "--no-sync", "--memory", "1MiB"],
    ));
    assert_eq!(checksums(&there), checksums(&back));
    if let Some(peak) = back["peak_resident_bytes"].as_u64() {
        assert!(peak <= (1 << 20) + CONSTANT, "{peak} bytes");
    }
    same_files(&folder, ["eight", "again"]);
    let proof = report(&redist(&folder, &["verify-files", "again.toml", "--json"]));
    assert_eq!(proof["checked"], true);
    // A bit of one array of one file.
    let file = folder.join("again/model-5.safetensors");
    let mut wrong = fs::read(&file).unwrap();
    *wrong.last_mut().unwrap() ^= 1;
    fs::write(&file, wrong).unwrap();
    let run = redist(&folder, &["verify-files", "again.toml"]);
    assert_eq!(run.status, Some(1));
    assert!(
        run.stderr.contains("array `layers.") && run.stderr.contains("model-5"),
        "{}",
        run.stderr
    );
}

#[test]
fn killed_runs_are_continued() {
    let folder = with_set("killed");
    let arguments = ["convert", "to-two.toml", "--json", "--no-sync"];
    let began = Instant::now();
    let expected = checksums(&report(&redist(&folder, &arguments)));
    let whole = began.elapsed();
    let out = folder.join("two");
    let right: Vec<Vec<u8>> =
        names(&out).iter().map(|name| fs::read(out.join(name)).unwrap()).collect();
    let clear = || names(&out).iter().for_each(|name| fs::remove_file(out.join(name)).unwrap());
    clear();
    let (mut random, mut kept, mut killed) = (fastrand::Rng::new(), 0, 0);
    while killed < KILLS {
        let mut child = command(&folder, &arguments).spawn().unwrap();
        sleep(Duration::from_secs_f64(whole.as_secs_f64() * random.f64()));
        child.kill().unwrap();
        if child.wait().unwrap().success() {
            clear();
            continue;
        }
        // A run that had nothing left to do but to end leaves no unfinished file.
        if names(&out) == ["model-0.safetensors", "model-1.safetensors"] {
            assert!(
                names(&out).iter().map(|name| fs::read(out.join(name)).unwrap()).eq(right.clone())
            );
            clear();
            continue;
        }
        killed += 1;
        // No file has its name before all are complete.
        for name in names(&out).iter().filter(|name| !name.starts_with(".redist-")) {
            let number = usize::from(name.contains("-1."));
            assert!(fs::read(out.join(name)).unwrap() == right[number], "{name}");
        }
        if random.bool() {
            let done = report(&redist(&folder, &arguments));
            kept += done["kept"].as_u64().unwrap();
            assert_eq!(checksums(&done), expected);
            assert_eq!(names(&out), ["model-0.safetensors", "model-1.safetensors"]);
            for (name, right) in names(&out).iter().zip(&right) {
                assert!(fs::read(out.join(name)).unwrap() == *right, "{name}");
            }
            clear();
        }
    }
    assert!(kept > 0, "no run had to do less");
}

/// A source that changes after a run was killed is read again.
#[test]
fn sources_that_have_changed_are_read_again() {
    let folder = with_set("changed");
    let arguments = ["convert", "to-two.toml", "--json", "--no-sync"];
    let began = Instant::now();
    report(&redist(&folder, &arguments));
    let whole = began.elapsed();
    (0..2).for_each(|rank| {
        fs::remove_file(folder.join(format!("two/model-{rank}.safetensors"))).unwrap();
    });
    let mut left = false;
    while !left {
        let mut child = command(&folder, &arguments).spawn().unwrap();
        sleep(Duration::from_secs_f64(whole.as_secs_f64() * fastrand::f64()));
        child.kill().unwrap();
        child.wait().unwrap();
        let journal = names(&folder.join("two")).iter().any(|name| {
            let notes = folder.join("two").join(name).join(".redist-journal");
            fs::read_to_string(notes).is_ok_and(|notes| notes.contains("array "))
        });
        left = journal && !folder.join("two/model-0.safetensors").exists();
        let _ = fs::remove_file(folder.join("two/model-0.safetensors"));
        let _ = fs::remove_file(folder.join("two/model-1.safetensors"));
    }
    let file = folder.join("eight/model-0.safetensors");
    let mut bytes = fs::read(&file).unwrap();
    bytes.iter_mut().rev().take(2000).for_each(|byte| *byte ^= 0x55);
    fs::write(&file, bytes).unwrap();
    assert_eq!(report(&redist(&folder, &arguments))["kept"], 0);
    assert_eq!(redist(&folder, &["verify-files", "to-two.toml"]).status, Some(0));
}

const ONE: &str = "[[array]]\nname = \"w\"\nelement = \"bf16\"\nextents = [8, 6]\n\
    from = \"(block, *) onto 2\"\nin = \"in.{rank}.safetensors\"\nout = \"out.safetensors\"\n";

/// Makes an array of two files, and a manifest that joins them.
fn with_one(name: &str) -> PathBuf {
    let folder = folder(name);
    for rank in 0..2 {
        let bytes = (0..48).map(|at| byte(rank, at)).collect();
        let tensor = Tensor { dtype: "BF16".into(), shape: vec![4, 6], bytes };
        let file = text(&BTreeMap::from([("w".to_owned(), tensor)]));
        fs::write(folder.join(format!("in.{rank}.safetensors")), file).unwrap();
    }
    fs::write(folder.join("m.toml"), ONE).unwrap();
    folder
}

#[track_caller]
fn refused(folder: &Path, manifest: &str, (status, words): (i32, &str)) {
    fs::write(folder.join("m.toml"), manifest).unwrap();
    let before = names(folder);
    let run = redist(folder, &["convert", "m.toml", "--no-sync"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{run:?}");
    assert!(run.stderr.contains(words), "{}", run.stderr);
    assert_eq!(names(folder), before);
}

#[test]
fn files_that_lie_are_refused_before_anything_is_written() {
    let folder = with_one("lies");
    let file = folder.join("in.1.safetensors");
    let right = fs::read(&file).unwrap();
    let wrong = |bytes: &[u8], words: &str| {
        fs::write(&file, bytes).unwrap();
        refused(&folder, ONE, (1, words));
    };
    wrong(&right[..right.len() - 1], "bytes by the header, found");
    wrong(&right[..20], "the file ends within its header");
    wrong(&[], "the file ends within its header");
    wrong(&[&right[..], b"x"].concat(), "bytes by the header, found");
    let header = |dtype: &str, shape: &str, from: u64, to: u64| {
        format!(r#"{{"w":{{"dtype":"{dtype}","shape":{shape},"data_offsets":[{from},{to}]}}}}"#)
    };
    let lie = |header: String, words: &str| wrong(&with_header(&header, &[0; 48]), words);
    lie(header("BF16", "[4,7]", 0, 48), "expected 56 bytes for [4, 7] elements of BF16");
    lie(header("BF16", "[6,4]", 0, 48), "shape: expected [4, 6] by the source layout");
    lie(header("F16", "[4,6]", 0, 48), "dtype: expected");
    lie(header("BF16", "[4,6]", 8, 56), "begins at byte 8");
    lie(header("BF16", "[18446744073709551615,2]", 0, 48), "fit no file");
    lie(header("Q4", "[4,6]", 0, 48), "elements of type Q4 are not known");
    lie(header("BF16", "[4,6]", 0, 48).replace("\"w\"", "\"v\""), "has no array `w`");
    fs::remove_file(&file).unwrap();
    refused(&folder, ONE, (1, "in.1.safetensors: No such file"));
    // A header as long as a sparse file.
    let sparse = File::create(&file).unwrap();
    sparse.set_len(1 << 40).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&sparse, &(1u64 << 39).to_le_bytes(), 0).unwrap();
    refused(&folder, ONE, (1, "expected at most 100000000 bytes"));
}

#[test]
fn sources_and_names_are_looked_at() {
    let folder = with_one("looked_at");
    symlink("in.0.safetensors", folder.join("out.safetensors")).unwrap();
    refused(&folder, ONE, (1, "is a link, which no file replaces"));
    fs::remove_file(folder.join("out.safetensors")).unwrap();
    refused(&folder, &ONE.replace("out.safe", "in.0.safe"), (1, "is read from"));
    let c64 = ONE
        .replace("element = \"bf16\"", "element = \"c64\"")
        .replace("in.{rank}.safetensors", "in.{rank}.bin");
    for rank in 0..2 {
        fs::write(folder.join(format!("in.{rank}.bin")), [0; 384]).unwrap();
    }
    refused(&folder, &c64.replace("c64", "Particle"), (2, "are not known; give them by"));
    refused(&folder, &c64, (2, "safetensors has no type for elements of type c64"));
    let fortran = format!("{ONE}to = \"(*, *) storage fortran\"\n");
    refused(&folder, &fortran, (1, "write `storage c` in the layout"));
    let twice = format!("{ONE}{}", ONE.replace("[[array]]\n", "\n[[array]]\n"));
    refused(&folder, &twice, (1, "array `w` is written twice"));
    let npy = twice.replace("out.safetensors", "out.npy");
    refused(&folder, &npy, (1, "is the file of two arrays; write `{name}`"));
    refused(
        &folder,
        &ONE.replace("in.{rank}", "../looked_at/{name}.{rank}"),
        (1, "w.0.safetensors"),
    );
    refused(
        &folder,
        &ONE.replace("\"w\"", "\"../w\"").replace("in.{rank}", "{name}.{rank}"),
        (2, "is no part of one"),
    );
    refused(&folder, &ONE.replace("extents = [8, 6]\n", ""), (2, "has no `extents`"));
    refused(&folder, "", (2, "the manifest has no `[[array]]`"));
    refused(&folder, "[[array]]\nnmae = 1\n", (2, "unknown field `nmae`"));
    let run = redist(&folder, &["convert", "m.toml", "--in", "x"]);
    assert!(run.status == Some(2) && run.stderr.contains("a manifest says the files"), "{run:?}");
}

#[test]
fn an_index_is_written_and_read() {
    let folder = with_one("index");
    let two =
        format!("shard_bytes = 60\n{}", ONE.replace("out.safetensors", "m.safetensors.index.json"));
    let both = format!(
        "{two}[[array]]\nname = \"v\"\nelement = \"f8_e4m3\"\nextents = [48]\nin = \"v.bin\"\nout = \"m.safetensors.index.json\"\n"
    );
    fs::write(folder.join("v.bin"), [7; 48]).unwrap();
    fs::write(folder.join("m.toml"), &both).unwrap();
    report(&redist(&folder, &["convert", "m.toml", "--json", "--no-sync", "--check"]));
    let tensors = read(&folder.join("m-00002-of-00002.safetensors"));
    assert_eq!((tensors["v"].dtype.as_str(), &tensors["v"].bytes), ("F8_E4M3", &vec![7; 48]));
    let index: Value =
        serde_json::from_slice(&fs::read(folder.join("m.safetensors.index.json")).unwrap())
            .unwrap();
    assert_eq!(index["weight_map"]["w"], "m-00001-of-00002.safetensors");
    assert_eq!(index["metadata"]["total_size"], 144);
    assert_eq!(redist(&folder, &["verify-files", "m.toml"]).status, Some(0));
    // All arrays of the index, by their names, whose extents and types it says.
    let all = "[[array]]\nname = \"*\"\nin = \"m.safetensors.index.json\"\nout = \"{name}.npy\"\n";
    fs::write(folder.join("all.toml"), all).unwrap();
    report(&redist(&folder, &["convert", "all.toml", "--json", "--no-sync"]));
    assert!(folder.join("v.npy").exists() && folder.join("w.npy").exists());
    fs::remove_file(folder.join("m-00002-of-00002.safetensors")).unwrap();
    let run = redist(&folder, &["convert", "all.toml", "--force"]);
    assert_eq!(run.status, Some(1));
    assert!(run.stderr.contains("m-00002-of-00002.safetensors"), "{}", run.stderr);
    let outside = r#"{"weight_map": {"w": "../index/in.0.safetensors"}}"#;
    fs::write(folder.join("m.safetensors.index.json"), outside).unwrap();
    let run = redist(&folder, &["convert", "all.toml", "--force"]);
    assert!(run.stderr.contains("no name of a file beside it"), "{}", run.stderr);
}

#[test]
fn copies_are_written_to_each() {
    let folder = with_one("copies");
    let all = format!("{}to = \"(*, *) copies 3\"\n", ONE.replace("out.safe", "out.{rank}.safe"));
    fs::write(folder.join("m.toml"), &all).unwrap();
    let done = report(&redist(&folder, &["convert", "m.toml", "--json", "--no-sync", "--check"]));
    assert_eq!(done["arrays"].as_array().unwrap().len(), 3, "an outcome for each copy");
    let [first, second, third] =
        [0, 1, 2].map(|rank| read(&folder.join(format!("out.{rank}.safetensors"))));
    assert!(first == second && second == third && first["w"].shape == [8, 6]);
    // A source of copies is read from the first, and one file gets one of them.
    let back = "[[array]]\nname = \"w\"\nextents = [8, 6]\nfrom = \"(*, *) copies 3\"\n\
        to = \"(*, *) copies 2\"\nin = \"out.{rank}.safetensors\"\nout = \"whole.safetensors\"\n";
    fs::write(folder.join("m.toml"), back).unwrap();
    let done = report(&redist(&folder, &["convert", "m.toml", "--json", "--no-sync"]));
    assert_eq!(done["arrays"].as_array().unwrap().len(), 1);
    assert!(read(&folder.join("whole.safetensors")) == first);
}

/// Only root may mount a small file system.
#[test]
fn a_full_disk_leaves_nothing() {
    let folder = with_set("full");
    let script = "mount -t tmpfs -o size=600k none two && \
        { \"$0\" convert to-two.toml --json; echo $?; ls -A two; }";
    let mut shell = Command::new("unshare");
    shell.current_dir(&folder).args(["-m", "sh", "-c", script, env!("CARGO_BIN_EXE_redist")]);
    let Ok(output) = shell.output() else { return };
    let [told, out] = [output.stderr, output.stdout].map(|text| String::from_utf8(text).unwrap());
    if told.contains("mount:") || told.contains("unshare:") {
        return;
    }
    assert_eq!(out, "1\n", "{told}");
    assert!(told.contains("No space left on device") && told.contains("array `layers."), "{told}");
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = with_set("dry");
    let run = redist(&folder, &["convert", "to-two.toml", "--dry-run", "--json"]);
    let expected = report(&run);
    assert_eq!(expected["arrays"].as_array().unwrap().len(), ARRAYS);
    assert_eq!(
        (expected["files"].as_array().unwrap().len(), &expected["files_read"]),
        (2, &8.into())
    );
    assert_eq!(names(&folder.join("two")), [""; 0]);
    report(&redist(&folder, &["convert", "to-two.toml", "--json", "--no-sync"]));
    let bytes: u64 = (0..2)
        .map(|rank| {
            fs::metadata(folder.join(format!("two/model-{rank}.safetensors"))).unwrap().len()
        })
        .sum();
    assert_eq!(expected["disk_bytes"], bytes);
    let words = redist(&folder, &["convert", "again.toml", "--dry-run"]).stdout;
    assert!(words.contains("of 300 arrays from 2 files to 8 files"), "{words}");
    assert!(words.contains("(*, block) onto 2 to (block, *) onto 8"), "{words}");
}
