//! Describes the machine and the day.

use std::fs;
use std::thread::available_parallelism;
use std::time::SystemTime;

pub fn description() -> String {
    let cores =
        available_parallelism().map_or("an unknown number of".into(), |cores| cores.to_string());
    let information = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let processor = model(&information).unwrap_or("a processor that the system does not name");
    format!("{processor}, {cores} cores, {} {}", std::env::consts::OS, std::env::consts::ARCH)
}

pub fn date() -> String {
    humantime::format_rfc3339_seconds(SystemTime::now()).to_string()[..10].to_owned()
}

fn model(information: &str) -> Option<&str> {
    let line = information.lines().find(|line| line.starts_with("model name"))?;
    Some(line.split_once(':')?.1.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_model_is_read_from_the_first_core() {
        assert_eq!(
            model("processor\t: 0\nmodel name\t: Some CPU @ 2 GHz\nflags\t: a b\n"),
            Some("Some CPU @ 2 GHz")
        );
        assert_eq!(model("Features : fp asimd\n"), None);
    }

    #[test]
    fn a_date_has_three_numbers() {
        let numbers: Vec<usize> = date().split('-').map(|part| part.parse().unwrap()).collect();
        assert!(numbers[0] > 2024 && (1..=12).contains(&numbers[1]), "{numbers:?}");
        assert!(numbers.len() == 3 && (1..=31).contains(&numbers[2]), "{numbers:?}");
    }
}
