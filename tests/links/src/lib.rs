//! Finds dead links: in Markdown pages as a web view shows them, and in folders of rustdoc's HTML.
// Names say enough to the tests, the only users.
#![allow(missing_docs)]

pub mod html;
pub mod markdown;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

/// Links of one file.
#[derive(Debug, Default)]
pub struct Page {
    /// Targets as written, relative ones without URL encoding.
    pub links: Vec<String>,
    pub anchors: BTreeSet<String>,
    pub mistakes: Vec<String>,
}

/// Returns all `wanted` files below a folder, without `target` and folders that begin with a dot.
///
/// # Panics
/// A folder cannot be read.
pub fn files(folder: &Path, wanted: &dyn Fn(&Path) -> bool) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}")) {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                found.extend(files(&path, wanted));
            }
        } else if wanted(&path) {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Returns the dead links of `files`, a sentence each. `read` makes a page of a file's text.
pub fn dead(files: &[PathBuf], read: &dyn Fn(&Path, &str) -> Option<Page>) -> Vec<String> {
    let pages = Pages { read, known: RefCell::default() };
    let mut dead = Vec::new();
    for file in files {
        let Some(page) = pages.page(file) else { continue };
        let mistakes = page.mistakes.iter().cloned();
        let wrong = page.links.iter().filter_map(|link| pages.wrong(link, file));
        dead.extend(mistakes.chain(wrong).map(|words| format!("{}: {words}", file.display())));
    }
    dead
}

struct Pages<'r> {
    read: &'r dyn Fn(&Path, &str) -> Option<Page>,
    known: RefCell<HashMap<PathBuf, Option<Rc<Page>>>>,
}

impl Pages<'_> {
    fn page(&self, path: &Path) -> Option<Rc<Page>> {
        let read = || fs::read_to_string(path).ok().and_then(|text| (self.read)(path, &text));
        let mut known = self.known.borrow_mut();
        known.entry(path.to_owned()).or_insert_with(|| read().map(Rc::new)).clone()
    }

    fn wrong(&self, link: &str, file: &Path) -> Option<String> {
        const ELSEWHERE: [&str; 5] = ["https:", "http:", "mailto:", "data:", "javascript:"];
        if ELSEWHERE.iter().any(|scheme| link.starts_with(scheme)) {
            return None;
        }
        let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
        let path = path.split('?').next().unwrap();
        let here = file.parent().unwrap();
        let target = if path.is_empty() { file.to_owned() } else { normal(&here.join(path)) };
        if !target.exists() {
            return Some(format!("`{link}` leads to no file"));
        }
        let lacks = |page: Rc<Page>| !page.anchors.contains(anchor);
        let dead = !anchor.is_empty() && self.page(&target).is_some_and(lacks);
        dead.then(|| format!("`{link}` leads to no heading"))
    }
}

fn normal(path: &Path) -> PathBuf {
    let mut normal = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(normal.pop()),
            Component::CurDir => {}
            part => normal.push(part),
        }
    }
    normal
}
