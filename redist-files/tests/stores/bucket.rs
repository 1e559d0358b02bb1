//! Objects that are written: none is seen before all are sent, and none is left where one fails.

use super::{Fault, Request, Server, Task, bytes, left, run, run_briefly, start};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// Elements of the array, along its axes: each of two objects has three parts.
const EXTENTS: [usize; 2] = [4500, 1024];

/// Bytes of the array.
const LEN: usize = 4500 * 1024 * 8;

/// Returns a manifest from a raw file to two objects.
fn to_objects(folder: &Path) -> Value {
    fs::write(folder.join("raw"), bytes(LEN)).expect("written");
    json!({ "array": [{
        "name": "a", "element": "f64", "extents": EXTENTS, "in": "raw", "from": "(block, *) onto 1",
        "to": "(*, block) onto 2", "out": "s3://b/m/p-{rank}.safetensors",
    }]})
}

#[test]
fn arrays_go_to_a_bucket_and_come_back() {
    let made = tempfile::tempdir().expect("a folder");
    let (folder, server) = (made.path(), Server::right());
    let manifest = to_objects(folder);
    let expected = run(folder, &server, Task::Expect, &manifest).expect("expected");
    let expected: usize = expected.parse().expect("bytes");
    assert!((LEN..LEN + 1024).contains(&expected), "{expected}");
    assert!(server.held().objects.is_empty());
    run(folder, &server, Task::Check, &manifest).expect("converted");
    {
        let held = server.held();
        let names: Vec<&str> = held.objects.keys().map(String::as_str).collect();
        assert_eq!(names, ["/b/m/p-0.safetensors", "/b/m/p-1.safetensors"]);
        assert!(held.uploads.is_empty());
        let parts = held.requests.iter().filter(|request| request.is_part());
        assert_eq!(parts.count(), 2 * 3);
        let last = held.requests.iter().rposition(Request::is_part).expect("a part");
        let first = held.requests.iter().position(Request::is_completion).expect("an end");
        assert!(last < first, "an object is seen before all are sent");
    }
    run(folder, &server, Task::Compare, &manifest).expect("the same");
    let back = json!({ "array": [{
        "name": "a", "in": "s3://b/m/p-{rank}.safetensors", "from": "(*, block) onto 2",
        "extents": EXTENTS, "to": "(block, *) onto 1", "out": "back",
    }]});
    run(folder, &server, Task::Check, &back).expect("converted");
    assert!(fs::read(folder.join("back")).expect("a file") == bytes(LEN));
    // From a bucket to the same bucket, as an index and its files.
    let index = json!({ "shard_bytes": 1, "array": [
        { "name": "a", "in": "s3://b/m/p-0.safetensors", "out": "s3://b/i.safetensors.index.json" },
        { "name": "c", "element": "f64", "extents": [512], "in": "raw", "skip": 8, "out":
          "s3://b/i.safetensors.index.json" },
    ]});
    run(folder, &server, Task::Check, &index).expect("converted");
    run(folder, &server, Task::Compare, &index).expect("the same");
    assert_eq!(server.held().objects.len(), 5);
}

#[test]
fn an_upload_that_is_refused_leaves_nothing() {
    let is = |request: &Request, what: fn(&Request) -> bool, object: &str| {
        what(request) && request.path.ends_with(object)
    };
    let begins = |request: &Request| request.method == "POST" && request.query.contains("uploads");
    for (what, object, fault, words) in [
        (Request::is_part as fn(&Request) -> bool, "p-1.safetensors", Fault::Status(500), "500"),
        (Request::is_part, "p-1.safetensors", Fault::Status(403), "refuses it"),
        (Request::is_part, "p-0.safetensors", Fault::Slow, "time"),
        (
            Request::is_completion,
            "p-0.safetensors",
            Fault::Status(400),
            "all objects are as before",
        ),
        (
            Request::is_completion,
            "p-1.safetensors",
            Fault::Status(400),
            "all objects are as before",
        ),
        (begins, "p-1.safetensors", Fault::Status(403), "refuses it"),
    ] {
        let made = tempfile::tempdir().expect("a folder");
        let fails = move |request: &Request, _| {
            let second = !request.is_part() || request.query.contains("partNumber=2");
            (is(request, what, object) && second).then_some(fault)
        };
        let (folder, server) = (made.path(), Server::new(fails));
        let work = if matches!(fault, Fault::Slow) { run_briefly } else { run };
        let told = work(folder, &server, Task::Convert, &to_objects(folder)).expect_err("refused");
        assert!(told.contains(words) && told.contains(object), "{fault:?}: {told}");
        let held = server.held();
        assert!(held.objects.is_empty(), "{fault:?}: {:?}", held.objects.keys());
        assert!(held.uploads.is_empty(), "{fault:?}: not aborted");
    }
}

#[test]
fn objects_that_are_there_are_replaced_by_force_alone() {
    let made = tempfile::tempdir().expect("a folder");
    let (folder, server) = (made.path(), Server::right());
    let manifest = to_objects(folder);
    server.held().put("/b/m/p-1.safetensors", b"old".to_vec());
    let told = run(folder, &server, Task::Convert, &manifest).expect_err("is there");
    assert!(told.contains("p-1.safetensors: is there; --force replaces it"), "{told}");
    let sent = server.held().requests.iter().filter(|request| request.method != "HEAD").count();
    assert_eq!(sent, 0, "asked before anything is sent");
    run(folder, &server, Task::Force, &manifest).expect("converted");
    run(folder, &server, Task::Compare, &manifest).expect("the same");
    let own = json!({ "array": [{
        "name": "a", "in": "s3://b/m/p-0.safetensors", "out": "s3://b/m/p-0.safetensors",
    }]});
    let told = run(folder, &server, Task::Force, &own).expect_err("its own source");
    assert!(told.contains("is read from"), "{told}");
}

#[test]
fn a_replaced_object_is_told_where_a_later_one_fails() {
    let made = tempfile::tempdir().expect("a folder");
    let fails = |request: &Request, _: usize| {
        let last = request.is_completion() && request.path.ends_with("p-1.safetensors");
        last.then_some(Fault::Status(400))
    };
    let (folder, server) = (made.path(), Server::new(fails));
    server.held().put("/b/m/p-0.safetensors", b"old".to_vec());
    let told = run(folder, &server, Task::Force, &to_objects(folder)).expect_err("refused");
    assert!(told.contains("these are new already: s3://b/m/p-0.safetensors"), "{told}");
    let held = server.held();
    assert_eq!(held.objects.len(), 1);
    assert!(held.uploads.is_empty());
}

#[test]
fn a_bucket_that_is_missing_is_told_before_anything_is_sent() {
    let made = tempfile::tempdir().expect("a folder");
    let (folder, server) = (made.path(), Server::right());
    server.held().buckets.clear();
    let told = run(folder, &server, Task::Convert, &to_objects(folder)).expect_err("no bucket");
    assert!(told.contains("there is no such bucket; make it"), "{told}");
    assert!(!server.held().requests.iter().any(Request::is_part));
}

#[test]
fn a_killed_run_is_continued_and_its_parts_are_aborted() {
    let made = tempfile::tempdir().expect("a folder");
    let slow = Arc::new(AtomicBool::new(true));
    let own = slow.clone();
    let stays = move |request: &Request, _: usize| {
        let second = request.is_part() && request.path.ends_with("p-1.safetensors");
        (second && own.load(Ordering::Relaxed)).then_some(Fault::Slow)
    };
    let (folder, server) = (made.path(), Server::new(stays));
    let (manifest, endpoint) = (to_objects(folder), format!("http://{}", server.address));
    let more = [("REDIST_STORE_TIMEOUT", "600")];
    let mut child = start(folder, (&endpoint, &more), Task::Convert, &manifest);
    let sends = |request: &Request| request.is_part() && request.path.ends_with("p-1.safetensors");
    while !server.held().requests.iter().any(sends) {
        assert!(child.try_wait().expect("a child").is_none(), "ended before it sent");
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!(server.counts(), [0, 2]);
    assert_eq!(left(folder).len(), 1);
    slow.store(false, Ordering::Relaxed);
    run(folder, &server, Task::Check, &manifest).expect("continued");
    assert_eq!(server.counts(), [2, 0]);
    run(folder, &server, Task::Compare, &manifest).expect("the same");
}

#[test]
fn a_completion_whose_answer_is_lost_is_one() {
    let made = tempfile::tempdir().expect("a folder");
    let first = AtomicBool::new(true);
    let late = move |request: &Request, _: usize| {
        let is_first = request.is_completion() && first.swap(false, Ordering::Relaxed);
        is_first.then_some(Fault::Late)
    };
    let (folder, server) = (made.path(), Server::new(late));
    let manifest = to_objects(folder);
    run_briefly(folder, &server, Task::Convert, &manifest).expect("converted");
    assert_eq!(server.counts(), [2, 0]);
    run(folder, &server, Task::Compare, &manifest).expect("the same");
}
