//! Sources whose server fails: an error that names the object, and nothing written.

use super::{Fault, Request, Server, Task, bytes, run, run_briefly};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;

/// Bytes of the array.
const LEN: usize = 64_000;

fn manifest(server: &Server, name: &str) -> Value {
    json!({ "array": [{
        "name": "a", "element": "u8", "extents": [LEN], "in": format!("http://{}/b/{name}", server.address),
        "out": "found",
    }]})
}

/// Reads an object from a server that fails, and checks that nothing is written then.
fn read(
    folder: &Path,
    faults: impl Fn(&Request, usize) -> Option<Fault> + Send + Sync + 'static,
) -> Result<String, String> {
    let server = Server::new(faults);
    server.held().put("/b/a.raw", bytes(LEN));
    let outcome = run_briefly(folder, &server, Task::Convert, &manifest(&server, "a.raw"));
    match &outcome {
        Ok(_) => assert!(fs::read(folder.join("found")).expect("a file") == bytes(LEN)),
        Err(told) => {
            assert!(told.contains("a.raw"), "{told}");
            assert!(!folder.join("found").exists(), "{told}");
        }
    }
    let _ = fs::remove_file(folder.join("found"));
    outcome
}

#[test]
fn servers_that_fail_are_told() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    for (fault, words) in [
        (Fault::Status(500), "500"),
        (Fault::Status(403), "refuses it to these credentials"),
        (Fault::Status(401), "refuses it to these credentials"),
        (Fault::Cut, ""),
        (Fault::OtherRange, "Requested 0..64000, got 1..64001"),
        (Fault::Whole, "ange"),
        (Fault::Slow, "time"),
        (Fault::Replaced, "has changed meanwhile"),
        (Fault::Changed, "has changed meanwhile"),
    ] {
        let told = read(folder, move |request, _| request.is_read().then_some(fault));
        let told = told.expect_err("an error");
        assert!(told.contains(words), "{fault:?}: {told}");
    }
    for (fault, words) in [
        (Fault::Status(500), "500"),
        (Fault::Status(404), "there is no such object"),
        (Fault::Untagged, "neither its tag nor the time"),
        (Fault::Slow, "time"),
    ] {
        let told = read(folder, move |_, _| Some(fault)).expect_err("an error");
        assert!(told.contains(words), "{fault:?}: {told}");
    }
}

#[test]
fn a_request_that_fails_once_is_repeated() {
    let made = tempfile::tempdir().expect("a folder");
    for fault in [Fault::Status(500), Fault::Status(503), Fault::Cut, Fault::Slow] {
        let first = std::sync::atomic::AtomicBool::new(true);
        let once = move |request: &Request, _| {
            let is_first =
                request.is_read() && first.swap(false, std::sync::atomic::Ordering::Relaxed);
            is_first.then_some(fault)
        };
        read(made.path(), once).expect("the second answer");
    }
}

#[test]
fn objects_that_nobody_can_read_are_refused_by_name() {
    let made = tempfile::tempdir().expect("a folder");
    let (folder, server) = (made.path(), Server::right());
    server.held().put("/b/a.raw", bytes(LEN));
    fs::write(folder.join("local"), bytes(LEN)).expect("written");
    let web = format!("http://{}/b/o.raw", server.address);
    for (keys, words) in [
        (json!({ "in": "gs://b/a.raw", "out": "found" }), "`gs://` is no store that is known here"),
        (json!({ "in": "s3://b/", "out": "found" }), "that of a folder"),
        (json!({ "in": "s3://b", "out": "found" }), "expected a bucket and a key"),
        (json!({ "in": "s3://b/a//b", "out": "found" }), "empty path segment"),
        (json!({ "in": "s3://other/a.raw", "out": "found" }), "or no such bucket"),
        (
            json!({ "in": "s3://b/a.raw", "in_format": "records", "out": "found" }),
            "objects of the format records are not read",
        ),
        (json!({ "in": "local", "out": web }), "web servers are read alone"),
        (json!({ "in": "local", "out": "ftp://b/o.raw" }), "`ftp://` is no store"),
    ] {
        let mut array = json!({ "name": "a", "element": "u8", "extents": [LEN] });
        let own = array.as_object_mut().expect("keys");
        own.extend(keys.as_object().expect("keys").clone());
        let manifest = json!({ "array": [array] });
        let told = run(folder, &server, Task::Convert, &manifest).expect_err("an error");
        assert!(told.contains(words), "{keys}: {told}");
        assert!(!folder.join("found").exists());
    }
}

#[test]
fn plain_http_has_to_be_allowed() {
    let made = tempfile::tempdir().expect("a folder");
    let (folder, server) = (made.path(), Server::right());
    server.held().put("/b/a.raw", bytes(LEN));
    let manifest = json!({ "array": [{
        "name": "a", "element": "u8", "extents": [LEN], "in": "s3://b/a.raw", "out": "found",
    }]});
    let endpoint = format!("http://{}", server.address);
    let with = |value| {
        let more = [("AWS_ALLOW_HTTP", value)];
        super::running::run_at(folder, (&endpoint, &more), Task::Convert, &manifest)
    };
    let told = with("false").expect_err("an error");
    assert!(told.contains("AWS_ALLOW_HTTP=true"), "{told}");
    with("true").expect("converted");
}
