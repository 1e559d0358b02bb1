//! Fails if a rustdoc page of some crates has a dead link: `redist-links FOLDER CRATE…`.

use redist_links::{dead, files, html};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let Some(folder) = arguments.next().map(PathBuf::from) else {
        eprintln!("which folder?");
        return ExitCode::from(2);
    };
    // Pages of the crate `mpi`, which `redist` re-exports, are not ours to mend.
    let is_ours = |path: &Path| !path.iter().any(|part| part == "rsmpi");
    let is_html = |path: &Path| {
        is_ours(path) && path.extension().is_some_and(|extension| extension == "html")
    };
    let pages: Vec<_> = arguments.flat_map(|name| files(&folder.join(name), &is_html)).collect();
    let dead = dead(&pages, &|path, text| is_html(path).then(|| html::page(text)));
    dead.iter().for_each(|words| eprintln!("{words}"));
    println!("{} pages, {} dead links", pages.len(), dead.len());
    if dead.is_empty() && !pages.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
