//! Runs as words that travel between ranks: a single element takes one word, others two.

/// Writes a place twice, plus 1 if its length follows.
pub fn write_run(words: &mut Vec<u64>, place: usize, len: usize) {
    let is_long = u64::from(len != 1);
    words.push(2 * place as u64 + is_long);
    if is_long == 1 {
        words.push(len as u64);
    }
}

/// Reads a place and a length, and returns the words behind them; `None` at the end.
pub fn read_runs(words: &[u64]) -> Option<(usize, usize, &[u64])> {
    match words {
        [word, rest @ ..] if word % 2 == 0 => Some(((word / 2) as usize, 1, rest)),
        [word, len, rest @ ..] => Some(((word / 2) as usize, *len as usize, rest)),
        _ => None,
    }
}
