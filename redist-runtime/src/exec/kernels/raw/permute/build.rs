//! The permutations of a pattern.

use super::{Group, Input, LANE, Lanes, MOST, Output, Place};
use crate::exec::kernels::Direction;
use crate::exec::kernels::raw::{Pattern, Run};

/// Vectors that are written, sorted by the number of those that they are put together from.
pub(super) struct Outputs {
    outputs: Vec<Output>,
    inputs: Vec<Input>,
    lanes: Vec<Lanes>,
    /// For each number of inputs that there is: the number, and how many outputs have it.
    sizes: Vec<(usize, usize)>,
    /// Periods, the last ones, in which whole vectors that are read may reach past the end.
    pub last: usize,
}

/// For one side's lanes, where on the other side each of them is, in lanes.
type Elsewhere = Vec<Place>;

/// An output, and its inputs with the lanes that each adds.
struct Made {
    output: Output,
    inputs: Vec<(Input, Lanes)>,
}

impl Outputs {
    /// All of a period, by vectors of `lanes`.
    pub fn of_all<D: Direction>(pattern: &Pattern, lanes: usize) -> Self {
        let mut made = Vec::new();
        if D::PACKS {
            for (peer, elsewhere) in in_local(pattern).iter().enumerate() {
                put_together(&mut made, peer, elsewhere, lanes);
            }
            Self::sorted(made, lanes, |_| pattern.span())
        } else {
            put_together(&mut made, 0, &in_messages(pattern), lanes);
            Self::sorted(made, lanes, |place| pattern.shares()[place.peer as usize])
        }
    }

    /// What each message holds of the local array.
    pub fn of_each(pattern: &Pattern, lanes: usize) -> Vec<Self> {
        let mut all: Vec<Vec<Made>> = pattern.shares().iter().map(|_| Vec::new()).collect();
        for (vector, places) in in_messages(pattern).chunks(lanes).enumerate() {
            let place = Place { peer: 0, at: (vector * lanes * LANE) as u32 };
            for (input, taken) in inputs(places, lanes) {
                let output = Output { place, mask: taken.written(lanes) };
                all[input.place.peer as usize].push(Made { output, inputs: vec![(input, taken)] });
            }
        }
        let sorted = |made| Self::sorted(made, lanes, |place| pattern.shares()[place.peer as usize]);
        all.into_iter().map(sorted).collect()
    }

    /// By number of inputs, whose `period` is so many bytes for each.
    fn sorted(mut made: Vec<Made>, lanes: usize, period: impl Fn(&Place) -> usize) -> Self {
        made.sort_by_key(|made| made.inputs.len());
        let groups = made.chunk_by(|one, next| one.inputs.len() == next.inputs.len());
        let inputs = || made.iter().flat_map(|made| &made.inputs);
        // A vector reaches past its period into the next ones: the last ones have none.
        let past = |input: &Input| {
            let period = period(&input.place);
            (input.place.at as usize + lanes * LANE).saturating_sub(period).div_ceil(period)
        };
        Self {
            sizes: groups.map(|group| (group[0].inputs.len(), group.len())).collect(),
            outputs: made.iter().map(|made| made.output).collect(),
            inputs: inputs().map(|(input, _)| *input).collect(),
            lanes: inputs().map(|(_, lanes)| *lanes).collect(),
            last: inputs().map(|(input, _)| past(input)).max().unwrap_or(0),
        }
    }

    /// The outputs of each number of inputs, with that number.
    #[inline]
    pub fn groups(&self) -> impl Iterator<Item = (usize, Group<'_>)> {
        let (mut output, mut input) = (0, 0);
        self.sizes.iter().map(move |&(each, count)| {
            let (outputs, inputs) = (output..output + count, input..input + count * each);
            (output, input) = (outputs.end, inputs.end);
            let lanes = &self.lanes[inputs.clone()];
            (each, Group { outputs: &self.outputs[outputs], inputs: &self.inputs[inputs], lanes })
        })
    }
}

/// Adds the vectors of a message, or of the local array, whose lanes are elsewhere now.
fn put_together(made: &mut Vec<Made>, peer: usize, elsewhere: &[Place], lanes: usize) {
    for (vector, places) in elsewhere.chunks(lanes).enumerate() {
        let place = Place { peer: peer as u32, at: (vector * lanes * LANE) as u32 };
        let inputs = inputs(places, lanes);
        // As many outputs at one place as it takes, each of which writes some lanes.
        let outputs = inputs.len().div_ceil(MOST);
        for some in inputs.chunks(inputs.len().div_ceil(outputs)) {
            let mask = some.iter().fold(0, |mask, (_, taken)| mask | taken.written(lanes));
            made.push(Made { output: Output { place, mask }, inputs: some.to_vec() });
        }
    }
}

/// The vectors that hold the lanes of one vector.
fn inputs(places: &[Place], lanes: usize) -> Vec<(Input, Lanes)> {
    let mut inputs: Vec<(Input, Lanes)> = Vec::new();
    for (lane, place) in places.iter().enumerate() {
        // Lanes of one peer only ever move on, so its last input is the one that may hold this lane, too.
        let fits = |(input, _): &(Input, Lanes)| {
            input.place.peer == place.peer && (place.at - input.place.at / LANE as u32) < lanes as u32
        };
        let input = inputs.iter().rposition(fits).unwrap_or_else(|| {
            let place = Place { peer: place.peer, at: place.at * LANE as u32 };
            inputs.push((Input { place, mask: 0 }, Lanes::KEPT));
            inputs.len() - 1
        });
        let (input, of_output) = &mut inputs[input];
        let taken = place.at - input.place.at / LANE as u32;
        of_output.0[lane] = lanes as u32 + taken;
        input.mask |= 1 << taken;
    }
    inputs
}

impl Lanes {
    /// All lanes of the output so far.
    const KEPT: Self = Self([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);

    /// The lanes of the output, of `lanes`, that are taken from the input.
    fn written(&self, lanes: usize) -> u16 {
        (0..lanes).filter(|lane| self.0[*lane] >= lanes as u32).fold(0, |mask, lane| mask | 1 << lane)
    }
}

/// For each lane of the local array, where it is in the messages.
fn in_messages(pattern: &Pattern) -> Elsewhere {
    let lane = LANE as u32;
    let of_run = |run: &Run| {
        let Run { peer, in_share, len, .. } = *run;
        (0..len / lane).map(move |step| Place { peer, at: in_share / lane + step })
    };
    pattern.runs().iter().flat_map(of_run).collect()
}

/// For each lane of each message, where it is in the local array.
fn in_local(pattern: &Pattern) -> Vec<Elsewhere> {
    let mut lanes = vec![Vec::new(); pattern.shares().len()];
    for (at, place) in in_messages(pattern).iter().enumerate() {
        lanes[place.peer as usize].push(Place { peer: 0, at: at as u32 });
    }
    lanes
}
