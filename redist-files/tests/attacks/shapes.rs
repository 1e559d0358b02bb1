//! Files that are cut off, have holes, are missing, or are links.

use crate::drawn;
use crate::set::{is_chunk, kinds};
use crate::{Kind, Set};
use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;

/// Calls a function with each file of the sources of each format, which is as it was in each call.
fn each_file(act: impl Fn(&Kind, &Set, &Path)) {
    for kind in kinds() {
        let set = Set::new(&kind);
        assert!(set.run().expect("as it was written"), "{}", kind.name);
        for file in set.files() {
            let whole = fs::read(&file).expect("a file");
            act(&kind, &set, &file);
            let _ = fs::remove_dir(&file).or_else(|_| fs::remove_file(&file));
            fs::write(&file, whole).expect("written");
        }
        assert!(set.run().expect("as it was written"), "{}", kind.name);
    }
}

#[test]
fn files_that_were_cut_off_are_told() {
    let mut random = fastrand::Rng::with_seed(drawn::seed());
    let random = std::sync::Mutex::new(&mut random);
    each_file(|_, set, file| {
        let whole = fs::read(file).expect("a file");
        let mut random = random.lock().expect("one thread");
        let drawn = (0..drawn::some(24)).map(|_| random.usize(..whole.len()));
        for len in drawn.chain([0, 1, whole.len() - 1]).collect::<Vec<_>>() {
            fs::write(file, &whole[..len]).expect("written");
            set.refused(file);
        }
    });
}

/// Holes in place of all bytes, behind all bytes, and of a length that no memory has.
#[test]
fn files_with_holes_are_told_or_read() {
    each_file(|kind, set, file| {
        let whole = fs::read(file).expect("a file");
        let (none, long): (&[u8], u64) = (&[], 1 << 40);
        for (bytes, len) in [(none, whole.len() as u64), (none, long), (&whole[..], long)] {
            fs::write(file, bytes).expect("written");
            File::options()
                .write(true)
                .open(file)
                .and_then(|file| file.set_len(len))
                .expect("long");
            let ended = set.run();
            let words = format!("{} {}: {ended:?}", kind.name, file.display());
            match (bytes.is_empty(), len == long) {
                // Zeros are elements, where no header and no compression says anything else.
                (true, false) => assert!(matches!(ended, Ok(false) | Err(_)), "{words}"),
                (true, true) => assert!(ended.is_err(), "{words}"),
                // Some formats have an end of their own, and go on behind it.
                _ => assert!(matches!(ended, Ok(true) | Err(_)), "{words}"),
            }
        }
    });
}

#[test]
fn files_that_are_missing_are_told() {
    each_file(|kind, set, file| {
        fs::remove_file(file).expect("removed");
        match is_chunk(file) {
            // It is the fill value.
            true => assert!(!set.run().expect("zeros"), "{}", kind.name),
            false => {
                set.refused(file);
            }
        }
    });
}

/// Without `element`, which the file would say.
#[test]
fn a_missing_file_is_told_before_a_missing_element() {
    for kind in kinds() {
        let set = Set::new(&kind);
        let mut manifest = set.read.clone();
        manifest["defaults"].as_object_mut().expect("keys").remove("element");
        set.files().iter().for_each(|file| fs::remove_file(file).expect("removed"));
        let told = set.run_of(&manifest).expect_err("nothing is there").to_string();
        let words = ["No such file", "has neither zarr.json nor .zarray"];
        assert!(words.iter().any(|words| told.contains(words)), "{}: {told}", kind.name);
        assert!(told.contains("array `w`") && told.contains("/in/"), "{told}");
    }
}

#[test]
fn links_are_followed_to_files_and_to_nothing_else() {
    each_file(|kind, set, file| {
        let elsewhere = set.folder().join("elsewhere");
        fs::rename(file, &elsewhere).expect("moved");
        for target in ["nothing", "itself", "folder", "/dev/null"] {
            let to = match target {
                "itself" => file.to_owned(),
                "folder" => set.folder().join("raw"),
                _ => target.into(),
            };
            symlink(to, file).expect("a link");
            set.refused(file);
            fs::remove_file(file).expect("removed");
        }
        symlink(elsewhere, file).expect("a link");
        assert!(set.run().expect("a link to a file"), "{}", kind.name);
    });
}
