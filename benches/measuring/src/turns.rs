//! Turns: rounds in which all methods run in random order.

use pico_args::Arguments;

/// Draws orders; a seed draws the same ones on all ranks.
#[derive(Clone, Debug)]
pub struct Shuffle(fastrand::Rng);

impl Shuffle {
    pub fn new(seed: u64) -> Self {
        Self(fastrand::Rng::with_seed(seed))
    }

    pub fn order(&mut self, count: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..count).collect();
        self.0.shuffle(&mut order);
        order
    }

    pub fn seed(&mut self) -> u64 {
        self.0.u64(..)
    }
}

/// Number of rounds, by count and by time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turns {
    /// Least rounds.
    pub least: usize,
    /// Most rounds.
    pub most: usize,
    /// Seconds after which the least number of rounds is enough.
    pub seconds: f64,
    /// Seed of the order.
    pub seed: u64,
}

impl Default for Turns {
    fn default() -> Self {
        Self { least: 5, most: 401, seconds: 0.5, seed: 0 }
    }
}

impl Turns {
    /// Takes `--rounds N` (exactly N), `--seconds S` and `--seed N` off a command line.
    pub fn or_said(self, arguments: &mut Arguments) -> Result<Self, pico_args::Error> {
        let mut turns = self;
        if let Some(seconds) = arguments.opt_value_from_str("--seconds")? {
            turns.seconds = seconds;
        }
        if let Some(rounds) = arguments.opt_value_from_str("--rounds")? {
            (turns.least, turns.most) = (rounds, rounds);
        }
        if let Some(seed) = arguments.opt_value_from_str("--seed")? {
            turns.seed = seed;
        }
        Ok(turns)
    }

    /// Returns a worker's options for these turns, with another seed.
    pub fn to_arguments(self, seed: u64) -> Vec<String> {
        let mut words = vec![format!("--seconds={}", self.seconds), format!("--seed={seed}")];
        if self.least == self.most {
            words.push(format!("--rounds={}", self.least));
        }
        words
    }

    /// Calls `sample` with each method's number once a round. Returns each method's samples,
    /// without a first round, which warms up. Ranks stay together if `sample` returns the same
    /// seconds on all of them.
    ///
    /// # Errors
    /// The first of `sample`'s.
    pub fn take<E>(
        &self,
        methods: usize,
        mut sample: impl FnMut(usize) -> Result<f64, E>,
    ) -> Result<Vec<Vec<f64>>, E> {
        let mut shuffle = Shuffle::new(self.seed);
        let mut samples = vec![Vec::new(); methods];
        let (mut rounds, mut spent) = (0, 0.0);
        for method in shuffle.order(methods) {
            sample(method)?;
        }
        while rounds < self.least || (rounds < self.most && spent < self.seconds) {
            for method in shuffle.order(methods) {
                let seconds = sample(method)?;
                spent += seconds;
                samples[method].push(seconds);
            }
            rounds += 1;
        }
        Ok(samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    fn turns(least: usize, most: usize, seconds: f64) -> Turns {
        Turns { least, most, seconds, seed: 1 }
    }

    /// Counts how often each of four methods directly follows each other one.
    fn followers(rounds: usize) -> [[usize; 4]; 4] {
        let (mut shuffle, mut counts) = (Shuffle::new(7), [[0; 4]; 4]);
        for _ in 0..rounds {
            let order = shuffle.order(4);
            order.windows(2).for_each(|pair| counts[pair[0]][pair[1]] += 1);
        }
        counts
    }

    #[test]
    fn each_method_follows_each_other_one_about_equally_often() {
        // Three pairs a round, twelve that there can be: a quarter of the rounds each.
        let rounds = 4000;
        for (before, counts) in followers(rounds).into_iter().enumerate() {
            for (after, count) in counts.into_iter().enumerate() {
                let expected = if before == after { 0 } else { rounds / 4 };
                let off = count.abs_diff(expected);
                // Five standard deviations of a binomial number.
                let most = if before == after { 0 } else { 137 };
                assert!(off <= most, "{after} came {count} times after {before}");
            }
        }
    }

    #[test]
    fn each_place_in_a_round_is_each_methods_about_equally_often() {
        let (mut shuffle, mut counts) = (Shuffle::new(3), [[0_usize; 5]; 5]);
        for _ in 0..5000 {
            shuffle.order(5).into_iter().enumerate().for_each(|(at, who)| counts[at][who] += 1);
        }
        assert!(counts.iter().flatten().all(|count| count.abs_diff(1000) <= 142), "{counts:?}");
    }

    #[test]
    fn all_ranks_draw_the_same_orders() {
        let orders = |seed| {
            let mut shuffle = Shuffle::new(seed);
            (0..20).map(|_| shuffle.order(6)).collect::<Vec<_>>()
        };
        assert_eq!(orders(11), orders(11));
        assert_ne!(orders(11), orders(12));
    }

    #[test]
    fn each_method_has_a_turn_in_each_round_and_the_first_does_not_count() {
        let mut calls = Vec::new();
        let sample = |method| {
            calls.push(method);
            Ok::<_, Infallible>(calls.len() as f64)
        };
        let samples = turns(6, 6, 0.0).take(3, sample).unwrap();
        assert_eq!(calls.len(), 7 * 3);
        for round in calls.chunks(3) {
            let mut round = round.to_vec();
            round.sort_unstable();
            assert_eq!(round, [0, 1, 2]);
        }
        // The calls of the first round are 1 to 3.
        assert!(samples.iter().all(|samples| samples.len() == 6 && samples[0] > 3.0));
    }

    #[test]
    fn rounds_end_when_the_time_is_spent() {
        let rounds =
            |turns: Turns| turns.take(2, |_| Ok::<_, Infallible>(0.05)).unwrap().remove(1).len();
        assert_eq!(rounds(turns(2, 100, 1.0)), 10);
        assert_eq!(rounds(turns(20, 100, 1.0)), 20);
        assert_eq!(rounds(turns(2, 7, 1.0)), 7);
    }

    #[test]
    fn a_worker_is_told_the_same() {
        let read = |words: Vec<String>| {
            let words = words.into_iter().map(Into::into).collect();
            Turns::default().or_said(&mut Arguments::from_vec(words)).unwrap()
        };
        for said in [Turns::default(), Turns { least: 3, most: 3, ..Turns::default() }] {
            assert_eq!(read(said.to_arguments(5)), Turns { seed: 5, ..said });
        }
        assert_eq!(read(vec!["--rounds".into(), "9".into()]).most, 9);
    }
}
