//! Processes that end with the one that launched them, however that one ends.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// A program that ends with the thread that launches it; MPI's launchers take their ranks along.
pub fn bound_to_this(program: impl AsRef<OsStr>) -> Command {
    if !Path::new("/usr/bin/setpriv").exists() {
        return Command::new(program);
    }
    let mut command = Command::new("/usr/bin/setpriv");
    // If this process ends before the system is asked, another is the parent, and there is nothing to
    // launch any more.
    let if_alive = "test \"$PPID\" = \"$0\" && exec \"$@\"";
    command.args(["--pdeathsig", "TERM", "--", "sh", "-c", if_alive]);
    command.arg(std::process::id().to_string()).arg(program);
    command
}

/// Seconds that a process of a row may take, however busy the machine is: then it hangs.
pub const LIMIT: u32 = 300;

/// The exit status of a process that took longer.
pub const TOOK_LONGER: i32 = 124;

/// As [`bound_to_this`], and ended when it takes longer than the [`LIMIT`].
pub fn limited(program: impl AsRef<OsStr>) -> Command {
    let mut command = bound_to_this("timeout");
    command.args(["--kill-after=10", &LIMIT.to_string()]).arg(program);
    command
}

/// Something that is done when this process ends, even if it is killed.
#[derive(Debug)]
pub struct AtTheEnd {
    watcher: Child,
    open: Option<ChildStdin>,
}

impl AtTheEnd {
    /// Runs `program` when this value is dropped, or this process is gone.
    ///
    /// # Errors
    /// A shell that cannot be launched.
    pub fn run(program: &Path) -> io::Result<Self> {
        let mut watcher = Command::new("sh")
            .args(["-c", "cat > /dev/null; exec \"$0\""])
            .arg(program)
            // A signal from the keyboard is not for the watcher.
            .process_group(0)
            .stdin(Stdio::piped())
            .spawn()?;
        let open = watcher.stdin.take();
        Ok(Self { watcher, open })
    }
}

impl Drop for AtTheEnd {
    fn drop(&mut self) {
        self.open = None;
        // If the wait fails, the next one reports it.
        let _ = self.watcher.wait();
    }
}
