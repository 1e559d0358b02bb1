//! Clients of stores, one for each bucket or host, and words on their errors.

use crate::address::{Address, StoreSort};
use crate::journal::hash;
use object_store::aws::{AmazonS3, AmazonS3Builder, AmazonS3ConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, RetryConfig};
use std::collections::BTreeMap;
use std::error::Error as StdError;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

/// Names the variable with the seconds of a request.
const TIMEOUT: &str = "REDIST_STORE_TIMEOUT";

/// Names the variable with the number of times that a request is repeated.
const RETRIES: &str = "REDIST_STORE_RETRIES";

/// Times that a request is repeated, unless the variable tells.
const MOST_RETRIES: usize = 5;

/// Seconds after which a request is not repeated any more.
const RETRY_SECONDS: u64 = 180;

/// The longest words of a store that are shown, in characters.
const MOST_WORDS: usize = 600;

/// The process, the store, and a hash of what the environment says of it.
type StoreKey = (u32, String, u64);

/// Clients by process, store and environment: a process that was forked has no threads of another.
static STORES: Mutex<BTreeMap<StoreKey, Arc<Store>>> = Mutex::new(BTreeMap::new());

/// A bucket, or a web server.
#[derive(Debug)]
pub struct Store {
    runtime: Runtime,
    pub client: Arc<dyn ObjectStore>,
    /// The same client, if it writes.
    pub bucket: Option<Arc<AmazonS3>>,
}

impl Store {
    /// Returns the client of an object's store.
    pub fn of(address: &Address) -> Result<Arc<Self>, String> {
        let own = (std::process::id(), address.store.clone(), environment());
        let mut stores = STORES.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(store) = stores.get(&own) {
            return Ok(store.clone());
        }
        let store = Arc::new(Self::new(address)?);
        stores.insert(own, store.clone());
        Ok(store)
    }

    fn new(address: &Address) -> Result<Self, String> {
        let mut runtime = Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).thread_name("redist-store").enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let (client, bucket): (Arc<dyn ObjectStore>, _) = match address.sort {
            StoreSort::S3 => {
                let bucket = Arc::new(bucket(address)?);
                (bucket.clone(), Some(bucket))
            }
            StoreSort::Web => (Arc::new(web(address)?), None),
        };
        Ok(Self { runtime, client, bucket })
    }

    /// Does work at the store, while this thread waits.
    pub fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }
}

/// Returns the name of an object within its store.
pub fn key(address: &Address) -> Result<Path, String> {
    let key = match address.sort {
        StoreSort::S3 => Path::parse(&address.key),
        StoreSort::Web => Path::from_url_path(&address.key),
    };
    key.map_err(|error| error.to_string())
}

/// Hashes what the environment says of stores.
fn environment() -> u64 {
    let is_own = |name: &str| name.starts_with("AWS_") || name.starts_with("REDIST_STORE_");
    let is_proxy = |name: &str| name.to_ascii_uppercase().ends_with("_PROXY");
    let mut own: Vec<_> = std::env::vars_os()
        .filter(|(name, _)| name.to_str().is_some_and(|name| is_own(name) || is_proxy(name)))
        .collect();
    own.sort();
    hash(2, format!("{own:?}").as_bytes())
}

fn number(variable: &str) -> Result<Option<u64>, String> {
    let Some(text) = std::env::var_os(variable) else { return Ok(None) };
    let number = text.to_str().and_then(|text| text.parse().ok());
    match number {
        Some(number) => Ok(Some(number)),
        None => Err(format!("{variable}: expected a whole number, found {text:?}")),
    }
}

/// Returns how often, and for how long, requests are repeated.
fn retries() -> Result<RetryConfig, String> {
    let asked = number(RETRIES)?.map(|retries| usize::try_from(retries).unwrap_or(usize::MAX));
    Ok(RetryConfig {
        backoff: BackoffConfig::default(),
        max_retries: asked.unwrap_or(MOST_RETRIES),
        retry_timeout: Duration::from_secs(RETRY_SECONDS),
    })
}

/// Returns the longest time of a request, if the caller has one.
fn timeout() -> Result<Option<String>, String> {
    Ok(number(TIMEOUT)?.map(|seconds| format!("{} seconds", seconds.max(1))))
}

fn bucket(address: &Address) -> Result<AmazonS3, String> {
    let name = address.store.strip_prefix("s3://").unwrap_or(&address.store);
    // Not all servers that speak S3's language delete several objects by one request.
    let builder = AmazonS3Builder::from_env().with_disable_bulk_delete(true);
    let mut builder = builder.with_bucket_name(name).with_retry(retries()?);
    if let Some(timeout) = timeout()? {
        builder = builder.with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), timeout);
    }
    builder.build().map_err(|error| words(&error))
}

fn web(address: &Address) -> Result<object_store::http::HttpStore, String> {
    let mut options = ClientOptions::new().with_allow_http(address.store.starts_with("http://"));
    if let Some(timeout) = timeout()? {
        options = options.with_config(ClientConfigKey::Timeout, timeout);
    }
    let builder = HttpBuilder::new().with_url(&address.store).with_client_options(options);
    builder.with_retry(retries()?).build().map_err(|error| words(&error))
}

/// Says what is wrong, and how it is mended. Words of a store are not trusted.
pub fn words(error: &object_store::Error) -> String {
    use object_store::Error;
    let all = shown(&chain(error));
    match error {
        Error::NotFound { .. } if all.contains("NoSuchBucket") => {
            "there is no such bucket; make it, and run this again".into()
        }
        Error::NotFound { .. } => "there is no such object, or no such bucket".into(),
        Error::Precondition { .. } => "has changed meanwhile".into(),
        Error::PermissionDenied { .. } | Error::Unauthenticated { .. } => refused(&all),
        // Of lists, the crate tells no sort of error.
        _ if [401, 403].iter().any(|code| all.contains(&format!("status code: {code} "))) => {
            refused(&all)
        }
        _ if all.contains("scheme is not allowed") => {
            format!("{all}; AWS_ALLOW_HTTP=true allows plain http")
        }
        _ => all,
    }
}

fn refused(words: &str) -> String {
    format!(
        "the store refuses it to these credentials, which are those of AWS_ACCESS_KEY_ID and \
         AWS_SECRET_ACCESS_KEY; AWS_SKIP_SIGNATURE=true asks without any ({words})"
    )
}

/// Lists the causes of an error, the first one last, each once.
fn chain(error: &dyn StdError) -> String {
    let (mut text, mut cause) = (error.to_string(), error.source());
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text += &format!(": {more}");
        }
        cause = error.source();
    }
    text
}

/// Returns words in one line, without signs that a terminal would obey.
fn shown(text: &str) -> String {
    let plain: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let line = plain.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST_WORDS) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_store_are_one_short_line() {
        assert_eq!(shown("a\n\u{1b}[31m  b\t"), "a [31m b");
        assert_eq!(shown(&"ä".repeat(1000)).chars().count(), MOST_WORDS + 1);
    }

    #[test]
    fn keys_that_no_store_has_are_refused() {
        let of = |name: &str| key(&Address::parse(std::path::Path::new(name)).expect("an object"));
        assert_eq!(of("s3://b/a%20b").expect("a key").as_ref(), "a%20b");
        assert_eq!(of("http://b/a%20b").expect("a key").as_ref(), "a b");
        for name in ["s3://b/a//c", "s3://b/../c", "http://b/a/%2e%2e/c"] {
            assert!(of(name).is_err(), "{name}");
        }
    }
}
