//! A measuring process ends when its launcher is killed.

use redist_measuring::launch::bound_to_this;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

/// By this name, the test launches itself as a driver that waits for a worker.
const DRIVER: &str = "REDIST_TEST_DRIVER";

#[test]
fn a_driver() {
    let Some(file) = std::env::var_os(DRIVER) else { return };
    let mut worker = bound_to_this("sleep").arg("60").spawn().unwrap();
    let file = PathBuf::from(file);
    fs::write(file.with_extension("new"), worker.id().to_string()).unwrap();
    fs::rename(file.with_extension("new"), file).unwrap();
    worker.wait().unwrap();
}

fn until(what: &str, happens: impl Fn() -> bool) {
    let start = Instant::now();
    while !happens() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn runs(process: &str) -> bool {
    let state = fs::read_to_string(Path::new("/proc").join(process).join("stat"));
    state.is_ok_and(|text| !text.contains(") Z "))
}

#[test]
fn a_worker_ends_with_its_driver() {
    let file = std::env::temp_dir().join(format!("redist-worker-{}", std::process::id()));
    let mut driver = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "a_driver"])
        .env(DRIVER, &file)
        .spawn()
        .unwrap();
    until("the worker was never launched", || file.exists());
    let worker = fs::read_to_string(&file).unwrap();
    assert!(runs(&worker), "the worker waits for a minute");
    driver.kill().unwrap();
    driver.wait().unwrap();
    until("the worker has outlived its driver", || !runs(&worker));
    fs::remove_file(file).unwrap();
}
