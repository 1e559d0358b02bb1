//! A file by which two programs of several launches find each other, with a time limit.
//!
//! The accepting program writes a notice with a unique number, and waits for an answer file beside
//! it. The connecting program writes the answer. The program that removes the answer decides: the
//! accepting program goes on with both, the connecting one gives up. No program goes on without its
//! partner.

use crate::notice::{self, Notice};
use redist_runtime::transport::wire::WireError;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Time between two looks at the file.
const LOOK: Duration = Duration::from_millis(10);

/// Port names and launcher addresses have a few hundred bytes.
const MAX_NOTICE: u64 = 1 << 16;

/// The file by which two programs find each other, and the time that either waits.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    file: PathBuf,
    limit: Duration,
}

impl Rendezvous {
    pub fn at(file: &Path, limit: Duration) -> Self {
        Self { file: file.to_owned(), limit }
    }

    /// Waits for a program that connects, and removes its own notice at the end.
    pub fn accept(&self, ours: Notice) -> Result<(), String> {
        let (since, ours) = (Instant::now(), Notice { number: unique(), ..ours });
        // This replaces an old file.
        is_there(&self.file).map_err(|error| self.failed("written", &error))?;
        self.publish(&ours).map_err(|error| self.failed("written", &error))?;
        let found = loop {
            match self.taken(&ours) {
                Ok(Some(theirs)) => break Ok(theirs),
                Ok(None) if since.elapsed() < self.limit => thread::sleep(LOOK),
                Ok(None) => break Err(self.too_late("no program has connected")),
                Err(reason) => break Err(reason),
            }
        };
        // Another program may have begun to accept here.
        if self.still_says(&ours) {
            let _ = fs::remove_file(&self.file);
        }
        notice::can_meet(&ours, &found?)
    }

    /// Waits for a program that accepts, and returns the name of its port.
    pub fn connect(&self, ours: Notice) -> Result<String, String> {
        let (since, mut tried) = (Instant::now(), None);
        while since.elapsed() < self.limit {
            if let Some(theirs) = self.read(&self.file)?
                && tried.as_ref() != Some(&theirs.number)
            {
                let ours = Notice { number: theirs.number.clone(), ..ours.clone() };
                if self.is_answered(&ours, since)? {
                    return notice::can_meet(&theirs, &ours).map(|()| theirs.port);
                }
                tried = Some(theirs.number);
            }
            thread::sleep(LOOK);
        }
        Err(self.too_late(match tried {
            None => "no program has accepted there",
            Some(_) => "the program that wrote the file has not answered (remove the file if it is an old one)",
        }))
    }

    /// Writes an answer, and waits until it is taken; `false` if the notice goes, or time is over.
    fn is_answered(&self, ours: &Notice, since: Instant) -> Result<bool, String> {
        let answer = self.beside(&ours.number);
        match create(&answer, &notice::written(ours)) {
            Ok(()) => {}
            // Another program is about to be met by that notice.
            Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
            Err(error) => return Err(self.failed("answered", &error)),
        }
        while since.elapsed() < self.limit && self.still_says(ours) {
            thread::sleep(LOOK);
        }
        self.removed(&answer).map(|by_us| !by_us)
    }

    /// Returns the answer, if one has come and this call could remove it.
    fn taken(&self, ours: &Notice) -> Result<Option<Notice>, String> {
        let answer = self.beside(&ours.number);
        let theirs = self.read(&answer)?;
        Ok(if theirs.is_some() && self.removed(&answer)? { theirs } else { None })
    }

    /// Removes a file; `false` if another program has.
    fn removed(&self, file: &Path) -> Result<bool, String> {
        match fs::remove_file(file) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
            Err(error) => Err(self.failed("removed", &error)),
        }
    }

    fn publish(&self, ours: &Notice) -> io::Result<()> {
        let draft = self.beside(&format!("{}.draft", ours.number));
        create(&draft, &notice::written(ours))?;
        fs::rename(&draft, &self.file)
    }

    fn still_says(&self, ours: &Notice) -> bool {
        matches!(self.read(&self.file), Ok(Some(found)) if found.number == ours.number)
    }

    fn read(&self, file: &Path) -> Result<Option<Notice>, String> {
        let mut bytes = Vec::new();
        let read = is_there(file).and_then(|is_there| match is_there {
            true => File::open(file)?.take(MAX_NOTICE + 1).read_to_end(&mut bytes),
            false => Err(ErrorKind::NotFound.into()),
        });
        match read {
            Ok(len) if len as u64 > MAX_NOTICE => Err(format!(
                "it has more than {MAX_NOTICE} bytes, and no notice has; name another file"
            )),
            Ok(_) => notice::read(&bytes).map_err(|error| match error {
                WireError::OtherVersion { theirs, ours } => format!(
                    "the other program speaks version {theirs} of the wire format, and this one {ours}"
                ),
                error => format!("{error}; name another file"),
            }),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.failed("read", &error)),
        }
    }

    fn beside(&self, end: &str) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push(format!(".{end}"));
        name.into()
    }

    fn failed(&self, how: &str, error: &io::Error) -> String {
        format!("it cannot be {how}: {error}")
    }

    fn too_late(&self, what: &str) -> String {
        format!("{what} within {:?}", self.limit)
    }
}

/// Returns `true` if there is a regular file of this name. Opening a device or pipe may block.
fn is_there(file: &Path) -> io::Result<bool> {
    match fs::metadata(file) {
        Ok(found) if found.is_file() => Ok(true),
        Ok(_) => Err(io::Error::other("it is no ordinary file")),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

fn create(file: &Path, text: &str) -> io::Result<()> {
    File::create_new(file)?.write_all(text.as_bytes())
}

fn unique() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let address = &raw const now as usize;
    format!("{:x}-{:x}-{address:x}", std::process::id(), now.as_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tempfile::TempDir;

    /// A folder in which two programs meet.
    struct Folder(TempDir);

    impl Folder {
        fn new() -> Self {
            Self(tempfile::tempdir().unwrap())
        }

        fn meeting(&self, limit: u64) -> Rendezvous {
            Rendezvous::at(&self.0.path().join("meeting"), Duration::from_millis(limit))
        }

        fn files(&self) -> usize {
            fs::read_dir(&self.0).unwrap().count()
        }
    }

    fn notice(port: &str, obstacle: &str) -> Notice {
        Notice { port: port.into(), obstacle: obstacle.into(), ..Notice::default() }
    }

    /// Returns the results of both programs; the second connects `late` milliseconds later.
    fn both(
        folder: &Folder,
        late: u64,
        [accepting, connecting]: [&str; 2],
    ) -> (Result<(), String>, Result<String, String>) {
        let there = folder.meeting(20_000);
        thread::scope(|scope| {
            let accepted = scope.spawn(|| there.accept(notice("a port", accepting)));
            thread::sleep(Duration::from_millis(late));
            let connected = there.connect(notice("", connecting));
            (accepted.join().unwrap(), connected)
        })
    }

    #[test]
    fn programs_meet_again_and_again_and_leave_nothing() {
        let folder = Folder::new();
        for round in 0..8 {
            let met = both(&folder, 15 * (round % 2), ["", ""]);
            assert_eq!(met, (Ok(()), Ok("a port".into())));
            assert_eq!(folder.files(), 0);
        }
    }

    #[cfg(unix)]
    #[test]
    fn a_pipe_is_waited_for_by_none() {
        let folder = Folder::new();
        let made =
            std::process::Command::new("mkfifo").arg(folder.0.path().join("meeting")).status();
        assert!(made.unwrap().success());
        let there = folder.meeting(100);
        let told = [there.accept(notice("a port", "")), there.connect(notice("", "")).map(drop)];
        for (told, how) in told.into_iter().zip(["written", "read"]) {
            assert_eq!(told, Err(format!("it cannot be {how}: it is no ordinary file")));
        }
        assert_eq!(folder.files(), 1, "the pipe stays");
    }

    #[test]
    fn both_are_told_why_they_cannot_meet() {
        let folder = Folder::new();
        for (obstacles, who) in
            [(["", "has no server"], "connects"), (["has no server", ""], "accepts")]
        {
            let told = format!("the program that {who} has no server");
            assert_eq!(both(&folder, 0, obstacles), (Err(told.clone()), Err(told)));
        }
        assert_eq!(folder.files(), 0);
    }

    #[test]
    fn a_program_that_never_comes_is_waited_for_so_long() {
        let folder = Folder::new();
        let there = folder.meeting(60);
        let told = there.accept(notice("a port", "")).unwrap_err();
        assert_eq!(told, "no program has connected within 60ms");
        let told = there.connect(notice("", "")).unwrap_err();
        assert_eq!(told, "no program has accepted there within 60ms");
        assert_eq!(folder.files(), 0);
    }

    #[test]
    fn a_limit_may_be_of_any_length() {
        let folder = Folder::new();
        let there = Rendezvous { limit: Duration::MAX, ..folder.meeting(0) };
        thread::scope(|scope| {
            let accepted = scope.spawn(|| there.accept(notice("a port", "")));
            assert_eq!(there.connect(notice("", "")), Ok("a port".into()));
            assert_eq!(accepted.join().unwrap(), Ok(()));
        });
    }

    #[test]
    fn an_old_file_is_no_program() {
        let folder = Folder::new();
        let old = Notice { number: "1-2".into(), ..notice("an old port", "") };
        folder.meeting(0).publish(&old).unwrap();
        let told = folder.meeting(60).connect(notice("", "")).unwrap_err();
        assert!(told.contains("has not answered (remove the file"), "{told}");
        assert_eq!(folder.files(), 1);
        let there = folder.meeting(20_000);
        thread::scope(|scope| {
            let connected = scope.spawn(|| there.connect(notice("", "")));
            thread::sleep(Duration::from_millis(40));
            assert_eq!(there.accept(notice("a port", "")), Ok(()));
            assert_eq!(connected.join().unwrap(), Ok("a port".into()));
        });
        assert_eq!(folder.files(), 0);
    }

    #[test]
    fn another_file_is_left_alone() {
        let folder = Folder::new();
        let there = folder.meeting(1000);
        fs::write(&there.file, "something else").unwrap();
        let told = there.connect(notice("", "")).unwrap_err();
        assert_eq!(told, "it is no notice of this library; name another file");
        assert_eq!(fs::read_to_string(&there.file).unwrap(), "something else");
        let nowhere = Rendezvous::at(&folder.0.path().join("no/where"), Duration::from_secs(1));
        let told = nowhere.accept(notice("a port", "")).unwrap_err();
        assert!(told.starts_with("it cannot be written: "), "{told}");
    }

    #[test]
    fn a_file_longer_than_any_notice_is_refused() {
        let folder = Folder::new();
        let there = folder.meeting(60);
        let short = Notice { number: "1-2".into(), ..notice("", "") };
        let left = MAX_NOTICE as usize - notice::written(&short).len();
        let publish = |longer: usize| {
            let port = "p".repeat(left + longer);
            there.publish(&Notice { port, ..short.clone() }).unwrap();
            assert_eq!(fs::metadata(&there.file).unwrap().len(), MAX_NOTICE + longer as u64);
        };
        publish(0);
        let told = there.connect(notice("", "")).unwrap_err();
        assert!(told.contains("has not answered"), "the longest is read: {told}");
        publish(1);
        let told = there.connect(notice("", "")).unwrap_err();
        assert_eq!(told, "it has more than 65536 bytes, and no notice has; name another file");
    }

    #[test]
    fn each_meets_one() {
        let folder = Folder::new();
        let there = folder.meeting(20_000);
        thread::scope(|scope| {
            let connected: Vec<_> =
                (0..4).map(|_| scope.spawn(|| there.connect(notice("", "")))).collect();
            for number in 0..4 {
                assert_eq!(there.accept(notice(&number.to_string(), "")), Ok(()));
            }
            let mut ports: Vec<_> =
                connected.into_iter().map(|met| met.join().unwrap().unwrap()).collect();
            ports.sort_unstable();
            assert_eq!(ports, ["0", "1", "2", "3"]);
        });
        assert_eq!(folder.files(), 0);
    }
}
