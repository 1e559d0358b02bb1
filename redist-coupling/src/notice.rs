//! Notices that programs of several launches leave each other in a file, before they call MPI.

use redist_runtime::transport::wire::{VERSION, WireError};

/// First words of every notice.
const BEGINNING: &str = "redist rendezvous ";

/// The last line: a file that is still being written has none yet.
const END: &str = "end";

/// One program's words to all further programs, in the file of a rendezvous.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notice {
    /// Identifies the program: hexadecimal digits and dashes. An answer repeats it.
    pub number: String,
    /// Name of its port; empty if it only connects.
    pub port: String,
    /// Identifies its launch; empty if unknown.
    pub launch: String,
    /// The reason that limits it to programs of its own launch; empty without one.
    pub obstacle: String,
}

pub fn written(notice: &Notice) -> String {
    let Notice { number, port, launch, obstacle } = notice;
    let [port, launch, obstacle] = [port, launch, obstacle].map(|text| text.replace('\n', " "));
    format!("{BEGINNING}{VERSION}\n{number}\n{port}\n{launch}\n{obstacle}\n{END}\n")
}

/// Reads a notice; `None` while it has no end.
pub fn read(bytes: &[u8]) -> Result<Option<Notice>, WireError> {
    let malformed = || WireError::Malformed("it is no notice of this library".into());
    let text = str::from_utf8(bytes).map_err(|_| malformed())?;
    if !text.starts_with(&BEGINNING[..text.len().min(BEGINNING.len())]) {
        return Err(malformed());
    }
    let Some((first, rest)) = text.split_once('\n') else { return Ok(None) };
    let theirs = first.strip_prefix(BEGINNING).and_then(|number| number.parse().ok());
    match theirs {
        Some(VERSION) => {}
        Some(theirs) => return Err(WireError::OtherVersion { theirs, ours: VERSION }),
        None => return Err(malformed()),
    }
    let lines: Vec<&str> = rest.split('\n').collect();
    match lines[..] {
        [number, port, launch, obstacle, END, ""] if is_number(number) => {
            let all = [number, port, launch, obstacle].map(str::to_owned);
            let [number, port, launch, obstacle] = all;
            Ok(Some(Notice { number, port, launch, obstacle }))
        }
        _ if lines.len() < 6 => Ok(None),
        _ => Err(malformed()),
    }
}

/// The text becomes part of a file's name.
fn is_number(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_hexdigit() || byte == b'-';
    (1..=80).contains(&text.len()) && text.bytes().all(is_part)
}

/// Checks both notices; both programs get the same result. The error is the reason against it.
pub fn can_meet(accepting: &Notice, connecting: &Notice) -> Result<(), String> {
    if !accepting.launch.is_empty() && accepting.launch == connecting.launch {
        return Ok(());
    }
    let both = [("accepts", accepting), ("connects", connecting)];
    match both.into_iter().find(|(_, notice)| !notice.obstacle.is_empty()) {
        Some((how, notice)) => Err(format!("the program that {how} {}", notice.obstacle)),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notice(launch: &str, obstacle: &str) -> Notice {
        let [number, port] = ["1f-2", "tcp://10.77.0.1:5"].map(str::to_owned);
        Notice { number, port, launch: launch.into(), obstacle: obstacle.into() }
    }

    #[test]
    fn what_is_written_is_read_once_it_is_there() {
        let notice = notice("a", "has no server");
        let text = written(&notice);
        for end in 0..text.len() {
            assert_eq!(read(&text.as_bytes()[..end]), Ok(None), "{end}");
        }
        assert_eq!(read(text.as_bytes()), Ok(Some(notice)));
        let lines = self::notice("a", "two\nlines");
        assert_eq!(read(written(&lines).as_bytes()).unwrap().unwrap().obstacle, "two lines");
    }

    #[test]
    fn what_is_none_is_an_error() {
        for text in ["x", "redist wire 3\n", "redist rendezvous x\n"] {
            assert!(matches!(read(text.as_bytes()), Err(WireError::Malformed(_))), "{text}");
        }
        let longer = written(&notice("", "")) + "more\n";
        assert!(matches!(read(longer.as_bytes()), Err(WireError::Malformed(_))));
        let path = Notice { number: "../1".into(), ..notice("", "") };
        assert!(matches!(read(written(&path).as_bytes()), Err(WireError::Malformed(_))));
        assert!(matches!(read(&[0xff]), Err(WireError::Malformed(_))));
        let theirs = VERSION + 1;
        let other = format!("redist rendezvous {theirs}\nwhatever it is");
        let expected = WireError::OtherVersion { theirs, ours: VERSION };
        assert_eq!(read(other.as_bytes()), Err(expected));
    }

    #[test]
    fn an_obstacle_is_one_between_launches_only() {
        assert_eq!(can_meet(&notice("a", "x"), &notice("a", "x")), Ok(()));
        assert_eq!(can_meet(&notice("a", ""), &notice("b", "")), Ok(()));
        assert_eq!(can_meet(&notice("", ""), &notice("", "")), Ok(()));
        let told = can_meet(&notice("a", ""), &notice("b", "has none"));
        assert_eq!(told, Err("the program that connects has none".into()));
        let told = can_meet(&notice("", "has none"), &notice("", "has one"));
        assert_eq!(told, Err("the program that accepts has none".into()));
    }
}
