use crate::driver;
use crate::kind::Study;
use crate::options::Options;
use crate::papers::{packing, schedules};
use redist_measuring::Measured;
use redist_measuring::session::{complaints, replace};
use serde::Serialize;
use std::error::Error;
use std::io;

/// Launches ranks for each case of a study, and writes what they measure as cases end.
pub fn run(study: Study, options: &Options) -> Result<(), Box<dyn Error>> {
    let network = options.network().ok_or("a study needs --nodes and --link")?;
    match study {
        Study::Schedules => {
            write(options, "schedules", |measured| schedules::lines(measured, &network))
        }
        Study::HsuChung => write(options, "moves", |measured| packing::lines(measured, &network)),
    }
}

fn write<Line: Serialize>(
    options: &Options,
    name: &str,
    lines: impl Fn(&Measured) -> Result<Vec<Line>, Box<dyn Error>>,
) -> Result<(), Box<dyn Error>> {
    let file = options.out.join(format!("{name}.csv"));
    let csv = |measured: &[Measured]| -> Result<String, Box<dyn Error>> {
        let mut csv = csv::Writer::from_writer(Vec::new());
        for case in measured.iter().filter(|case| case.rows().next().is_some()) {
            for line in lines(case)? {
                csv.serialize(line)?;
            }
        }
        Ok(String::from_utf8(csv.into_inner()?)?)
    };
    let session = options.session(name);
    let measured = driver::launch(options, &session, |measured, number| {
        let case = &measured[number];
        eprintln!("{} ranks, case {}, {}", case.task.ranks, case.name(), case.processes.len());
        let text = csv(measured).map_err(|error| io::Error::other(error.to_string()))?;
        replace(&file, &text)
    })?;
    Ok(complaints(&measured)?)
}
