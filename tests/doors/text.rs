//! Reads Rust files without their tests.

/// Returns each line outside of test code, trimmed at its end, with its number from 1.
pub fn shipped(text: &str) -> Vec<(usize, &str)> {
    let (mut found, mut depth, mut is_test) = (Vec::new(), 0, false);
    for (number, whole) in text.lines().enumerate() {
        let line = whole.split("//").next().unwrap_or_default().trim();
        if line.starts_with("#[cfg(test)") || line.starts_with("#[cfg(all(test") {
            (is_test, depth) = (true, 0);
        } else if is_test && !line.starts_with("#[") {
            let count = |brackets: &str| line.chars().filter(|c| brackets.contains(*c)).count();
            depth += count("{([") as i32 - count("})]") as i32;
            is_test = depth > 0 || !line.ends_with([';', '}', ',']);
        } else if !is_test {
            found.push((number + 1, whole.trim_end()));
        }
    }
    found
}

/// Returns the lines of code, trimmed, without comments and test code.
pub fn code(text: &str) -> String {
    // A part of a file that stands in it may name all of the rest.
    let names_all = |line: &str| line.starts_with(' ') && line.ends_with("use super::*;");
    let lines = shipped(text).into_iter().map(|(_, line)| line).filter(|line| !names_all(line));
    lines.map(|line| line.split("//").next().unwrap_or_default().trim().to_owned() + "\n").collect()
}
