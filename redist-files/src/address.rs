//! Names of objects at stores, as in `s3://bucket/key` and `https://host/path`.

use std::path::Path;

/// The sort of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreSort {
    /// A bucket of S3, or of a server that speaks its language.
    S3,
    /// A web server, which is read alone.
    Web,
}

/// The name of an object.
#[cfg_attr(not(feature = "object-store"), allow(dead_code, reason = "stores alone read them"))]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    pub sort: StoreSort,
    /// The store, as in `s3://bucket` and `https://host:8080`.
    pub store: String,
    /// The name within the store.
    pub key: String,
}

/// Returns `true` if a name is that of an object, and not that of a file.
pub fn is_address(name: &Path) -> bool {
    scheme(name).is_some()
}

fn scheme(name: &Path) -> Option<(&str, &str)> {
    let (scheme, rest) = name.to_str()?.split_once("://")?;
    let is_letter = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let begins = scheme.starts_with(|c: char| c.is_ascii_alphabetic());
    (begins && scheme.chars().all(is_letter)).then_some((scheme, rest))
}

impl Address {
    /// Reads the name of an object. Fails if no store can have it.
    pub fn parse(name: &Path) -> Result<Self, String> {
        let (scheme, rest) = scheme(name).ok_or("is the name of a file, and of no object")?;
        let (place, key) = rest.split_once('/').unwrap_or((rest, ""));
        let sort = match scheme {
            "s3" => StoreSort::S3,
            "http" | "https" => StoreSort::Web,
            "file" => return Err("files are named without `file://`".into()),
            _ => {
                return Err(format!(
                    "`{scheme}://` is no store that is known here; names of objects begin with \
                     s3://, http:// or https://"
                ));
            }
        };
        if place.contains('@') {
            return Err("messages show names; leave the user and the password out of them".into());
        }
        if place.is_empty() || key.is_empty() {
            return Err(match sort {
                StoreSort::S3 => "expected a bucket and a key, as in s3://bucket/model.safetensors",
                StoreSort::Web => {
                    "expected a host and a path, as in https://host/model.safetensors"
                }
            }
            .into());
        }
        Ok(Self { sort, store: format!("{scheme}://{place}"), key: key.into() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_objects_are_told_from_names_of_files() {
        for file in ["a/b", "s3:/a", "/s3://a/b", "://a", "1s://a", "a b://c", "ä://b"] {
            assert!(!is_address(Path::new(file)), "{file}");
        }
        let read = |name: &str| Address::parse(Path::new(name));
        let address = read("s3://bucket/a/b-0.safetensors").expect("an object");
        assert_eq!(address.sort, StoreSort::S3);
        assert_eq!((&*address.store, &*address.key), ("s3://bucket", "a/b-0.safetensors"));
        let address = read("http://127.0.0.1:80/x").expect("an object");
        assert_eq!((&*address.store, address.sort), ("http://127.0.0.1:80", StoreSort::Web));
        for (name, words) in [
            ("gs://bucket/a", "`gs://` is no store"),
            ("file:///a", "without `file://`"),
            ("s3://bucket", "a bucket and a key"),
            ("https:///a", "a host and a path"),
            ("https://me:secret@host/a", "leave the user and the password out"),
        ] {
            assert!(read(name).expect_err("no object").contains(words), "{name}");
        }
    }
}
