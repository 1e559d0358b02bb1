//! Runs in a process of their own, which finds the store by its environment.

use super::{Server, quick};
use redist_files::{FilesError, Manifest, Run, RunOptions, Unwatched};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Names the folder of a child's run.
const CHILD: &str = "REDIST_STORES_CHILD";

/// Names the task of a child.
const TASK: &str = "REDIST_STORES_TASK";

/// The longest that a run takes; one that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// The work of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Task {
    Convert,
    /// Every element is compared before the files get their names.
    Check,
    /// Files are replaced.
    Force,
    Compare,
    /// Returns the bytes that wait in the folder for temporary files.
    Expect,
}

/// Runs a manifest when [`run`] starts this program again; is no test else.
#[test]
fn child() {
    let Some(folder) = std::env::var_os(CHILD) else { return };
    let (folder, task) = (Path::new(&folder), std::env::var(TASK).expect("a task"));
    let (ending, text) = match done(folder, &task) {
        Ok(words) => ("right", words),
        Err(error) => ("wrong", error.to_string()),
    };
    fs::write(folder.join(format!("outcome.{ending}")), text).expect("written");
}

fn done(folder: &Path, task: &str) -> Result<String, FilesError> {
    let (check, force) = (task == "Check", task == "Force");
    let mut run = Run::new(RunOptions { check, force, ..quick(32 << 20) }, &Unwatched);
    Manifest::read(&folder.join("manifest.json"))?.add_to(&mut run)?;
    match task {
        "Compare" => run.compare().map(|_| String::new()),
        "Expect" => run.expect().map(|expected| expected.scratch.to_string()),
        _ => run.convert().map(|_| String::new()),
    }
}

/// Runs a manifest in a process whose store is the server; returns the words of its error.
pub fn run(folder: &Path, server: &Server, task: Task, manifest: &Value) -> Result<String, String> {
    let endpoint = format!("http://{}", server.address);
    run_at(folder, (&endpoint, &[]), task, manifest)
}

/// The same, for servers that do not answer: with little patience.
pub fn run_briefly(
    folder: &Path,
    server: &Server,
    task: Task,
    manifest: &Value,
) -> Result<String, String> {
    let endpoint = format!("http://{}", server.address);
    run_at(folder, (&endpoint, &[("REDIST_STORE_TIMEOUT", "5")]), task, manifest)
}

/// The same with an endpoint, and with more of the environment.
pub fn run_at(
    folder: &Path,
    (endpoint, more): (&str, &[(&str, &str)]),
    task: Task,
    manifest: &Value,
) -> Result<String, String> {
    let mut child = start(folder, (endpoint, more), task, manifest);
    let began = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if began.elapsed() > PATIENCE {
            child.kill().expect("killed");
            panic!("hangs: {manifest}");
        }
        sleep(Duration::from_millis(5));
    }
    let [right, wrong] = ["right", "wrong"].map(|ending| {
        let path = folder.join(format!("outcome.{ending}"));
        let text = fs::read_to_string(&path).ok();
        let _ = fs::remove_file(path);
        text
    });
    // Whatever comes of it, nothing is left behind.
    assert_eq!(left(folder), [""; 0]);
    right.ok_or_else(|| wrong.expect("an outcome"))
}

/// Returns the names in the folder for temporary files.
pub fn left(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(scratch(folder)).expect("a folder").flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Starts a run of a manifest.
pub fn start(
    folder: &Path,
    (endpoint, more): (&str, &[(&str, &str)]),
    task: Task,
    manifest: &Value,
) -> Child {
    fs::create_dir_all(scratch(folder)).expect("a folder");
    fs::write(folder.join("manifest.json"), manifest.to_string()).expect("written");
    let mut command = Command::new(std::env::current_exe().expect("this program"));
    for (name, _) in std::env::vars() {
        if name.starts_with("AWS_") || name.to_ascii_uppercase().ends_with("_PROXY") {
            command.env_remove(name);
        }
    }
    command.args(["--exact", "running::child"]).env(CHILD, folder).env(TASK, format!("{task:?}"));
    command.env("TMPDIR", scratch(folder)).env("AWS_ENDPOINT_URL", endpoint);
    command.env("AWS_ALLOW_HTTP", "true").env("AWS_REGION", "us-east-1");
    command.env("AWS_ACCESS_KEY_ID", "key").env("AWS_SECRET_ACCESS_KEY", "secret");
    command.env("REDIST_STORE_TIMEOUT", "60").env("REDIST_STORE_RETRIES", "1");
    command.envs(more.iter().copied());
    command.stdout(Stdio::null()).stderr(Stdio::inherit()).spawn().expect("a child")
}

fn scratch(folder: &Path) -> PathBuf {
    folder.join("scratch")
}
