//! Arrays in chunks that are written: objects without an array's metadata, which come last, are no array.

use super::common::{tree, with};
use super::{Fault, Request, Server, Task, bytes, convert, left, quick, run, run_briefly, start};
use serde_json::{Value, json};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

/// Bytes of the array.
const LEN: usize = 300 * 400 * 8;

/// Returns a manifest from a raw file to an array in a bucket.
fn to_array(folder: &Path, more: &Value) -> Value {
    fs::write(folder.join("raw"), bytes(LEN)).expect("written");
    let keys = json!({
        "name": "a", "element": "f64", "extents": [300, 400], "in": "raw", "out": "s3://b/m/a.zarr",
        "chunks": [70, 90],
    });
    json!({ "array": [with(keys, more)] })
}

/// Checks that the server has none of the objects, and no upload.
#[track_caller]
fn nothing(server: &Server, told: &str) {
    let held = server.held();
    assert!(held.objects.is_empty(), "{told}: {:?}", held.objects.keys());
    assert!(held.uploads.is_empty(), "{told}: not aborted");
}

#[test]
fn arrays_go_to_a_bucket_and_come_back() {
    for (more, chunks) in [
        (json!({}), 25),
        (json!({ "codec": "none" }), 25),
        (json!({ "chunks": [25, 40], "shards": [100, 400], "codec": "gzip" }), 3),
        (json!({ "out_format": "zarr2", "chunks": [300, 7] }), 58),
    ] {
        let made = tempfile::tempdir().expect("a folder");
        let (folder, server) = (made.path(), Server::right());
        let manifest = to_array(folder, &more);
        let expected = run(folder, &server, Task::Expect, &manifest).expect("expected");
        assert!(expected.parse::<usize>().expect("bytes") >= 2 * LEN, "{expected}");
        run(folder, &server, Task::Check, &manifest).expect("converted");
        assert_eq!(server.counts(), [chunks + 1, 0], "{more}");
        {
            let held = server.held();
            let last = held.requests.iter().rposition(Request::is_put).expect("a chunk");
            let completes: Vec<usize> =
                (0..held.requests.len()).filter(|at| held.requests[*at].is_completion()).collect();
            let [end] = completes[..] else { panic!("{completes:?}") };
            assert!(last < end, "an array is seen before all chunks are sent");
            assert!(
                held.requests[end]
                    .path
                    .ends_with(["zarr.json", ".zarray"][usize::from(chunks == 58)])
            );
        }
        run(folder, &server, Task::Compare, &manifest).expect("the same");
        let back = json!({ "array": [{ "name": "a", "in": "s3://b/m/a.zarr", "out": "back" }] });
        run(folder, &server, Task::Check, &back).expect("converted");
        assert!(fs::read(folder.join("back")).expect("a file") == bytes(LEN), "{more}");
        // The same files as in a folder, but for the order of chunks in a shard.
        let local = with(manifest["array"][0].clone(), &json!({ "out": "a.zarr" }));
        convert(folder, &local, quick(32 << 20)).expect("converted");
        for name in tree(&folder.join("a.zarr")) {
            let file = fs::read(folder.join("a.zarr").join(&name)).expect("a file");
            let (object, _) = &server.held().objects[&format!("/b/m/a.zarr/{name}")];
            assert!(object.len() == file.len() && (chunks == 3 || *object == file), "{name}");
        }
    }
}

#[test]
fn files_of_chunks_that_are_long_are_sent_in_parts() {
    let made = tempfile::tempdir().expect("a folder");
    let (folder, server) = (made.path(), Server::right());
    let extents = [1200, 1000];
    fs::write(folder.join("long"), bytes(1200 * 1000 * 8)).expect("written");
    let more = json!({
        "in": "long", "extents": extents, "chunks": [100, 500], "shards": [1200, 1000], "codec": "none",
    });
    let manifest = to_array(folder, &more);
    run(folder, &server, Task::Check, &manifest).expect("converted");
    run(folder, &server, Task::Compare, &manifest).expect("the same");
    let parts = server.held().requests.iter().filter(|request| request.is_part()).count();
    assert_eq!((server.counts(), parts), ([2, 0], 3), "two of the shard, and the metadata");
    // The same where its second part is refused.
    let refuses = |request: &Request, _: usize| {
        request.query.contains("partNumber=2").then_some(Fault::Status(403))
    };
    let server = Server::new(refuses);
    let told = run(folder, &server, Task::Convert, &manifest).expect_err("refused");
    assert!(told.contains("c/0/0: ") && told.contains("refuses it"), "{told}");
    nothing(&server, &told);
}

#[test]
fn an_array_that_is_refused_leaves_nothing() {
    type Is = fn(&Request) -> bool;
    let chunk: Is = |request| request.is_put() && request.path.ends_with("/c/2/3");
    let part: Is = |request| request.is_part() && request.path.ends_with("b.zarr/zarr.json");
    let end: Is = |request| request.is_completion() && request.path.ends_with("b.zarr/zarr.json");
    let listed: Is = Request::is_list;
    for (is, fault, words) in [
        (chunk, Fault::Status(500), "c/2/3: "),
        (chunk, Fault::Status(403), "refuses it"),
        (chunk, Fault::Slow, "time"),
        (chunk, Fault::Lost, "c/2/3: was sent, and the store does not have it"),
        (chunk, Fault::Half, "bytes were sent, and the store has "),
        (part, Fault::Status(500), "b.zarr/zarr.json: "),
        (end, Fault::Status(400), "all objects are as before"),
        (listed, Fault::Status(403), "refuses it"),
        (listed, Fault::Status(500), "500"),
    ] {
        let made = tempfile::tempdir().expect("a folder");
        let (folder, server) =
            (made.path(), Server::new(move |request, _| is(request).then_some(fault)));
        let mut manifest = to_array(folder, &json!({}));
        let second = with(manifest["array"][0].clone(), &json!({ "out": "s3://b/m/b.zarr" }));
        manifest["array"]
            .as_array_mut()
            .expect("arrays")
            .push(with(second, &json!({ "name": "b" })));
        let work = if matches!(fault, Fault::Slow) { run_briefly } else { run };
        let told = work(folder, &server, Task::Convert, &manifest).expect_err("refused");
        assert!(told.contains(words), "{fault:?}: {told}");
        nothing(&server, &told);
    }
}

#[test]
fn chunks_that_are_under_way_when_another_fails_are_removed() {
    let made = tempfile::tempdir().expect("a folder");
    let delayed = |request: &Request, _: usize| match request.path.ends_with("/c/2/3") {
        true => request.is_put().then_some(Fault::Status(403)),
        false => request.is_put().then_some(Fault::Delayed),
    };
    let (folder, server) = (made.path(), Server::new(delayed));
    let told =
        run(folder, &server, Task::Convert, &to_array(folder, &json!({}))).expect_err("refused");
    sleep(Duration::from_secs(1));
    assert!(told.contains("c/2/3: "), "{told}");
    nothing(&server, &told);
}

#[test]
fn a_chunk_whose_answer_is_lost_is_sent_again() {
    let made = tempfile::tempdir().expect("a folder");
    let first = AtomicBool::new(true);
    let late = move |request: &Request, _: usize| {
        (request.is_put() && first.swap(false, Ordering::Relaxed)).then_some(Fault::Late)
    };
    let (folder, server) = (made.path(), Server::new(late));
    let manifest = to_array(folder, &json!({}));
    run_briefly(folder, &server, Task::Convert, &manifest).expect("converted");
    run(folder, &server, Task::Compare, &manifest).expect("the same");
}

#[test]
fn what_is_there_is_never_replaced() {
    for (name, words) in [
        ("/b/m/a.zarr/zarr.json", "an array is there, which no other replaces"),
        ("/b/m/a.zarr/.zarray", "a new array takes no such place"),
        ("/b/m/a.zarr/c/0/0", "a new array takes no such place"),
        ("/b/m/a.zarr/inner/zarr.json", "m/a.zarr/inner/zarr.json is there"),
        ("/b/m/a.zarr", "m/a.zarr is there"),
    ] {
        let made = tempfile::tempdir().expect("a folder");
        let (folder, server) = (made.path(), Server::right());
        server.held().put(name, b"old".to_vec());
        // An array whose name begins alike is another one.
        server.held().put("/b/m/a.zarr2/zarr.json", b"old".to_vec());
        for task in [Task::Convert, Task::Force] {
            let told =
                run(folder, &server, task, &to_array(folder, &json!({}))).expect_err("is there");
            assert!(told.contains(words), "{name}: {told}");
        }
        let held = server.held();
        assert_eq!(held.objects.len(), 2, "{name}");
        assert!(held.objects.values().all(|(bytes, _)| bytes == b"old"), "{name}");
        assert!(held.uploads.is_empty() && !held.requests.iter().any(Request::is_put), "{name}");
    }
    let made = tempfile::tempdir().expect("a folder");
    let (folder, server) = (made.path(), Server::right());
    server.held().buckets.clear();
    let told =
        run(folder, &server, Task::Convert, &to_array(folder, &json!({}))).expect_err("none");
    assert!(told.contains("there is no such bucket; make it"), "{told}");
}

/// A request that the server does not answer.
type Stays = fn(&Request) -> bool;

/// Sends the last chunk.
const LAST: Stays = |request| request.is_put() && request.path.ends_with("/c/4/4");

/// Runs until something is asked that the server does not answer, and kills the run.
fn killed(folder: &Path, manifest: &Value, stays: Stays) -> Server {
    let slow = Arc::new(AtomicBool::new(true));
    let own = slow.clone();
    let server = Server::new(move |request: &Request, _: usize| {
        (stays(request) && own.load(Ordering::Relaxed)).then_some(Fault::Slow)
    });
    let endpoint = format!("http://{}", server.address);
    let more = [("REDIST_STORE_TIMEOUT", "600")];
    let mut child = start(folder, (&endpoint, &more), Task::Convert, manifest);
    let is_sent =
        |held: &super::server::Held| held.requests.iter().any(stays) && held.objects.len() > 15;
    while !is_sent(&server.held()) {
        assert!(child.try_wait().expect("a child").is_none(), "ended before it sent");
        sleep(Duration::from_millis(5));
    }
    child.kill().expect("killed");
    child.wait().expect("ended");
    assert_eq!((server.counts()[1], left(folder).len()), (1, 1));
    assert!(!server.held().objects.contains_key("/b/m/a.zarr/zarr.json"));
    slow.store(false, Ordering::Relaxed);
    server
}

#[test]
fn a_killed_run_is_continued_and_its_chunks_are_removed() {
    for stays in [LAST, Request::is_completion] {
        let made = tempfile::tempdir().expect("a folder");
        let folder = made.path();
        let manifest = to_array(folder, &json!({ "codec": "none" }));
        let server = killed(folder, &manifest, stays);
        // A chunk of the killed run that the array has no longer.
        server.held().put("/b/m/a.zarr/c/9/9", b"old".to_vec());
        run(folder, &server, Task::Check, &manifest).expect("continued");
        assert_eq!(server.counts(), [26, 0]);
        run(folder, &server, Task::Compare, &manifest).expect("the same");
    }
}

#[test]
fn what_others_have_put_beside_chunks_of_a_killed_run_stays() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let manifest = to_array(folder, &json!({ "codec": "none" }));
    let server = killed(folder, &manifest, LAST);
    server.held().put("/b/m/a.zarr/notes.txt", b"old".to_vec());
    let before = server.counts()[0];
    let told = run(folder, &server, Task::Convert, &manifest).expect_err("is there");
    assert!(told.contains("m/a.zarr/notes.txt is there"), "{told}");
    assert_eq!(server.counts(), [before, 0]);
}
