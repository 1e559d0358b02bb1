//! Launches processes with a time limit.

use std::ffi::OsStr;
use std::io;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};

/// Launches a program that ends with this thread; MPI's launchers take their ranks along.
pub fn bound_to_this(program: impl AsRef<OsStr>) -> Command {
    if !Path::new("/usr/bin/setpriv").exists() {
        return Command::new(program);
    }
    let mut command = Command::new("/usr/bin/setpriv");
    // If this process ends before the system is asked, the launched process has a different parent,
    // and launches nothing.
    let if_alive = "test \"$PPID\" = \"$0\" && exec \"$@\"";
    command.args(["--pdeathsig", "TERM", "--", "sh", "-c", if_alive]);
    command.arg(std::process::id().to_string()).arg(program);
    command
}

/// The most seconds of a row's process: then it hangs.
pub const LIMIT: u32 = 300;

/// Exit status of a process that took longer than its limit.
pub const TOOK_LONGER: i32 = 124;

/// Launches as [`bound_to_this`] does, and ends the program when it takes longer than the
/// [`LIMIT`].
pub fn limited(program: impl AsRef<OsStr>) -> Command {
    let mut command = bound_to_this("timeout");
    command.args(["--kill-after=10", &LIMIT.to_string()]).arg(program);
    command
}

/// A program that runs when this process ends, even if it is killed.
#[derive(Debug)]
pub struct AtTheEnd {
    watcher: Child,
    open: Option<ChildStdin>,
}

impl AtTheEnd {
    /// Runs `program` when this value is dropped, or this process is gone.
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
