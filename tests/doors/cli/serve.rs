//! `redist serve` over sockets: its answers, and the requests that it refuses.

use serde_json::{Value, json};
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server that ends with its test.
struct Server {
    child: Child,
    port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

struct Response {
    status: u16,
    head: String,
    body: String,
}

fn command() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redist"));
    command.arg("serve").stdin(Stdio::null()).stdout(Stdio::piped());
    command
}

fn started(command: &mut Command) -> Server {
    let mut child = command.spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let address = lines.next().expect("a line").expect("UTF-8");
    assert_eq!(lines.next().expect("a line").expect("UTF-8"), "End it with Ctrl-C.");
    let port = address.strip_prefix("http://127.0.0.1:").and_then(|rest| rest.strip_suffix('/'));
    Server { child, port: port.expect("an address of this machine").parse().expect("a port") }
}

fn server() -> Server {
    started(&mut command())
}

impl Server {
    fn open(&self) -> TcpStream {
        let stream = TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).expect("it listens");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("a limit");
        stream
    }

    /// Writes a request as it is, and reads all that comes.
    fn raw(&self, request: &str) -> Response {
        let mut stream = self.open();
        // A server that has refused the head may not read the rest.
        let _ = stream.write_all(request.as_bytes());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8(answer).expect("UTF-8");
        let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).unwrap_or(0);
        Response { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    fn asked(&self, method: &str, path: &str, headers: &[&str], body: &str) -> Response {
        let headers: String = headers.iter().map(|line| format!("{line}\r\n")).collect();
        let length = body.len();
        self.raw(&format!(
            "{method} {path} HTTP/1.1\r\n{headers}Content-Length: {length}\r\n\r\n{body}"
        ))
    }

    fn host(&self) -> String {
        format!("Host: 127.0.0.1:{}", self.port)
    }

    fn post(&self, path: &str, body: &str) -> Response {
        self.asked("POST", path, &[&self.host(), "Content-Type: application/json"], body)
    }

    fn answer(&self, path: &str, request: Value) -> Value {
        let response = self.post(path, &request.to_string());
        assert_eq!(response.status, 200, "{}", response.body);
        serde_json::from_str(&response.body).expect("JSON")
    }

    fn plan(&self, text: &str) -> Value {
        self.answer("/plan", json!({ "text": text }))
    }
}

const TILES: &str = "struct Tiles: [f64; 600, 1200] { \
    from: scalapack(64, 64, 2, 3), to: (*, block) onto 6 storage fortran }";

#[test]
fn the_page_is_served_with_its_policy() {
    let server = server();
    let page = server.asked("GET", "/", &[&server.host()], "");
    assert_eq!(page.status, 200);
    assert!(page.body.starts_with("<!doctype html>") && page.body.ends_with("</html>\n"));
    for line in [
        "content-type: text/html; charset=utf-8",
        "cache-control: no-store",
        "x-content-type-options: nosniff",
        "content-security-policy: default-src 'none'; script-src 'nonce-",
    ] {
        assert!(page.head.contains(line), "{line}: {}", page.head);
    }
    assert!(!page.head.contains("access-control-allow"), "{}", page.head);
}

#[test]
fn a_text_becomes_figures_pictures_and_calls() {
    let answer = server().plan(TILES);
    assert_eq!((&answer["mistakes"], &answer["items"]), (&json!([]), &json!(["Tiles"])));
    let item = &answer["item"];
    assert_eq!(item["layouts"][1], "(*, block) onto 6 storage fortran");
    let figures = item["figures"].as_array().unwrap();
    let figure = |name| figures.iter().find(|figure| figure[0] == name).unwrap()[1].clone();
    assert_eq!(figure("digest"), "bdef0f31e5ed69a3");
    assert_eq!(figure("ranks"), "6 needed; 6 of the source, 6 of the destination");
    let kinds: Vec<_> =
        item["pictures"].as_array().unwrap().iter().map(|one| &one["kind"]).collect();
    assert_eq!(kinds, ["ownership", "intersection", "volumes", "schedule"]);
    for picture in item["pictures"].as_array().unwrap() {
        let svg = roxmltree::Document::parse(picture["svg"].as_str().unwrap()).unwrap();
        assert_eq!(svg.root_element().attribute("role"), Some("img"));
        assert!(
            !svg.descendants().any(|node| node.attribute("style").is_some()),
            "the page's policy"
        );
    }
    assert_eq!(item["table"]["cells"].as_array().unwrap().len(), 6);
    assert!(item["explained"].as_str().unwrap().contains("36 messages"));
    let rust = item["calls"]["rust"].as_str().unwrap();
    assert!(rust.starts_with("redist::redistribute! {\n    pub struct Tiles: [f64; 600, 1200] {"));
    for language in ["python", "c"] {
        let call = item["calls"][language].as_str().unwrap();
        assert!(call.contains("(cyclic(64), cyclic(64)) onto (2, 3) storage fortran"), "{call}");
    }
}

#[test]
fn all_mistakes_are_at_their_words() {
    let server = server();
    let text = "[f64; 1003] { /* 行 */ from: cylic(0) onto 3,\n  to: cyclic(NB) ontoo 3 }";
    let answer = server.answer("/plan", json!({ "text": text, "set": ["NB=0"] }));
    let units: Vec<u16> = text.encode_utf16().collect();
    let found: Vec<_> = answer["mistakes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|mistake| {
            let at = |name: &str| mistake[name].as_u64().unwrap() as usize;
            let words = String::from_utf16(&units[at("start")..at("end")]).unwrap();
            (words, at("line"), at("column"), mistake["instead"].as_str().map(str::to_owned))
        })
        .collect();
    assert!(found.contains(&("cylic".into(), 1, 29, Some("cyclic".into()))), "{found:?}");
    assert!(found.contains(&("ontoo".into(), 2, 18, Some("onto".into()))), "{found:?}");
    assert_eq!(answer["item"], Value::Null);
    let value = server.answer(
        "/plan",
        json!({ "text": "[f64; 9] { from: *, to: cyclic(B) onto 2 }", "set": ["B=("] }),
    );
    assert_eq!(value["mistakes"][0]["place"], "B");
    assert_eq!(server.plan("[f64; 9] { from: *, to: * ")["mistakes"][0]["start"], 9);
    assert_eq!(server.plan("")["mistakes"][0]["message"], "the text has no redistribution");
}

/// The text is never taken for the name of a file, as the command line takes it.
#[test]
fn no_file_is_read() {
    let server = server();
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/src/lib.rs");
    for path in ["-", "/etc/hostname", manifest.to_str().unwrap()] {
        let answer = server.plan(path);
        assert_eq!(
            (&answer["item"], &answer["mistakes"][0]["line"]),
            (&Value::Null, &json!(1)),
            "{answer}"
        );
    }
}

#[test]
fn items_copies_and_arrays_without_pictures_are_shown() {
    let server = server();
    let two = format!("{TILES} struct Second: [u8; 9] {{ from: block onto 3, to: * }}");
    let answer = server.answer("/plan", json!({ "text": two, "name": "Second" }));
    assert_eq!(answer["items"], json!(["Tiles", "Second"]));
    assert_eq!(answer["item"]["name"], "Second");
    let copies = server.plan("[f32; 12] { from: block onto 3, to: * copies 3 }");
    let calls = &copies["item"]["calls"];
    assert!(calls["rust"].as_str().unwrap().contains("to: * copies 3,"), "{calls}");
    assert!(
        calls["python"]
            .as_str()
            .unwrap()
            .contains("redist.Copies((12,), \"block onto 3\", \"* copies 3\", \"f4\")")
    );
    assert!(calls["c"].as_str().unwrap().contains("redist_copies_parse(1, extents"));
    // The item is the macro's: it has to be understood again.
    let again = server.plan(calls["rust"].as_str().unwrap());
    assert_eq!(again["item"]["calls"], *calls, "{again}");
    let empty = server.plan("[f64; 0] { from: block onto 2, to: cyclic onto 2 }");
    assert!(empty["item"]["undrawn"].as_str().unwrap().contains("nothing to draw"));
    let ranks = "[f64; 60] { from: block onto 3, to: block onto 3 ranks [2, 0, 1] }";
    let relabelled = server.answer("/plan", json!({ "text": ranks, "relabel": true }));
    assert!(
        relabelled["item"]["layouts"][1].as_str().unwrap().contains("block onto 3"),
        "{relabelled}"
    );
}

#[test]
fn a_file_for_a_browser_is_that_of_draw() {
    let server = server();
    let file = server.answer("/file", json!({ "text": TILES }));
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve-file.html");
    let run = super::process::redist(&["draw", TILES, "--out", out.to_str().unwrap()]);
    assert_eq!(run.status, Some(0));
    assert_eq!(file["file"].as_str().unwrap(), fs::read_to_string(out).unwrap());
}

#[test]
fn other_names_and_other_sites_are_refused() {
    let server = server();
    let json = "Content-Type: application/json";
    let body = json!({ "text": TILES }).to_string();
    let host = server.host();
    let localhost = format!("Host: localhost:{}", server.port);
    assert_eq!(server.asked("GET", "/", &[&localhost], "").status, 200);
    for host in ["Host: example.com", "Host: 127.0.0.1", "Host: 127.0.0.1:1", "Accept: */*"] {
        let refused = server.asked("GET", "/", &[host], "");
        assert_eq!((refused.status, refused.body.contains("doctype")), (421, false), "{host}");
        assert_eq!(server.asked("POST", "/plan", &[host, json], &body).status, 421, "{host}");
    }
    let own = format!("Origin: http://127.0.0.1:{}", server.port);
    assert_eq!(server.asked("POST", "/plan", &[&host, json, &own], &body).status, 200);
    for stranger in ["Origin: https://example.com", "Origin: null", "Sec-Fetch-Site: cross-site"] {
        assert_eq!(
            server.asked("POST", "/plan", &[&host, json, stranger], &body).status,
            403,
            "{stranger}"
        );
    }
    let form = server.asked("POST", "/plan", &[&host, "Content-Type: text/plain"], &body);
    assert_eq!(form.status, 415, "a form of another site");
    let preflight = server.asked("OPTIONS", "/plan", &[&host, &own], "");
    assert_eq!((preflight.status, preflight.head.contains("access-control")), (405, false));
    assert_eq!(server.asked("GET", "/../Cargo.toml", &[&host], "").status, 404);
    // A whole address in place of a path, as proxies are asked.
    assert_eq!(server.asked("GET", "http://example.com/", &["Host: example.com"], "").status, 421);
}

#[test]
fn only_this_machine_is_listened_to() {
    let server = server();
    // Any other address of the machine is free: the port is bound on 127.0.0.1 alone.
    let other = TcpListener::bind((Ipv4Addr::new(127, 0, 0, 2), server.port));
    assert!(other.is_ok(), "{other:?}");
    let all = TcpListener::bind((Ipv4Addr::LOCALHOST, server.port));
    assert!(all.is_err(), "the server has the port");
}

#[test]
fn requests_that_are_too_long_or_broken_are_refused() {
    let server = server();
    let long = json!({ "text": "x".repeat(300 << 10) }).to_string();
    assert_eq!(server.post("/plan", &long).status, 413);
    let header = format!("X-Long: {}", "x".repeat(64 << 10));
    assert!([431, 0].contains(&server.asked("GET", "/", &[&server.host(), &header], "").status));
    for broken in ["", "{", "[]", "{\"text\": 3}", "{\"text\": \"\", \"file\": \"/etc/passwd\"}"] {
        let refused = server.post("/plan", broken);
        assert_eq!(refused.status, 422, "{broken}: {}", refused.body);
    }
    assert_eq!(server.raw("nonsense\r\n\r\n").status, 400);
    assert_eq!(server.plan(TILES)["mistakes"], json!([]), "it serves as before");
}

/// Plans may be very large, or take very long: each ends within its time, and others are served.
#[test]
fn no_text_takes_the_server_down() {
    let server = server();
    let deep = format!(
        "[f64; 9] {{ from: cyclic({}1{}) onto 3, to: * }}",
        "(".repeat(5000),
        ")".repeat(5000)
    );
    let texts = [
        "[f64; 9223372036854775807] { \
            from: cyclic(3) onto 1000000000, to: cyclic(7) onto 999999999 }",
        "[u8; 3000000000, 3000000000] { from: (cyclic(7), cyclic(11)) onto (31337, 31981), \
            to: (cyclic(13), cyclic(17)) onto (99991, 10007) }",
        "[f64; 1000000007] { \
            from: cyclic(1009) onto 1024, to: cyclic(997) onto 1021, relabel: to }",
        "[f64; 10] { from: *, to: * copies 4096 }",
        "[f64; 1000003, 1000033] { from: (cyclic(3), *) onto 100003, \
            to: (*, cyclic(5)) onto 100019, require: memory <= 10, steps <= 1 }",
        &deep,
    ];
    for text in texts {
        let began = Instant::now();
        let request = json!({ "text": text }).to_string();
        let response = server.post("/plan", &request);
        assert!([200, 422].contains(&response.status), "{}: {}", response.status, response.body);
        assert!(began.elapsed() < Duration::from_secs(30), "{:?}: {text}", began.elapsed());
        assert!(response.body.len() < 64 << 20);
    }
    let copies = server.plan("[f64; 10] { from: *, to: * copies 4096 }");
    let listed = copies["items"].as_array().unwrap().len() as u64;
    assert_eq!((listed < 1000, listed + copies["more_items"].as_u64().unwrap()), (true, 4096));
    assert_eq!(server.plan(TILES)["mistakes"], json!([]), "it serves as before");
}

/// The program of a request is stopped, so that it never ends by itself.
#[test]
fn work_has_bounds_and_is_ended_behind_them() {
    let server = server();
    let body = json!({ "text": "[f64; 10] { from: *, to: * copies 1048576 }" }).to_string();
    let began = Instant::now();
    let answer = std::thread::scope(|scope| {
        let asked = scope.spawn(|| server.post("/plan", &body));
        let limit = format!("{} ", 2u64 << 30);
        let bounded = |child: &u32| {
            let limits = fs::read_to_string(format!("/proc/{child}/limits")).unwrap_or_default();
            limits
                .lines()
                .any(|line| line.starts_with("Max address space") && line.contains(&limit))
        };
        let child = loop {
            if let Some(child) = children(server.child.id()).into_iter().find(bounded) {
                break child;
            }
            assert!(began.elapsed() < Duration::from_secs(9), "no program with bounds");
            std::thread::sleep(Duration::from_millis(1));
        };
        let child = rustix::process::Pid::from_raw(child as i32).unwrap();
        rustix::process::kill_process(child, rustix::process::Signal::STOP).unwrap();
        assert_eq!(server.plan(TILES)["mistakes"], json!([]), "others are answered meanwhile");
        asked.join().unwrap()
    });
    assert_eq!((answer.status, answer.body.contains("10 seconds")), (422, true), "{}", answer.body);
    assert!(children(server.child.id()).is_empty(), "it is ended");
}

#[test]
fn a_client_that_says_nothing_holds_up_nobody() {
    let server = server();
    let silent: Vec<TcpStream> = (0..20).map(|_| server.open()).collect();
    let mut half = server.open();
    half.write_all(b"POST /plan HTTP/1.1\r\nHost: ").unwrap();
    assert_eq!(server.plan(TILES)["mistakes"], json!([]));
    let mut rest = Vec::new();
    let _ = half.read_to_end(&mut rest);
    drop(silent);
}

#[test]
fn a_request_that_is_broken_off_ends_its_work() {
    let server = server();
    let body = json!({ "text": "[f64; 10] { from: *, to: * copies 1048576 }" }).to_string();
    let head = format!(
        "POST /plan HTTP/1.1\r\n{}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        server.host(),
        body.len()
    );
    let streams: Vec<TcpStream> = (0..6)
        .map(|_| {
            let mut stream = server.open();
            stream.write_all(format!("{head}{body}").as_bytes()).unwrap();
            stream
        })
        .collect();
    drop(streams);
    let began = Instant::now();
    while !children(server.child.id()).is_empty() {
        assert!(began.elapsed() < Duration::from_secs(5), "work goes on that nobody waits for");
        std::thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(server.plan(TILES)["mistakes"], json!([]));
}

/// Lists a program's children.
fn children(of: u32) -> Vec<u32> {
    let path = format!("/proc/{of}/task/{of}/children");
    let text = fs::read_to_string(path).unwrap_or_default();
    text.split_whitespace().filter_map(|child| child.parse().ok()).collect()
}

#[test]
fn a_port_can_be_asked_for() {
    let free = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let port = free.local_addr().unwrap().port();
    let taken = super::process::redist(&["serve", "--port", &port.to_string()]);
    assert_eq!(taken.status, Some(1));
    assert!(taken.stderr.starts_with(&format!("127.0.0.1:{port}: ")), "{}", taken.stderr);
    drop(free);
    assert_eq!(started(command().args(["--port", &port.to_string()])).port, port);
}

#[test]
fn ctrl_c_ends_it() {
    let mut server = server();
    let process = rustix::process::Pid::from_child(&server.child);
    rustix::process::kill_process(process, rustix::process::Signal::INT).unwrap();
    let began = Instant::now();
    let status = loop {
        match server.child.try_wait().unwrap() {
            Some(status) => break status,
            None => std::thread::sleep(Duration::from_millis(10)),
        }
        assert!(began.elapsed() < Duration::from_secs(10), "it goes on");
    };
    assert!(!status.success());
    assert!(TcpStream::connect((Ipv4Addr::LOCALHOST, server.port)).is_err());
}

/// A browser that stands in for the user's writes the address that it is given.
#[test]
#[cfg(target_os = "linux")]
fn open_gives_the_address_to_a_browser() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("serve-open");
    fs::create_dir_all(&folder).unwrap();
    let told = folder.join("told");
    let _ = fs::remove_file(&told);
    let browser = folder.join("xdg-open");
    fs::write(&browser, format!("#!/bin/sh\nprintf %s \"$1\" > '{}'\n", told.display())).unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let server = started(command().arg("--open").env("PATH", path));
    let began = Instant::now();
    while fs::read_to_string(&told).unwrap_or_default().is_empty() {
        assert!(began.elapsed() < Duration::from_secs(10), "no browser was called");
        std::thread::sleep(Duration::from_millis(10));
    }
    assert_eq!(fs::read_to_string(&told).unwrap(), format!("http://127.0.0.1:{}/", server.port));
}
