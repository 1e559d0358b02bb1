//! The page, and the headers that bound what it may do.

use std::hash::{BuildHasher, RandomState};

/// Returns the page and its policy: it loads nothing, runs its own script alone, and asks this
/// server alone.
pub fn page() -> (String, String) {
    let nonce = nonce();
    let page = include_str!("page.html")
        .replace("{nonce}", &nonce)
        .replace("{style}", include_str!("page.css"))
        .replace("{script}", include_str!("page.js"));
    let policy = format!(
        "default-src 'none'; script-src 'nonce-{nonce}'; style-src 'nonce-{nonce}'; \
         connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; \
         frame-ancestors 'none'"
    );
    (page, policy)
}

/// A word that no other page has: keys of the standard library's hashes are drawn by the system.
fn nonce() -> String {
    let word = || RandomState::new().hash_one(0);
    format!("{:016x}{:016x}", word(), word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_is_one_file_that_loads_nothing() {
        let (page, policy) = page();
        for part in ["{nonce}", "{style}", "{script}", "src=", "@import", "url(", "https://"] {
            assert!(!page.contains(part), "{part}");
        }
        let nonce = policy.split("nonce-").nth(1).unwrap().split('\'').next().unwrap();
        assert_eq!((nonce.len(), page.matches(nonce).count()), (32, 2));
        assert_ne!(policy, super::page().1, "a word for each page");
    }
}
