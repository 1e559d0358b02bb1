//! The checked-in header is cbindgen's; `BLESS=1` rewrites it. The exported symbols are its
//! functions.

use std::collections::BTreeSet;
use std::path::Path;
use std::{env, fs};

#[test]
fn the_header_is_that_of_the_source() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(root.join("cbindgen.toml")).unwrap();
    let mut made = Vec::new();
    cbindgen::generate_with_config(root, config).unwrap().write(&mut made);
    let (made, header) = (String::from_utf8(made).unwrap(), root.join("include/redist.h"));
    if env::var_os("BLESS").is_some() {
        fs::write(&header, &made).unwrap();
    }
    let found = fs::read_to_string(&header).unwrap();
    assert!(found == made, "redist.h is not that of the source; run this with BLESS=1");
}

#[test]
fn every_function_of_the_header_is_in_the_list_of_symbols() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let header = fs::read_to_string(root.join("include/redist.h")).unwrap();
    let code = header.lines().filter(|line| !line.trim_start().starts_with(['*', '/']));
    let declared = code.filter(|line| !line.starts_with([' ', '#'])).filter_map(|line| {
        // Only functions of the header call these.
        let (before, _) = line.split_once('(').filter(|_| !line.starts_with("static "))?;
        before.split([' ', '*']).next_back().filter(|name| name.starts_with("redist_"))
    });
    let declared: BTreeSet<&str> = declared.collect();
    let symbols = fs::read_to_string(root.join("symbols.txt")).unwrap();
    assert!(declared.len() > 20, "{declared:?}");
    assert_eq!(declared, symbols.lines().collect::<BTreeSet<_>>());
}

/// The installed version file names this release.
#[test]
fn releases_agree() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let version = fs::read_to_string(root.join("../cmake/redistConfigVersion.cmake")).unwrap();
    let line = format!("set(PACKAGE_VERSION \"{}\")", env!("CARGO_PKG_VERSION"));
    assert!(version.contains(&line), "redistConfigVersion.cmake must say {line}");
}
