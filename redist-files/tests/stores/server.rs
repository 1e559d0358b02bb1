//! A small server of objects, which fails as it is told: of plain HTTP, and of what S3 has beyond.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::Duration;

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    /// The path, without the query.
    pub path: String,
    pub query: String,
    pub headers: BTreeMap<String, String>,
    pub body: Vec<u8>,
}

impl Request {
    /// Returns `true` if it reads bytes of an object.
    pub fn is_read(&self) -> bool {
        self.method == "GET" && self.headers.contains_key("range")
    }

    /// Returns `true` if it sends a part of an upload.
    pub fn is_part(&self) -> bool {
        self.method == "PUT" && self.query.contains("partNumber=")
    }

    /// Returns `true` if it sends a whole object.
    pub fn is_put(&self) -> bool {
        self.method == "PUT" && self.query.is_empty()
    }

    /// Returns `true` if it lists objects.
    pub fn is_list(&self) -> bool {
        self.method == "GET" && self.query.contains("list-type=2")
    }

    /// Returns `true` if it completes an upload.
    pub fn is_completion(&self) -> bool {
        self.method == "POST" && self.query.contains("uploadId=")
    }
}

/// The way in which an answer fails.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// This status, and nothing done.
    Status(u16),
    /// Half of the bytes, and the connection is closed.
    Cut,
    /// Bytes from one further on.
    OtherRange,
    /// The whole object, as by a server without ranges.
    Whole,
    /// Nothing for longer than anybody waits.
    Slow,
    /// All done, after a while.
    Delayed,
    /// All done, and no answer.
    Late,
    /// Nothing done, and an answer as if.
    Lost,
    /// Half of the bytes taken, and an answer as if all were.
    Half,
    /// No tag, and no time of the last change.
    Untagged,
    /// Another object of the name by now, and no look at the tag that was asked for.
    Replaced,
    /// The same, by a server that looks at the tag.
    Changed,
}

type Faults = Box<dyn Fn(&Request, usize) -> Option<Fault> + Send + Sync>;

/// All that the server holds.
#[derive(Default)]
pub struct Held {
    /// By path: bytes, and the number of the state.
    pub objects: BTreeMap<String, (Vec<u8>, usize)>,
    /// By id: the path, and the parts by number.
    pub uploads: BTreeMap<String, (String, BTreeMap<usize, Vec<u8>>)>,
    /// Buckets that are there.
    pub buckets: BTreeSet<String>,
    /// Requests, in their order.
    pub requests: Vec<Request>,
    /// Numbers that were given to states and uploads.
    count: usize,
}

impl Held {
    pub fn put(&mut self, path: &str, bytes: Vec<u8>) {
        self.count += 1;
        self.objects.insert(path.into(), (bytes, self.count));
    }
}

/// A server, whose threads end with the program.
#[derive(Clone)]
pub struct Server {
    pub address: SocketAddr,
    held: Arc<Mutex<Held>>,
    faults: Arc<Faults>,
}

impl Server {
    /// Starts a server with the bucket `b`; `faults` says which requests fail, by how many came before.
    pub fn new(faults: impl Fn(&Request, usize) -> Option<Fault> + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let held = Held { buckets: BTreeSet::from(["b".into()]), ..Held::default() };
        let server = Self {
            address: listener.local_addr().expect("an address"),
            held: Arc::new(Mutex::new(held)),
            faults: Arc::new(Box::new(faults)),
        };
        let own = server.clone();
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let own = own.clone();
                thread::spawn(move || own.serve(stream));
            }
        });
        server
    }

    /// Starts a server that does not fail.
    pub fn right() -> Self {
        Self::new(|_, _| None)
    }

    pub fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().expect("no panic")
    }

    /// Counts objects, and uploads that are under way.
    pub fn counts(&self) -> [usize; 2] {
        let held = self.held();
        [held.objects.len(), held.uploads.len()]
    }

    /// Answers the requests of a connection until it is closed.
    fn serve(&self, stream: TcpStream) -> Option<()> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut stream = stream;
        loop {
            let request = read(&mut reader)?;
            let number = {
                let mut held = self.held();
                held.requests.push(request.clone());
                held.requests.len() - 1
            };
            let fault = (self.faults)(&request, number);
            if matches!(fault, Some(Fault::Slow)) {
                thread::sleep(Duration::from_secs(600));
            }
            if matches!(fault, Some(Fault::Delayed)) {
                thread::sleep(Duration::from_millis(400));
            }
            if matches!(fault, Some(Fault::Replaced | Fault::Changed)) {
                let mut held = self.held();
                let (mut bytes, _) = held.objects[&request.path].clone();
                bytes.iter_mut().skip(1000).for_each(|byte| *byte ^= 1);
                held.put(&request.path, bytes);
            }
            let (head, body) = match fault {
                Some(Fault::Status(status)) => answer(status, &[], b"<Error>as told</Error>"),
                Some(Fault::Lost) => answer(200, &[("ETag", "\"lost\"")], b""),
                _ => self.answer(&request, fault),
            };
            if matches!(fault, Some(Fault::Late)) {
                thread::sleep(Duration::from_secs(600));
            }
            stream.write_all(head.as_bytes()).ok()?;
            let sent = if matches!(fault, Some(Fault::Cut)) { body.len() / 2 } else { body.len() };
            if request.method != "HEAD" {
                stream.write_all(&body[..sent]).ok()?;
            }
            if sent < body.len() {
                return None;
            }
        }
    }

    fn answer(&self, request: &Request, fault: Option<Fault>) -> (String, Vec<u8>) {
        let mut held = self.held();
        let bucket = request.path.split('/').nth(1).unwrap_or_default();
        if !held.buckets.contains(bucket) {
            return answer(404, &[], b"<Error><Code>NoSuchBucket</Code></Error>");
        }
        let id = request.query.split('&').find_map(|pair| pair.strip_prefix("uploadId="));
        match (request.method.as_str(), id) {
            ("GET", _) if request.is_list() => list(&held, bucket, &request.query),
            ("GET" | "HEAD", _) => object(&held, request, fault),
            ("POST", None) if request.query.contains("uploads") => {
                held.count += 1;
                let id = format!("upload{}", held.count);
                held.uploads.insert(id.clone(), (request.path.clone(), BTreeMap::new()));
                let text = format!(
                    "<InitiateMultipartUploadResult><UploadId>{id}</UploadId>\
                     </InitiateMultipartUploadResult>"
                );
                answer(200, &[], text.as_bytes())
            }
            ("PUT", Some(id)) => {
                let number = request.query.split('&').find_map(|p| p.strip_prefix("partNumber="));
                let number = number.and_then(|number| number.parse().ok()).expect("a part");
                let Some((_, parts)) = held.uploads.get_mut(id) else { return no_upload() };
                parts.insert(number, request.body.clone());
                answer(200, &[("ETag", &format!("\"part{number}\""))], b"")
            }
            ("PUT", None) => {
                let len =
                    request.body.len() / if matches!(fault, Some(Fault::Half)) { 2 } else { 1 };
                held.put(&request.path, request.body[..len].to_vec());
                answer(200, &[("ETag", "\"put\"")], b"")
            }
            ("POST", Some(id)) => {
                let Some((path, parts)) = held.uploads.remove(id) else { return no_upload() };
                held.put(&path, parts.into_values().flatten().collect());
                let text = "<CompleteMultipartUploadResult><ETag>\"whole\"</ETag>\
                            </CompleteMultipartUploadResult>";
                answer(200, &[], text.as_bytes())
            }
            ("DELETE", Some(id)) => match held.uploads.remove(id) {
                Some(_) => answer(204, &[], b""),
                None => no_upload(),
            },
            ("DELETE", None) => {
                held.objects.remove(&request.path);
                answer(204, &[], b"")
            }
            _ => answer(400, &[], b"not known here"),
        }
    }
}

fn no_upload() -> (String, Vec<u8>) {
    answer(404, &[], b"<Error><Code>NoSuchUpload</Code></Error>")
}

/// Objects of an answer to a list.
const PAGE: usize = 5;

/// Lists objects from the one on that the question names, in pages.
fn list(held: &Held, bucket: &str, query: &str) -> (String, Vec<u8>) {
    let word = |name: &str| {
        let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
        pairs.find(|(own, _)| *own == name).map(|(_, value)| value.replace("%2F", "/"))
    };
    let prefix = word("prefix").unwrap_or_default();
    let first = word("continuation-token").and_then(|token| token.parse().ok()).unwrap_or(0);
    let mut names = held.objects.iter().filter_map(|(path, (bytes, _))| {
        let name = path.strip_prefix(&format!("/{bucket}/"))?;
        name.starts_with(&prefix).then_some((name, bytes.len()))
    });
    let mut text = String::from("<ListBucketResult>");
    for (name, len) in names.by_ref().skip(first).take(PAGE) {
        text += &format!(
            "<Contents><Key>{name}</Key><LastModified>2026-11-30T10:00:00.000Z</LastModified>\
             <ETag>\"listed\"</ETag><Size>{len}</Size></Contents>"
        );
    }
    if names.next().is_some() {
        text += &format!("<NextContinuationToken>{}</NextContinuationToken>", first + PAGE);
    }
    answer(200, &[], (text + "</ListBucketResult>").as_bytes())
}

/// Answers with an object, or a range of it.
fn object(held: &Held, request: &Request, fault: Option<Fault>) -> (String, Vec<u8>) {
    let Some((bytes, state)) = held.objects.get(&request.path) else {
        return answer(404, &[], b"<Error><Code>NoSuchKey</Code></Error>");
    };
    let tag = format!("\"state{state}\"");
    let wanted = request.headers.get("if-match");
    if wanted.is_some_and(|wanted| *wanted != tag) && !matches!(fault, Some(Fault::Replaced)) {
        return answer(412, &[], b"<Error><Code>PreconditionFailed</Code></Error>");
    }
    let mut headers =
        vec![("ETag", tag), ("Last-Modified", "Mon, 30 Nov 2026 10:00:00 GMT".into())];
    if matches!(fault, Some(Fault::Untagged)) {
        headers.clear();
    }
    let range = request.headers.get("range").filter(|_| !matches!(fault, Some(Fault::Whole)));
    let range = range.and_then(|range| {
        let (start, last) = range.strip_prefix("bytes=")?.split_once('-')?;
        Some((start.parse::<usize>().ok()?, last.parse::<usize>().ok()?.min(bytes.len() - 1)))
    });
    let Some((mut start, mut last)) = range else {
        return answer(200, &named(&headers), bytes);
    };
    if matches!(fault, Some(Fault::OtherRange)) {
        (start, last) = (start + 1, last + 1);
    }
    headers.push(("Content-Range", format!("bytes {start}-{last}/{}", bytes.len())));
    answer(206, &named(&headers), bytes.get(start..=last).unwrap_or_default())
}

fn named<'a>(headers: &'a [(&'a str, String)]) -> Vec<(&'a str, &'a str)> {
    headers.iter().map(|(name, value)| (*name, value.as_str())).collect()
}

fn answer(status: u16, headers: &[(&str, &str)], body: &[u8]) -> (String, Vec<u8>) {
    let mut head = format!("HTTP/1.1 {status} As-Told\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head += &format!("{name}: {value}\r\n");
    }
    (head + "\r\n", body.to_vec())
}

/// Reads a request; `None` at the end of the connection.
fn read(reader: &mut impl BufRead) -> Option<Request> {
    let line = |reader: &mut dyn BufRead| {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|len| *len > 0)?;
        Some(line.trim_end().to_owned())
    };
    let first = line(reader)?;
    let mut words = first.split(' ');
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = BTreeMap::new();
    loop {
        let text = line(reader)?;
        let Some((name, value)) = text.split_once(':') else { break };
        headers.insert(name.to_ascii_lowercase(), value.trim().to_owned());
    }
    let len = headers.get("content-length").and_then(|len| len.parse().ok()).unwrap_or(0);
    let mut body = vec![0; len];
    reader.read_exact(&mut body).ok()?;
    let (path, query) = target.split_once('?').unwrap_or((&target, ""));
    Some(Request { method, path: path.into(), query: query.into(), headers, body })
}
