//! The work of one request: a program of its own, which is ended where it takes too much.

use super::answer::Asked;
use super::bounds::{MAX_ANSWER, MAX_SECONDS};
use clap::ValueEnum;
use std::io;
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, Command};
use tokio::time::timeout;

/// The reason why there is no answer.
#[derive(Debug)]
pub enum Unanswered {
    /// It took longer than [`MAX_SECONDS`], or more than [`MAX_ANSWER`].
    TooMuch,
    /// The program ended without one.
    Ended,
}

/// Starts the work, and ends it when the caller gives up.
pub async fn answer(asked: Asked, request: &[u8]) -> Result<Vec<u8>, Unanswered> {
    let Ok(mut child) = start(asked) else { return Err(Unanswered::Ended) };
    let result = timeout(Duration::from_secs(MAX_SECONDS), talk(&mut child, request)).await;
    // Dropping it would leave its end to a later moment.
    let _ = child.kill().await;
    match result {
        Err(_) => Err(Unanswered::TooMuch),
        Ok(Ok(answer)) if answer.len() as u64 > MAX_ANSWER => Err(Unanswered::TooMuch),
        Ok(Ok(answer)) if !answer.is_empty() => Ok(answer),
        Ok(_) => Err(Unanswered::Ended),
    }
}

fn start(asked: Asked) -> io::Result<Child> {
    let word = asked.to_possible_value().ok_or(io::ErrorKind::InvalidInput)?;
    Command::new(std::env::current_exe()?)
        .args(["serve", "--answer", word.get_name()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
}

/// Writes the request, and reads until the answer ends; a program that fails has none.
async fn talk(child: &mut Child, request: &[u8]) -> io::Result<Vec<u8>> {
    let (Some(mut input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
        return Err(io::ErrorKind::BrokenPipe.into());
    };
    input.write_all(request).await?;
    drop(input);
    let mut answer = Vec::new();
    output.take(MAX_ANSWER + 1).read_to_end(&mut answer).await?;
    let is_whole = answer.len() as u64 > MAX_ANSWER || child.wait().await?.success();
    Ok(if is_whole { answer } else { Vec::new() })
}
