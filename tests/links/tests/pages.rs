//! The repository's pages: links on its web view, and lengths of the first ones.

use redist_links::{dead, files, markdown};
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().and_then(Path::parent).unwrap().to_owned()
}

fn is_markdown(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "md")
}

#[test]
fn no_link_is_dead() {
    // Definitions only for rustdoc.
    let wanted = |path: &Path| is_markdown(path) && !path.ends_with("src/links.md");
    let wanted = |path: &Path| wanted(path) && !path.ends_with("src/links_without_mpi.md");
    let pages = files(&root(), &wanted);
    assert!(pages.len() > 40, "{pages:?}");
    let dead = dead(&pages, &|path, text| is_markdown(path).then(|| markdown::page(text)));
    assert!(dead.is_empty(), "{}", dead.join("\n"));
}

#[test]
fn the_index_has_every_page_of_its_folder() {
    let docs = root().join("docs");
    let index = markdown::page(&fs::read_to_string(docs.join("README.md")).unwrap());
    let links: Vec<PathBuf> = index.links.iter().map(|link| docs.join(link)).collect();
    for page in files(&docs, &is_markdown) {
        assert!(page.ends_with("docs/README.md") || links.contains(&page), "{page:?}");
    }
}

/// Tables count, code blocks do not.
#[test]
fn the_readme_has_at_most_600_words() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let prose = text.split("```").step_by(2);
    let words: usize = prose.map(|part| part.split_whitespace().count()).sum();
    assert!(words <= 600, "{words} words");
}
