//! Requests that are refused: pages of other sites can send some to a server on this machine.

use super::answer::Asked;
use hyper::header::{CONTENT_TYPE, HOST, HeaderMap, HeaderName, ORIGIN};
use hyper::{Method, StatusCode};

/// The header that browsers send with the kind of site that asks.
const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// A request that may be answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// The page itself.
    Page,
    /// An answer to a text.
    Answer(Asked),
}

/// The reason why a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refused(pub StatusCode, pub &'static str);

/// Finds what a request asks for. `port` is the server's.
pub fn wanted(
    (method, path): (&Method, &str),
    headers: &HeaderMap,
    port: u16,
) -> Result<Wanted, Refused> {
    from_here(headers, port)?;
    let (wanted, asked_by) = match path {
        "/" => (Wanted::Page, Method::GET),
        "/plan" => (Wanted::Answer(Asked::Plan), Method::POST),
        "/file" => (Wanted::Answer(Asked::File), Method::POST),
        _ => return Err(Refused(StatusCode::NOT_FOUND, "there is no such page")),
    };
    if *method != asked_by {
        return Err(Refused(StatusCode::METHOD_NOT_ALLOWED, "this is asked in another way"));
    }
    // A form of another site cannot send this type.
    if asked_by == Method::POST && !is_json(headers) {
        let message = "requests are application/json";
        return Err(Refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, message));
    }
    Ok(wanted)
}

/// Refuses names of this machine that another site's owner may choose, and pages of other sites.
fn from_here(headers: &HeaderMap, port: u16) -> Result<(), Refused> {
    let hosts = ["127.0.0.1", "localhost"].map(|name| format!("{name}:{port}"));
    let host = only(headers, &HOST).filter(|host| hosts.iter().any(|own| own == host));
    let Some(host) = host else {
        return Err(Refused(StatusCode::MISDIRECTED_REQUEST, "the server has another name"));
    };
    let origin = format!("http://{host}");
    let is_own = |asked: &str| asked == origin;
    let is_of_site = |site: &str| ["same-origin", "none"].contains(&site);
    let stranger = headers.contains_key(ORIGIN) && !only(headers, &ORIGIN).is_some_and(is_own)
        || headers.contains_key(SEC_FETCH_SITE)
            && !only(headers, &SEC_FETCH_SITE).is_some_and(is_of_site);
    match stranger {
        true => Err(Refused(StatusCode::FORBIDDEN, "pages of other sites may not ask")),
        false => Ok(()),
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let is_json = |kind: &str| {
        kind.split(';')
            .next()
            .is_some_and(|kind| kind.trim().eq_ignore_ascii_case("application/json"))
    };
    only(headers, &CONTENT_TYPE).is_some_and(is_json)
}

/// Returns the value of a header that is there once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let value = values.next()?.to_str().ok()?;
    values.next().is_none().then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(method: Method, path: &str, headers: &[(&str, &str)]) -> Result<Wanted, u16> {
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        wanted((&method, path), &map, 80).map_err(|refused| refused.0.as_u16())
    }

    #[test]
    fn the_page_is_served_under_two_names() {
        for host in ["127.0.0.1:80", "localhost:80"] {
            assert_eq!(asked(Method::GET, "/", &[("host", host)]), Ok(Wanted::Page));
        }
        for host in ["127.0.0.1", "127.0.0.1:81", "example.com:80", "[::1]:80", ""] {
            assert_eq!(asked(Method::GET, "/", &[("host", host)]), Err(421), "{host}");
        }
        assert_eq!(asked(Method::GET, "/", &[]), Err(421));
        let twice = [("host", "127.0.0.1:80"), ("host", "example.com")];
        assert_eq!(asked(Method::GET, "/", &twice), Err(421));
    }

    #[test]
    fn other_sites_may_not_ask() {
        let host = ("host", "127.0.0.1:80");
        let json = ("content-type", "application/json; charset=utf-8");
        let plan = |more: &[(&str, &str)]| {
            asked(Method::POST, "/plan", &[&[host, json][..], more].concat())
        };
        assert_eq!(plan(&[]), Ok(Wanted::Answer(Asked::Plan)));
        assert_eq!(plan(&[("origin", "http://127.0.0.1:80")]), Ok(Wanted::Answer(Asked::Plan)));
        assert_eq!(plan(&[("sec-fetch-site", "same-origin")]), Ok(Wanted::Answer(Asked::Plan)));
        for origin in ["null", "http://example.com", "http://localhost:80", "https://127.0.0.1:80"]
        {
            assert_eq!(plan(&[("origin", origin)]), Err(403), "{origin}");
        }
        for site in ["cross-site", "same-site", ""] {
            assert_eq!(plan(&[("sec-fetch-site", site)]), Err(403), "{site}");
        }
    }

    #[test]
    fn requests_are_of_their_method_and_type() {
        let host = ("host", "127.0.0.1:80");
        for kind in ["text/plain", "application/x-www-form-urlencoded", "application/jsonx"] {
            let headers = [host, ("content-type", kind)];
            assert_eq!(asked(Method::POST, "/file", &headers), Err(415), "{kind}");
        }
        assert_eq!(asked(Method::POST, "/plan", &[host]), Err(415));
        assert_eq!(asked(Method::GET, "/plan", &[host]), Err(405));
        assert_eq!(asked(Method::POST, "/", &[host]), Err(405));
        assert_eq!(asked(Method::OPTIONS, "/plan", &[host]), Err(405));
        assert_eq!(asked(Method::GET, "/etc/passwd", &[host]), Err(404));
        assert_eq!(asked(Method::GET, "/?", &[host]), Err(404), "hyper's path has no query");
    }
}
