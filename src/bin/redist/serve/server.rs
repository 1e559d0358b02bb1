//! The server: connections of this machine, each with one request.

use super::bounds::{
    AT_WORK, CONNECTION_SECONDS, CONNECTIONS, HEAD_SECONDS, MAX_HEAD, MAX_REQUEST,
};
use super::guard::{Refused, Wanted, wanted};
use super::page::page;
use super::worker::{Unanswered, answer};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Bytes, Incoming};
use hyper::header::{self, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;

/// Serves until the program is ended.
pub fn serve(listener: std::net::TcpListener, port: u16) -> io::Result<()> {
    listener.set_nonblocking(true)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::from_std(listener)?;
        let connections = Arc::new(Semaphore::new(CONNECTIONS));
        let at_work = Arc::new(Semaphore::new(AT_WORK));
        loop {
            let place = Arc::clone(&connections).acquire_owned().await;
            let Ok((stream, _)) = listener.accept().await else {
                // As where no file can be opened: others end meanwhile.
                tokio::time::sleep(Duration::from_millis(100)).await;
                continue;
            };
            let at_work = Arc::clone(&at_work);
            tokio::spawn(async move {
                let life = connection(stream, port, at_work);
                let longest = Duration::from_secs(CONNECTION_SECONDS);
                let _ = tokio::time::timeout(longest, life).await;
                drop(place);
            });
        }
    })
}

async fn connection(stream: TcpStream, port: u16, at_work: Arc<Semaphore>) {
    let service = service_fn(move |request| {
        let at_work = Arc::clone(&at_work);
        async move { Ok::<_, Infallible>(response(request, port, &at_work).await) }
    });
    let mut server = http1::Builder::new();
    server.timer(TokioTimer::new()).header_read_timeout(Duration::from_secs(HEAD_SECONDS));
    // A browser that breaks off is no mistake of anybody.
    server.keep_alive(false).max_buf_size(MAX_HEAD);
    let _ = server.serve_connection(TokioIo::new(stream), service).await;
}

type Answer = Response<Full<Bytes>>;

async fn response(request: Request<Incoming>, port: u16, at_work: &Semaphore) -> Answer {
    let asked = (request.method(), request.uri().path());
    let asked = match wanted(asked, request.headers(), port) {
        Ok(Wanted::Page) => {
            let (page, policy) = page();
            return answered(StatusCode::OK, "text/html; charset=utf-8", page.into(), &policy);
        }
        Ok(Wanted::Answer(asked)) => asked,
        Err(Refused(status, reason)) => return refused(status, reason),
    };
    let body = Limited::new(request.into_body(), MAX_REQUEST).collect().await;
    let Ok(body) = body else {
        return refused(StatusCode::PAYLOAD_TOO_LARGE, "the text is longer than 256 KiB");
    };
    let _turn = at_work.acquire().await;
    match answer(asked, &body.to_bytes()).await {
        Ok(json) => answered(StatusCode::OK, "application/json", json.into(), NOTHING),
        Err(Unanswered::TooMuch) => {
            let reason = "this takes more than 10 seconds to plan and draw; try fewer ranks, \
                          or shorter lists";
            refused(StatusCode::UNPROCESSABLE_ENTITY, reason)
        }
        Err(Unanswered::Ended) => {
            let reason = "planning or drawing this has failed, or needs more than 2 GiB of memory";
            refused(StatusCode::UNPROCESSABLE_ENTITY, reason)
        }
    }
}

/// The policy of answers that are no page.
const NOTHING: &str = "default-src 'none'; frame-ancestors 'none'";

fn refused(status: StatusCode, reason: &str) -> Answer {
    let text = Bytes::from(format!("{reason}\n"));
    answered(status, "text/plain; charset=utf-8", text, NOTHING)
}

fn answered(status: StatusCode, kind: &'static str, body: Bytes, policy: &str) -> Answer {
    let mut response = Response::new(Full::new(body));
    *response.status_mut() = status;
    let headers = response.headers_mut();
    let kept: [(HeaderName, &'static str); 6] = [
        (header::CONTENT_TYPE, kind),
        (header::CACHE_CONTROL, "no-store"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ];
    for (name, value) in kept {
        headers.insert(name, HeaderValue::from_static(value));
    }
    if let Ok(policy) = HeaderValue::from_str(policy) {
        headers.insert(header::CONTENT_SECURITY_POLICY, policy);
    }
    response
}
