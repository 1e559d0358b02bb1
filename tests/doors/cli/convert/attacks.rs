//! Deceptive names, concurrent and killed runs, oversized texts: files stay whole.

use super::stored::npy_header;
use super::{folder, names};
use crate::cli::process::{Run, redist};
use std::fs::{self, File};
use std::os::unix::fs::{FileTypeExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

const COLUMNS: &str = "[f64; 8, 8] { from: (block, *) onto 2, to: (*, block) onto 2 }";

/// Leaves a killed run's folder with an unheld lock.
fn leave(folder: &Path, files: &[&str]) -> PathBuf {
    let left = folder.join(".redist-part-left");
    fs::create_dir(&left).unwrap();
    for file in files.iter().chain(&[".redist-lock"]) {
        fs::write(left.join(file), [1; 512]).unwrap();
    }
    left
}

fn with_input(name: &str) -> PathBuf {
    let folder = folder(name);
    fs::write(folder.join("in.bin"), input()).unwrap();
    folder
}

fn input() -> Vec<u8> {
    (0..512u32).map(|byte| (byte % 251) as u8).collect()
}

fn command(folder: &Path, text: &str, files: [&str; 2], options: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redist"));
    command.current_dir(folder).args(["convert", text, "--in", files[0], "--out", files[1]]);
    command.args(["--no-sync"]).args(options).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

fn ended(output: Output) -> Run {
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Run { status: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}

fn convert(folder: &Path, text: &str, files: [&str; 2], options: &[&str]) -> Run {
    ended(command(folder, text, files, options).output().unwrap())
}

#[track_caller]
fn done(run: &Run) {
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), ""));
}

#[track_caller]
fn refused(run: &Run, status: i32, words: &str) {
    assert_eq!((run.status, run.stdout.as_str()), (Some(status), ""), "{run:?}");
    assert!(run.stderr.contains(words) && run.stderr.lines().count() == 1, "{}", run.stderr);
}

#[test]
fn what_is_no_file_is_found_before_anything_is_written() {
    let folder = with_input("no_file");
    let files = ["in.bin", "o.{rank}.bin"];
    fs::write(folder.join("o.0.bin"), "old").unwrap();
    let last = folder.join("o.1.bin");
    let refused = |sort: &str| {
        let before = names(&folder);
        for options in [&[][..], &["--force"]] {
            if !options.is_empty() {
                let run = convert(&folder, COLUMNS, files, options);
                refused(&run, 1, &format!("o.1.bin: is {sort}, which no file replaces"));
            }
            assert_eq!(fs::read(folder.join("o.0.bin")).unwrap(), b"old");
            assert_eq!(names(&folder), before);
        }
    };
    fs::create_dir(&last).unwrap();
    refused("a folder");
    fs::remove_dir(&last).unwrap();
    assert!(Command::new("mkfifo").arg(&last).status().unwrap().success());
    refused("a FIFO");
    assert!(fs::metadata(&last).unwrap().file_type().is_fifo());
    fs::remove_file(&last).unwrap();
    // A link to a file, to nothing, and to the input.
    fs::write(folder.join("precious"), "precious").unwrap();
    for target in ["precious", "nothing", "in.bin"] {
        symlink(target, &last).unwrap();
        refused("a link");
        assert_eq!(fs::read_link(&last).unwrap(), Path::new(target));
        fs::remove_file(&last).unwrap();
    }
    assert_eq!(fs::read(folder.join("precious")).unwrap(), b"precious");
    assert_eq!(fs::read(folder.join("in.bin")).unwrap(), input());
}

/// Containers allow to make a device; elsewhere it is a link to one.
#[test]
fn devices_stay_devices() {
    let folder = with_input("device");
    let device = folder.join("nul");
    let made = Command::new("mknod").arg(&device).args(["c", "1", "3"]).output().unwrap();
    if !made.status.success() {
        symlink("/dev/null", &device).unwrap();
    }
    let run = convert(&folder, COLUMNS, ["in.bin", "nul"], &["--force"]);
    refused(&run, 1, "which no file replaces");
    assert!(fs::metadata(&device).unwrap().file_type().is_char_device());
}

#[test]
fn what_is_no_file_is_not_waited_for() {
    let folder = with_input("waits");
    for name in ["fifo", "fifo.npy"] {
        assert!(Command::new("mkfifo").arg(folder.join(name)).status().unwrap().success());
        refused(&convert(&folder, COLUMNS, [name, "o"], &[]), 1, "is a FIFO, no file");
    }
    refused(&convert(&folder, COLUMNS, [".", "o"], &[]), 2, "found that of a folder");
    fs::create_dir(folder.join("sub")).unwrap();
    refused(&convert(&folder, COLUMNS, ["sub", "o"], &[]), 1, "sub: is a folder, no file");
    let check = ["convert", COLUMNS, "--in", "in.bin", "--out", "fifo", "--check-only"];
    let run = Command::new(env!("CARGO_BIN_EXE_redist")).current_dir(&folder).args(check).output();
    let run = ended(run.unwrap());
    refused(&run, 1, "fifo: is a FIFO, no file");
    refused(
        &convert(&folder, COLUMNS, ["in.bin", "none/o"], &[]),
        1,
        "none: there is no such folder",
    );
    refused(&convert(&folder, COLUMNS, ["in.bin", "in.bin/o"], &[]), 1, "in.bin/o: Not a dir");
}

#[test]
fn names_of_unfinished_files_that_can_be_foreseen_are_not_used() {
    let folder = with_input("foreseen");
    fs::write(folder.join("victim"), "precious").unwrap();
    symlink("in.bin", folder.join(".o.0.bin.redist-part")).unwrap();
    symlink("victim", folder.join(".o.1.bin.redist-part")).unwrap();
    fs::hard_link(folder.join("in.bin"), folder.join(".o.2.bin.redist-part")).unwrap();
    let before = names(&folder);
    let text = COLUMNS.replace("(*, block) onto 2", "(*, block) onto 3");
    done(&convert(&folder, &text, ["in.bin", "o.{rank}.bin"], &[]));
    assert_eq!(fs::read(folder.join("in.bin")).unwrap(), input());
    assert_eq!(fs::read(folder.join("victim")).unwrap(), b"precious");
    for rank in 0..3 {
        assert!(folder.join(format!("o.{rank}.bin")).symlink_metadata().unwrap().is_file());
    }
    assert_eq!(names(&folder).len(), before.len() + 3);
}

#[test]
fn an_input_among_what_a_killed_run_has_left_is_kept() {
    let folder = folder("input_left");
    let left = leave(&folder, &["o.0.bin"]);
    fs::write(left.join("o.0.bin"), input()).unwrap();
    let given = ".redist-part-left/o.0.bin";
    done(&convert(&folder, COLUMNS, [given, "o.{rank}.bin"], &[]));
    assert_eq!(fs::read(left.join("o.0.bin")).unwrap(), input());
    refused(&convert(&folder, COLUMNS, [given, given], &["--force"]), 1, "is read from");
    assert_eq!(fs::read(left.join("o.0.bin")).unwrap(), input());
    // The next run that reads something else removes it.
    fs::write(folder.join("in.bin"), input()).unwrap();
    done(&convert(&folder, COLUMNS, ["in.bin", "o.{rank}.bin"], &["--force"]));
    assert_eq!(names(&folder), ["in.bin", "o.0.bin", "o.1.bin"]);
}

#[test]
fn links_in_what_is_left_are_removed_and_not_followed() {
    let folder = with_input("left_links");
    let left = leave(&folder, &[]);
    fs::create_dir(folder.join("user")).unwrap();
    fs::write(folder.join("user/file"), "precious").unwrap();
    symlink("../user", left.join("folder")).unwrap();
    symlink("../user/file", left.join("file")).unwrap();
    done(&convert(&folder, COLUMNS, ["in.bin", "o"], &[]));
    assert_eq!(names(&folder), ["in.bin", "o", "user"]);
    assert_eq!(fs::read(folder.join("user/file")).unwrap(), b"precious");
    // A user's own folder with a similar name has no lock in it, or a folder.
    let left = leave(&folder, &[]);
    fs::create_dir(left.join("folder")).unwrap();
    fs::create_dir(folder.join(".redist-part-mine")).unwrap();
    fs::write(folder.join(".redist-part-mine/file"), "precious").unwrap();
    done(&convert(&folder, COLUMNS, ["in.bin", "o"], &["--force"]));
    assert!(left.join("folder").is_dir());
    assert_eq!(fs::read(folder.join(".redist-part-mine/file")).unwrap(), b"precious");
}

const LARGE: &str =
    "[f64; 1024, 2048] { from: (block, *) onto 3, to: (*, block) onto 5 storage fortran }";

fn with_large_inputs(name: &str) -> PathBuf {
    let folder = folder(name);
    for (name, number) in [("a", 1.0f64), ("b", 2.0)] {
        fs::write(folder.join(name), number.to_ne_bytes().repeat(1024 * 2048)).unwrap();
    }
    folder
}

#[track_caller]
fn whose(file: &Path) -> f64 {
    let bytes = fs::read(file).unwrap();
    let first = bytes[..8].to_vec();
    assert!(bytes.chunks(8).all(|number| number == first), "{} is mixed", file.display());
    f64::from_ne_bytes(first.try_into().unwrap())
}

fn signal(run: &Child, name: &str) {
    let sent = Command::new("kill").args([&format!("-{name}"), &run.id().to_string()]).status();
    assert!(sent.unwrap().success());
}

fn stopped(folder: &Path, text: &str, files: [&str; 2], options: &[&str]) -> Child {
    let run = command(folder, text, files, &[&["--threads", "1"], options].concat()).spawn();
    let (run, since) = (run.unwrap(), Instant::now());
    let has_begun = || {
        let name = names(folder).into_iter().find(|name| name.starts_with(".redist-part-"));
        name.is_some_and(|name| names(&folder.join(name)).len() > 5)
    };
    while !has_begun() {
        assert!(since.elapsed() < Duration::from_secs(60), "nothing was written");
        sleep(Duration::from_millis(1));
    }
    signal(&run, "STOP");
    run
}

#[test]
fn runs_that_share_files_do_not_mix() {
    for options in [&[][..], &["--force"]] {
        let folder = with_large_inputs("share");
        let first = stopped(&folder, LARGE, ["a", "o.{rank}"], options);
        // The other run's first file is the first run's second.
        let others = LARGE.replace("onto 5", "onto 5 ranks 1..6");
        let run = convert(&folder, &others, ["b", "o.{rank}"], options);
        done(&run);
        signal(&first, "CONT");
        let first = ended(first.wait_with_output().unwrap());
        let wanted = match options {
            // It has replaced all of its files, after the other run.
            ["--force"] => {
                assert_eq!(first.status, Some(0), "{first:?}");
                vec![1.0, 1.0, 1.0, 1.0, 1.0, 2.0]
            }
            _ => {
                refused(&first, 1, "o.1: is there");
                vec![2.0; 5]
            }
        };
        let made: Vec<String> =
            names(&folder).into_iter().filter(|name| !["a", "b"].contains(&&**name)).collect();
        let numbers: Vec<f64> = made.iter().map(|name| whose(&folder.join(name))).collect();
        assert_eq!(numbers, wanted, "{made:?}");
    }
}

#[test]
fn what_a_killed_run_has_left_goes_whatever_ranks_come_next() {
    let folder = with_large_inputs("killed");
    let mut first = stopped(&folder, LARGE, ["a", "o.{rank}"], &[]);
    // A run in between takes it for alive.
    done(&convert(&folder, LARGE, ["b", "p"], &[]));
    assert!(names(&folder).iter().any(|name| name.starts_with(".redist-part-")));
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(names(&folder).len(), 4, "nothing has its name yet");
    done(&convert(&folder, &LARGE.replace("onto 5", "onto 2"), ["b", "o.{rank}"], &[]));
    assert_eq!(names(&folder), ["a", "b", "o.0", "o.1", "p"]);
    assert_eq!((whose(&folder.join("o.0")), whose(&folder.join("o.1"))), (2.0, 2.0));
}

#[test]
fn files_of_an_older_set_are_told_of() {
    let folder = with_input("older");
    fs::write(folder.join("o.2"), "old").unwrap();
    let run = convert(&folder, COLUMNS, ["in.bin", "o.{rank}"], &[]);
    let warning = "warning: o.2: stays, and is of no rank of this layout\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), warning));
    assert_eq!(fs::read(folder.join("o.2")).unwrap(), b"old");
}

/// Wherever they are: behind a gap, before the first rank, in folders of their own.
#[test]
fn all_files_of_an_older_set_are_told_of() {
    let folder = with_input("older_set");
    for name in ["o.7", "o.12", "o.x", "o.007", "p.0", "p.9"] {
        fs::write(folder.join(name), "old").unwrap();
    }
    let run = convert(&folder, COLUMNS, ["in.bin", "o.{rank}"], &[]);
    let warning = "warning: o.7 and o.12: stay, and are of no rank of this layout\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), warning));
    let shifted = COLUMNS.replace("(*, block) onto 2", "(*, block) onto 2 ranks 1..3");
    let run = convert(&folder, &shifted, ["in.bin", "p.{rank}"], &[]);
    let warning = "warning: p.0 and p.9: stay, and are of no rank of this layout\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), warning));
    for rank in 0..6 {
        fs::create_dir(folder.join(rank.to_string())).unwrap();
        if rank > 1 {
            fs::write(folder.join(rank.to_string()).join("q"), "old").unwrap();
        }
    }
    let run = convert(&folder, COLUMNS, ["in.bin", "{rank}/q"], &[]);
    let warning = "warning: 2/q, 3/q, 4/q and 1 more: stay, and are of no rank of this layout\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), warning));
}

/// Four ranks have left their parts, all of one size; the layout has two ranks.
#[test]
fn inputs_of_more_ranks_are_told_of() {
    let folder = folder("more_ranks");
    let text = "[u8; 8] { from: block onto 2, to: * }";
    for rank in 0..4u8 {
        fs::write(folder.join(format!("part.{rank}.bin")), [rank; 4]).unwrap();
    }
    let run = convert(&folder, text, ["part.{rank}.bin", "whole.bin"], &[]);
    let warning = "warning: part.2.bin and part.3.bin: are not read, because the source layout has 2 ranks without these; \
                   if the array is of more ranks, write its layout\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), warning));
    fs::remove_file(folder.join("part.2.bin")).unwrap();
    let check = ["convert", text, "--in", "part.{rank}.bin", "--out", "whole.bin", "--check-only"];
    let run = Command::new(env!("CARGO_BIN_EXE_redist")).current_dir(&folder).args(check).output();
    let run = ended(run.unwrap());
    let warning = "warning: part.3.bin: is not read, because the source layout has 2 ranks without this one; \
                   if the array is of more ranks, write its layout\n";
    assert_eq!((run.status, run.stderr.as_str()), (Some(0), warning));
    fs::remove_file(folder.join("part.3.bin")).unwrap();
    done(&convert(&folder, text, ["part.{rank}.bin", "whole.bin"], &["--force"]));
}

/// The folder of unfinished files is moved away, and a link to another folder has its name.
#[test]
fn a_link_in_place_of_unfinished_files_is_not_followed() {
    for options in [&[][..], &["--force"]] {
        let folder = with_large_inputs("unfinished_link");
        let run = stopped(&folder, LARGE, ["a", "o.{rank}"], options);
        let other = folder.join("v");
        fs::create_dir(&other).unwrap();
        for name in ["victim", "o.0", "o.1", "o.2", "o.3", "o.4", ".redist-lock"] {
            fs::write(other.join(name), "precious").unwrap();
        }
        let is_part = |name: &String| name.starts_with(".redist-part-");
        let part = names(&folder).into_iter().find(is_part).unwrap();
        fs::rename(folder.join(&part), folder.join("moved")).unwrap();
        symlink("v", folder.join(&part)).unwrap();
        signal(&run, "CONT");
        let run = ended(run.wait_with_output().unwrap());
        assert_eq!((run.status, run.stdout.as_str()), (Some(1), ""), "{run:?}");
        assert!(run.stderr.contains("was replaced meanwhile"), "{}", run.stderr);
        assert_eq!(names(&other).len(), 7, "{:?}", names(&other));
        for name in names(&other) {
            assert_eq!(fs::read(other.join(name)).unwrap(), b"precious");
        }
        assert_eq!(names(&folder.join("moved")), [""; 0], "its own files are removed");
        // The next run takes neither the link nor its folder for left.
        done(&convert(&folder, LARGE, ["b", "o.{rank}"], options));
        assert_eq!(names(&other).len(), 7);
    }
}

#[test]
fn a_file_that_appears_meanwhile_is_kept() {
    let folder = with_large_inputs("appears");
    let first = stopped(&folder, LARGE, ["a", "o.{rank}"], &[]);
    fs::write(folder.join("o.4"), "precious").unwrap();
    signal(&first, "CONT");
    refused(&ended(first.wait_with_output().unwrap()), 1, "o.4: is there");
    assert_eq!(names(&folder), ["a", "b", "o.4"]);
    assert_eq!(fs::read(folder.join("o.4")).unwrap(), b"precious");
    // A folder in the way of `--force`, when all else has been written.
    let first = stopped(&folder, LARGE, ["a", "o.{rank}"], &["--force"]);
    fs::create_dir(folder.join("o.2")).unwrap();
    signal(&first, "CONT");
    refused(&ended(first.wait_with_output().unwrap()), 1, "o.2: is a folder");
    assert_eq!(names(&folder), ["a", "b", "o.2", "o.4"]);
    assert_eq!(fs::read(folder.join("o.4")).unwrap(), b"precious");
}

#[test]
fn an_input_that_is_replaced_meanwhile_is_not_mixed_with_the_new_one() {
    let folder = folder("input_replaced");
    for rank in 0..64 {
        fs::write(folder.join(format!("a.{rank}")), [1; 1 << 18]).unwrap();
    }
    fs::write(folder.join("b"), [2; 1 << 18]).unwrap();
    // Most files are opened again for every use.
    let text = LARGE.replace("onto 3", "onto 64");
    let mut run = with_limit(&folder, 24, &text, ["a.{rank}", "p.{rank}"]);
    let run = run.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    while !names(&folder).iter().any(|name| name.starts_with(".redist-part-")) {
        sleep(Duration::from_millis(1));
    }
    fs::rename(folder.join("b"), folder.join("a.63")).unwrap();
    refused(&ended(run.wait_with_output().unwrap()), 1, "a.63: was replaced meanwhile");
    assert_eq!(names(&folder).len(), 64);
}

fn with_limit(folder: &Path, limit: usize, text: &str, files: [&str; 2]) -> Command {
    let mut command = Command::new("sh");
    let script = format!("ulimit -n {limit}; exec \"$@\"");
    command.current_dir(folder).args(["-c", &script, "sh", env!("CARGO_BIN_EXE_redist")]);
    command.args(["convert", text, "--in", files[0], "--out", files[1], "--no-sync", "--check"]);
    command
}

#[test]
fn no_more_files_are_open_than_the_limit_leaves() {
    let folder = folder("limit");
    fs::write(folder.join("in"), [7; 4 * 300 * 8]).unwrap();
    let text = "[u8; 1200, 8] { from: (block, *) onto 150, to: (cyclic, *) onto 300 }";
    for limit in [20, 64, 256] {
        let run = ended(with_limit(&folder, limit, text, ["in", "o.{rank}"]).output().unwrap());
        done(&run);
        let back = "[u8; 1200, 8] { from: (cyclic, *) onto 300, to: (block, *) onto 150 }";
        done(&ended(with_limit(&folder, limit, back, ["o.{rank}", "p.{rank}"]).output().unwrap()));
        assert_eq!(names(&folder).len(), 1 + 300 + 150);
        for name in names(&folder).iter().filter(|name| *name != "in") {
            fs::remove_file(folder.join(name)).unwrap();
        }
    }
    // A folder for each rank.
    for rank in 0..30 {
        fs::create_dir(folder.join(rank.to_string())).unwrap();
    }
    let text = "[u8; 1200, 8] { from: (block, *) onto 2, to: (cyclic, *) onto 30 }";
    let run = ended(with_limit(&folder, 30, text, ["in", "{rank}/o"]).output().unwrap());
    refused(&run, 1, "for 30 folders, and each takes an open file");
    done(&ended(with_limit(&folder, 60, text, ["in", "{rank}/o"]).output().unwrap()));
    assert_eq!(names(&folder.join("29")), ["o"]);
}

#[test]
fn two_names_of_one_file_are_told_apart() {
    let folder = with_input("one_folder");
    fs::create_dir(folder.join("0")).unwrap();
    symlink("0", folder.join("1")).unwrap();
    let run = convert(&folder, COLUMNS, ["in.bin", "{rank}/o"], &[]);
    refused(&run, 1, "1/o: is the file of two ranks");
    assert_eq!(names(&folder.join("0")), [""; 0]);
    // Different files in it do not conflict.
    done(&convert(&folder, COLUMNS, ["in.bin", "{rank}/o.{rank}"], &[]));
    assert_eq!(names(&folder.join("0")), ["o.0", "o.1"]);
}

#[test]
fn other_formats_and_placeholders_are_refused_by_name() {
    let folder = with_input("names");
    for (name, found) in [
        ("o.{rank}.NPZ", "`.NPZ`"),
        ("o.{rank}.h4", "`.h4`"),
        ("o.{rank}.zarr", "`.zarr`"),
        ("o.{rank}.Safetensors", "`.Safetensors` is no ending of files here"),
        ("o.nc.{rank:04}", "`.nc`"),
        ("o.npy.{rank}", "`.npy` is no ending here; write the rank before it"),
        ("o.{rank}.NPY", "`.NPY`"),
        ("o.{Rank}.npy", "`{Rank}`"),
        ("o.{}.npy", "`{}`"),
        ("o.%d.npy", "`%d`"),
        ("o.{r}.npy", "`{r}`"),
    ] {
        refused(&convert(&folder, COLUMNS, ["in.bin", name], &[]), 2, found);
        refused(&convert(&folder, COLUMNS, [name, "o"], &[]), 2, found);
        assert_eq!(names(&folder), ["in.bin"]);
    }
}

const ANY: &str = "struct A<T>: [T; 4, 6] { from: (block, *) onto 2, to: (*, block) onto 3 }";

#[test]
fn dates_and_texts_move_as_bytes() {
    let folder = folder("dtypes");
    for (dtype, written, width) in [
        ("<M8[ns]", "<M8[ns]", 8),
        ("<m8[25s]", "<m8[25s]", 8),
        ("<U2", "<U2", 8),
        ("|S2", "|S2", 2),
        ("=f8", if cfg!(target_endian = "little") { "<f8" } else { ">f8" }, 8),
    ] {
        let elements: Vec<u8> = (0..24 * width).map(|byte| byte as u8).collect();
        let file = [npy_header(dtype, false, &[4, 6]), elements.clone()].concat();
        fs::write(folder.join("in.npy"), file).unwrap();
        done(&convert(&folder, ANY, ["in.npy", "o.{rank}.npy"], &["--force", "--check"]));
        let rows = elements.chunks(6 * width).flat_map(|row| row[2 * width..4 * width].to_vec());
        let wanted = [npy_header(written, false, &[4, 2]), rows.collect()].concat();
        assert!(fs::read(folder.join("o.1.npy")).unwrap() == wanted, "{dtype}");
    }
    for dtype in ["|O", "|O8", "<M8[\u{1b}[31m]"] {
        fs::write(folder.join("in.npy"), npy_header(dtype, false, &[4, 6])).unwrap();
        let run = convert(&folder, ANY, ["in.npy", "o.{rank}.npy"], &["--force"]);
        refused(&run, 1, "expected elements of a plain type");
        assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
    }
}

#[test]
fn a_header_that_is_cut_off_is_told() {
    let folder = folder("cut");
    let whole = npy_header("<f8", false, &[4, 6]);
    for len in [9, 40, whole.len() - 1] {
        fs::write(folder.join("in.npy"), &whole[..len]).unwrap();
        let run = convert(&folder, ANY, ["in.npy", "o"], &[]);
        refused(&run, 1, "in.npy: the file ends within its header");
    }
}

#[test]
fn the_checksum_does_not_depend_on_the_order_of_a_file() {
    let folder = folder("orders");
    let number = |row: usize, column: usize| ((row * 6 + column) as f64).to_le_bytes();
    let rows: Vec<u8> = (0..24).flat_map(|at| number(at / 6, at % 6)).collect();
    let columns: Vec<u8> = (0..24).flat_map(|at| number(at % 4, at / 4)).collect();
    fs::write(folder.join("c.npy"), [npy_header("<f8", false, &[4, 6]), rows].concat()).unwrap();
    let file = [npy_header("<f8", true, &[4, 6]), columns.clone()].concat();
    fs::write(folder.join("f.npy"), file).unwrap();
    fs::write(folder.join("f.bin"), columns).unwrap();
    let fortran = "[f64; 4, 6] { from: (*, *) storage fortran, to: (*, block) onto 3 }";
    let checksum = |text: &str, file: &str| {
        let run = convert(&folder, text, [file, "o.{rank}"], &["--force", "--json"]);
        done(&run);
        let report: serde_json::Value = serde_json::from_str(&run.stdout).unwrap();
        report["checksum"].as_str().unwrap().to_owned()
    };
    let one = checksum(ANY, "c.npy");
    assert_eq!((checksum(ANY, "f.npy"), checksum(fortran, "f.bin")), (one.clone(), one));
}

#[test]
fn an_empty_array_may_be_as_long_as_any() {
    let folder = folder("empty");
    File::create(folder.join("in")).unwrap();
    let text = "[u8; 0, 9223372036854775807] { from: (*, block) onto 4, to: (*, cyclic) onto 3 }";
    done(&convert(&folder, text, ["in", "o.{rank}"], &["--check"]));
    assert_eq!(names(&folder), ["in", "o.0", "o.1", "o.2"]);
    let text = "[u8; 0, 9223372036854775807] { from: (*, *), to: (*, cyclic) onto 100000000 }";
    refused(&convert(&folder, text, ["in", "p.{rank}"], &[]), 2, "100000000 ranks, each with");
    let text = "[u8; 900000000] { from: cyclic onto 100000000, to: * }";
    refused(&convert(&folder, text, ["p.{rank}", "p"], &[]), 2, "100000000 ranks, each with");
}

#[test]
fn texts_that_nest_are_refused_and_not_followed_to_the_end_of_the_stack() {
    let deep = |open: &str, close: &str| open.repeat(100_000) + "1" + &close.repeat(100_000);
    for size in [
        deep("(", ")"),
        deep("[", "]"),
        deep("{", "}"),
        deep("- ", ""),
        deep("!", ""),
        deep("1 + ", ""),
        deep("if a {} else ", ""),
        deep("A::<", ">"),
        format!("a{}", ".b".repeat(100_000)),
        format!("a{}", "(1)".repeat(100_000)),
    ] {
        let path =
            crate::cli::process::file("deep.txt", &format!("[u8; {size}] {{ from: *, to: * }}"));
        let run = redist(&["explain", path.to_str().unwrap()]);
        let first = "error: this is nested more than 256 deep\n";
        assert!(run.status == Some(2) && run.stderr.starts_with(first), "{run:.2000?}");
        assert!(run.stderr.len() < 2000, "{} bytes", run.stderr.len());
    }
    // As deep as the reader goes, in the costliest ways.
    for size in [
        "(".repeat(250) + "1" + &")".repeat(250),
        "{".repeat(250) + "1" + &"}".repeat(250),
        "- ".repeat(250) + "1",
        "1 + ".repeat(120) + "1",
        "if a {} else ".repeat(60) + "{}",
    ] {
        let run = redist(&["explain", &format!("[u8; {size}] {{ from: *, to: * }}")]);
        assert!(matches!(run.status, Some(0 | 2)), "{run:?}");
    }
    let value = "N=".to_owned() + &"- ".repeat(10_000) + "1";
    let run = redist(&["explain", "[u8; N] { from: *, to: * }", "--set", &value]);
    assert!(run.stderr.starts_with("error: this is nested more than 256 deep\n"), "{run:.2000?}");
}

#[test]
fn of_many_mistakes_some_are_told() {
    let list = vec!["x"; 10_000].join(", ");
    let text = format!("[u8; 9] {{ from: gen_block([{list}]) onto 10000, to: * }}");
    let path = crate::cli::process::file("many.txt", &text);
    let run = redist(&["explain", path.to_str().unwrap()]);
    assert_eq!(run.status, Some(2));
    assert!(run.stderr.ends_with("error: 9_980 mistakes besides\n"), "{}", run.stderr);
    assert!(run.stderr.len() < 30_000, "{} bytes", run.stderr.len());
}

#[test]
fn an_array_without_extents_is_one_element_or_a_mistake() {
    let run = redist(&["explain", "[f64; ] { from: (), to: () }"]);
    assert_eq!(run.status, Some(0), "{run:?}");
    assert!(run.stdout.starts_with("1 element of f64: 8 bytes\n"), "{run:?}");
    let run = redist(&["explain", "[f64; ] { from: *, to: () }"]);
    let words = "error: the array needs at least one extent, as in `[f64; 1000]`\n";
    assert_eq!(run.status, Some(2), "{run:?}");
    assert!(run.stderr.starts_with(words) && run.stderr.matches("error").count() == 1, "{run:?}");
}
