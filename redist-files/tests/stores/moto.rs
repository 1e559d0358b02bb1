//! A server of S3's language by others, where `REDIST_MOTO_PYTHON` names a Python that has `moto`, and for arrays
//! in chunks `zarr` and `s3fs`.

use super::running::run_at;
use super::{Task, bytes};
use serde_json::json;
use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

/// The server, which ends with the test.
struct Moto {
    child: Child,
    address: String,
}

impl Drop for Moto {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Moto {
    /// Starts a server with an empty bucket `bucket`; `None` where there is none.
    fn start(folder: &Path) -> Option<Self> {
        let python = std::env::var_os("REDIST_MOTO_PYTHON")?;
        let free = TcpListener::bind("127.0.0.1:0").expect("a port");
        let port = free.local_addr().expect("an address").port();
        drop(free);
        let log = fs::File::create(folder.join("moto.log")).expect("a file");
        let child = Command::new(python)
            .args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(log)
            .spawn()
            .expect("a server");
        let moto = Self { child, address: format!("127.0.0.1:{port}") };
        for _ in 0..600 {
            if TcpStream::connect(&moto.address).is_ok() {
                break;
            }
            sleep(Duration::from_millis(100));
        }
        let made = moto.ask("PUT", "/bucket");
        assert!(made.starts_with("HTTP/1.1 200"), "{made}");
        Some(moto)
    }

    /// Asks something, and returns all of the answer.
    fn ask(&self, method: &str, target: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        let host = "s3.us-east-1.amazonaws.com";
        let scope = "Credential=key/20261130/us-east-1/s3/aws4_request";
        let asked = format!(
            "{method} {target} HTTP/1.1\r\nHost: {}\r\nAuthorization: AWS4-HMAC-SHA256 {scope}, \
             SignedHeaders=host, Signature=0\r\nX-Amz-Host: {host}\r\nContent-Length: 0\r\n\
             Connection: close\r\n\r\n",
            self.address
        );
        stream.write_all(asked.as_bytes()).expect("asked");
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer).expect("answered");
        String::from_utf8_lossy(&answer).into_owned()
    }
}

#[test]
fn arrays_go_to_the_server_and_come_back() {
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let Some(moto) = Moto::start(folder) else { return };
    let endpoint = format!("http://{}", moto.address);
    // Its answers may take longer than those of the tests' own server.
    let at = (endpoint.as_str(), &[("REDIST_STORE_TIMEOUT", "60")][..]);
    let len = 4500 * 1024 * 8;
    fs::write(folder.join("raw"), bytes(len)).expect("written");
    let to = json!({ "array": [{
        "name": "a", "element": "f64", "extents": [4500, 1024], "in": "raw", "from":
        "(block, *) onto 1", "to": "(*, block) onto 2", "out": "s3://bucket/m/p-{rank}.safetensors",
    }]});
    run_at(folder, at, Task::Check, &to).expect("converted");
    let listed = moto.ask("GET", "/bucket?list-type=2");
    for rank in 0..2 {
        assert!(listed.contains(&format!("<Key>m/p-{rank}.safetensors</Key>")), "{listed}");
    }
    let uploads = moto.ask("GET", "/bucket?uploads");
    assert!(!uploads.contains("<UploadId>"), "{uploads}");
    run_at(folder, at, Task::Compare, &to).expect("the same");
    let told = run_at(folder, at, Task::Convert, &to).expect_err("is there");
    assert!(told.contains("--force replaces it"), "{told}");
    run_at(folder, at, Task::Force, &to).expect("replaced");
    let back = json!({ "array": [{
        "name": "a", "in": "s3://bucket/m/p-{rank}.safetensors", "from": "(*, block) onto 2",
        "extents": [4500, 1024], "to": "(block, *) onto 1", "out": "back",
    }]});
    run_at(folder, at, Task::Check, &back).expect("converted");
    assert!(fs::read(folder.join("back")).expect("a file") == bytes(len));
    let index = json!({ "array": [{
        "name": "a", "in": "s3://bucket/m/p-0.safetensors", "out": "s3://bucket/i.safetensors.index.json",
    }]});
    run_at(folder, at, Task::Check, &index).expect("converted");
    let all = json!({ "array": [{
        "name": "*", "in": "s3://bucket/i.safetensors.index.json", "out": "{name}.npy",
    }]});
    run_at(folder, at, Task::Check, &all).expect("converted");
    let gone = json!({ "array": [{ "name": "a", "in": "s3://bucket/none.npy", "out": "found" }] });
    let told = run_at(folder, at, Task::Convert, &gone).expect_err("no object");
    assert!(told.contains("there is no such object"), "{told}");
    let other = json!({ "array": [{ "name": "a", "in": "raw", "element": "u8", "extents": [len],
                                    "out": "s3://other/o.npy" }] });
    let told = run_at(folder, at, Task::Convert, &other).expect_err("no bucket");
    assert!(told.contains("there is no such bucket"), "{told}");
}

#[cfg(feature = "zarr")]
#[test]
fn the_library_zarr_reads_what_is_written_and_its_array_is_read() {
    use super::common::{python, with};
    let made = tempfile::tempdir().expect("a folder");
    let folder = made.path();
    let Some(moto) = Moto::start(folder) else { return };
    let endpoint = format!("http://{}", moto.address);
    let at = (endpoint.as_str(), &[("REDIST_STORE_TIMEOUT", "60")][..]);
    let len = 300 * 400 * 8;
    fs::write(folder.join("raw"), bytes(len)).expect("written");
    let array = json!({ "name": "a", "element": "f64", "extents": [300, 400], "in": "raw" });
    let mut names = Vec::new();
    for (number, more) in [
        json!({ "chunks": [70, 90] }),
        json!({ "chunks": [25, 40], "shards": [100, 400] }),
        json!({ "chunks": [70, 90], "out_format": "zarr2", "codec": "gzip" }),
    ]
    .iter()
    .enumerate()
    {
        let name = format!("m/{number}.zarr");
        let own = with(array.clone(), more);
        let to = with(own, &json!({ "out": format!("s3://bucket/{name}") }));
        let to = json!({ "array": [to] });
        run_at(folder, at, Task::Check, &to).expect("converted");
        run_at(folder, at, Task::Compare, &to).expect("the same");
        let told = run_at(folder, at, Task::Force, &to).expect_err("is there");
        assert!(told.contains("an array is there"), "{told}");
        names.push(name);
    }
    let uploads = moto.ask("GET", "/bucket?uploads");
    assert!(!uploads.contains("<UploadId>"), "{uploads}");
    let cases = json!({ "endpoint": endpoint, "shape": [300, 400], "arrays": names });
    fs::write(folder.join("cases.json"), cases.to_string()).expect("written");
    python("REDIST_MOTO_PYTHON", ("stores/peers.py", "play"), folder).expect("the library");
    let back =
        json!({ "array": [{ "name": "a", "in": "s3://bucket/theirs.zarr", "out": "back" }] });
    run_at(folder, at, Task::Check, &back).expect("converted");
    assert!(fs::read(folder.join("back")).expect("a file") == bytes(len));
}
