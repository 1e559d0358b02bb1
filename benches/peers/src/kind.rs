use clap::ValueEnum;
use pico_args::Arguments;
use std::error::Error;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Moves,
    Transforms,
    Study(Study),
}

impl Kind {
    pub fn to_arguments(self) -> Vec<String> {
        match self {
            Kind::Moves => Vec::new(),
            Kind::Transforms => vec!["--transforms".into()],
            Kind::Study(study) => {
                let name = study.to_possible_value().map(|value| value.get_name().to_owned());
                ["--study".into()].into_iter().chain(name).collect()
            }
        }
    }

    pub fn from_arguments(arguments: &mut Arguments) -> Result<Self, Box<dyn Error>> {
        if arguments.contains("--transforms") {
            return Ok(Kind::Transforms);
        }
        let study: Option<String> = arguments.opt_value_from_str("--study")?;
        Ok(match study {
            Some(name) => Kind::Study(Study::from_str(&name, false)?),
            None => Kind::Moves,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Study {
    /// Park, Prasanna and Raghavendra: schedules.
    Schedules,
    /// Hsu and Chung: ways to pack and unpack.
    HsuChung,
}
