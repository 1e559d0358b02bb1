//! Questions to a rank of a bench.

use crate::nodes::Network;
use crate::peer::Ways;
use pico_args::Arguments;
use redist_measuring::Turns;
use redist_measuring::cluster::Link;

/// Figures that the ranks of one process group measure.
#[derive(Clone, Debug)]
pub struct Worker {
    /// The row: a name of the table, or a case.
    pub row: String,
    /// How often ways take turns.
    pub turns: Turns,
    /// Ways whose names contain one of these; where there is none, all that users get unasked.
    pub methods: Vec<String>,
    /// Nodes and their links, if their speed is known.
    pub network: Option<Network>,
    /// True if repeated set-ups are left out.
    pub moves_only: bool,
}

impl Worker {
    /// Takes what a rank is asked off its command line.
    ///
    /// # Errors
    /// A value that is not understood.
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

    /// The options that say the same.
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

    /// True if a way was asked for, by a part of its name.
    pub fn wants<W: Ways>(&self, way: &str) -> bool {
        match self.methods.as_slice() {
            [] => !W::ON_DEMAND.contains(&way),
            named => named.iter().any(|part| way.contains(part.as_str())),
        }
    }
}
