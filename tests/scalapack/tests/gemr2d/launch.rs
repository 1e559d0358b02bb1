//! One MPI job: this test's own executable under Open MPI's launcher.

use libtest_mimic::Failed;
use std::env;
use std::io::Read;
use std::process::{Command, ExitStatus, Stdio};
use std::thread;
use std::time::{Duration, Instant};

/// Says to a process that it is a rank, and of which job.
const JOB: &str = "REDIST_SCALAPACK_JOB";
const LAUNCHER: &str = "mpiexec.openmpi";
const TIME_LIMIT: Duration = Duration::from_secs(300);

/// The job that this process is a rank of: the origin of its cases and the number of ranks.
pub fn job() -> Option<(String, usize)> {
    let job = env::var(JOB).ok()?;
    let (origin, ranks) = job.split_once(':')?;
    Some((origin.to_owned(), ranks.parse().ok()?))
}

/// Runs a job to its end; what its ranks wrote.
pub fn run(origin: &str, ranks: usize) -> Result<String, Failed> {
    let mut command = command(ranks)?;
    let mut child = command.env(JOB, format!("{origin}:{ranks}")).spawn()?;
    let output = [drain(child.stdout.take()), drain(child.stderr.take())];
    let started = Instant::now();
    let status = loop {
        match child.try_wait()? {
            Some(status) => break Some(status),
            None if started.elapsed() > TIME_LIMIT => break None,
            None => thread::sleep(Duration::from_millis(10)),
        }
    };
    if status.is_none() {
        // The launcher takes its ranks with it when it is asked to end, but not when it is killed.
        Command::new("kill").arg(child.id().to_string()).status()?;
        child.wait()?;
    }
    let output = output.map(|reader| reader.join().unwrap_or_default()).concat();
    verdict(status, output)
}

fn verdict(status: Option<ExitStatus>, output: String) -> Result<String, Failed> {
    match status {
        Some(status) if status.success() => Ok(output),
        Some(status) => Err(format!("{status}\n{output}").into()),
        None => Err(format!("not done after {TIME_LIMIT:?}\n{output}").into()),
    }
}

fn command(ranks: usize) -> Result<Command, Failed> {
    let mut command = Command::new(LAUNCHER);
    // A launcher inside a launched process would take the outer job's settings for its own.
    let inherited = env::vars_os().map(|(name, _)| name).filter(|name| {
        let name = name.to_string_lossy();
        ["OMPI_", "PMIX_", "PMI_"].iter().any(|prefix| name.starts_with(prefix))
    });
    inherited.for_each(|name| _ = command.env_remove(name));
    // More ranks than cores, which then must not spin; and containers, where everyone is root.
    command.args(["--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"]);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.arg("-n").arg(ranks.to_string()).arg(env::current_exe()?);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    Ok(command)
}

/// Reads all that a job writes, so that it never waits for a reader.
fn drain(stream: Option<impl Read + Send + 'static>) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut text = Vec::new();
        // What was read before an error is what there is to show.
        let _ = stream.map(|mut stream| stream.read_to_end(&mut text));
        String::from_utf8_lossy(&text).into_owned()
    })
}
