//! Options of a rank's process.

use crate::nodes::Network;
use crate::peer::Ways;
use pico_args::Arguments;
use redist_measuring::Turns;
use redist_measuring::cluster::Link;

/// The row that a process measures, and how.
#[derive(Clone, Debug)]
pub struct Worker {
    /// A row of the table, or a case.
    pub row: String,
    pub turns: Turns,
    /// Ways whose names contain one of these; by default all that users get unasked.
    pub methods: Vec<String>,
    pub network: Option<Network>,
    /// `true` to set up only once.
    pub moves_only: bool,
}

impl Worker {
    /// Takes a rank's options off its command line.
    pub fn from_arguments(
        row: String,
        turns: Turns,
        arguments: &mut Arguments,
    ) -> Result<Self, pico_args::Error> {
        let methods: Option<String> = arguments.opt_value_from_str("--methods")?;
        let methods = methods.iter().flat_map(|names| names.split(',')).map(str::to_owned);
        let nodes: Option<usize> = arguments.opt_value_from_str("--nodes")?;
        let link: Option<Link> = arguments.opt_value_from_str("--link")?;
        let network = nodes.zip(link).map(|(nodes, link)| Network { nodes, link });
        let moves_only = arguments.contains("--moves-only");
        Ok(Self { row, turns, methods: methods.collect(), network, moves_only })
    }

    pub fn to_arguments(&self, seed: u64) -> Vec<String> {
        let mut words = vec!["--worker".into(), self.row.clone()];
        words.extend(self.turns.to_arguments(seed));
        if !self.methods.is_empty() {
            words.extend(["--methods".into(), self.methods.join(",")]);
        }
        if let Some(Network { nodes, link }) = &self.network {
            words.extend(["--nodes".into(), nodes.to_string(), "--link".into(), link.to_string()]);
        }
        words.extend(self.moves_only.then(|| "--moves-only".into()));
        words
    }

    pub fn wants<W: Ways>(&self, way: &str) -> bool {
        match self.methods.as_slice() {
            [] => !W::ON_DEMAND.contains(&way),
            named => named.iter().any(|part| way.contains(part.as_str())),
        }
    }
}
