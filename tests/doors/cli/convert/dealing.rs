//! Random layouts, dealt by hand.

use fastrand::Rng;

#[derive(Clone, Debug)]
pub struct DealtAxis {
    words: String,
    ranks: usize,
    first: usize,
    /// Block `i` is on coordinate `i + first`.
    blocks: Vec<usize>,
}

#[derive(Clone, Debug)]
pub struct DealtLayout {
    pub axes: Vec<DealtAxis>,
    pub fortran: bool,
    by_column: bool,
    pub ranks: Vec<usize>,
}

impl DealtAxis {
    fn random(extent: usize, random: &mut Rng) -> Self {
        let ranks = random.usize(1..=3);
        let (words, block) = match random.u8(0..7) {
            0 => return Self::whole(extent),
            1 => {
                let blocks = cut(extent, ranks, random);
                let words = format!("gen_block({blocks:?})");
                return Self { words, ranks, first: random.usize(0..ranks), blocks };
            }
            2 => {
                let blocks = cut(extent, random.usize(1..=7), random);
                let words = format!("rows({blocks:?}, cyclic)");
                return Self { words, ranks, first: random.usize(0..ranks), blocks };
            }
            3 => {
                let rows = cut(extent, random.usize(1..=7), random);
                let words = format!("points({rows:?})");
                let blocks = rows.into_iter().flat_map(|row| shared(row, ranks)).collect();
                return Self { words, ranks, first: random.usize(0..ranks), blocks };
            }
            4 => ("block".into(), extent.div_ceil(ranks).max(1)),
            5 => ("cyclic".into(), 1),
            _ => {
                let block = random.usize(1..=extent.max(1) / 2 + 1);
                (format!("cyclic({block})"), block)
            }
        };
        let starts = (0..extent).step_by(block);
        let blocks = starts.map(|start| block.min(extent - start)).collect();
        Self { words, ranks, first: random.usize(0..ranks), blocks }
    }

    fn whole(extent: usize) -> Self {
        Self { words: "*".into(), ranks: 1, first: 0, blocks: vec![extent] }
    }

    fn held(&self) -> Vec<Vec<usize>> {
        let (mut held, mut start) = (vec![Vec::new(); self.ranks], 0);
        for (number, len) in self.blocks.iter().enumerate() {
            held[(number + self.first) % self.ranks].extend(start..start + len);
            start += len;
        }
        held
    }
}

fn cut(extent: usize, parts: usize, random: &mut Rng) -> Vec<usize> {
    let mut ends: Vec<usize> = (1..parts).map(|_| random.usize(0..=extent)).collect();
    ends.extend([0, extent]);
    ends.sort_unstable();
    ends.windows(2).map(|pair| pair[1] - pair[0]).collect()
}

fn shared(mut row: usize, ranks: usize) -> Vec<usize> {
    let most = row.div_ceil(ranks);
    (0..ranks)
        .map(|_| {
            let part = most.min(row);
            row -= part;
            part
        })
        .collect()
}

impl DealtLayout {
    pub fn random(extents: &[usize], random: &mut Rng) -> Self {
        let axes: Vec<DealtAxis> =
            extents.iter().map(|extent| DealtAxis::random(*extent, random)).collect();
        let cells = axes.iter().map(|axis| axis.ranks).product();
        let mut ranks: Vec<usize> = (0..cells + 3).collect();
        random.shuffle(&mut ranks);
        ranks.truncate(cells);
        Self { axes, fortran: random.bool(), by_column: random.bool(), ranks }
    }

    pub fn whole(extents: &[usize], fortran: bool) -> Self {
        let axes = extents.iter().map(|extent| DealtAxis::whole(*extent)).collect();
        Self { axes, fortran, by_column: false, ranks: vec![0] }
    }

    pub fn words(&self) -> String {
        let list = |of: &dyn Fn(&DealtAxis) -> String| {
            self.axes.iter().map(of).collect::<Vec<_>>().join(", ")
        };
        let dealt = |of: &dyn Fn(&DealtAxis) -> String| {
            let dealt = self.axes.iter().filter(|axis| axis.words != "*");
            dealt.map(of).collect::<Vec<_>>().join(", ")
        };
        let mut words = format!("({})", list(&|axis| axis.words.clone()));
        if self.axes.iter().any(|axis| axis.words != "*") {
            words += &format!(" onto ({})", dealt(&|axis| axis.ranks.to_string()));
            words += &format!(" first ({})", dealt(&|axis| axis.first.to_string()));
        }
        words += &format!(" ranks {:?}", self.ranks);
        words += if self.by_column { " order col" } else { " order row" };
        words + if self.fortran { " storage fortran" } else { " storage c" }
    }

    pub fn local_arrays(&self) -> Vec<(usize, Vec<usize>, Vec<Vec<usize>>)> {
        let held: Vec<Vec<Vec<usize>>> = self.axes.iter().map(DealtAxis::held).collect();
        let grid: Vec<usize> = self.axes.iter().map(|axis| axis.ranks).collect();
        let coordinates = indices(&grid, self.by_column);
        let array = |(coordinates, rank): (Vec<usize>, &usize)| {
            let lines: Vec<&Vec<usize>> =
                held.iter().zip(&coordinates).map(|(held, at)| &held[*at]).collect();
            let extents: Vec<usize> = lines.iter().map(|line| line.len()).collect();
            let elements = indices(&extents, self.fortran)
                .into_iter()
                .map(|local| local.iter().zip(&lines).map(|(local, line)| line[*local]).collect());
            (*rank, extents.clone(), elements.collect())
        };
        coordinates.into_iter().zip(&self.ranks).map(array).collect()
    }
}

fn indices(extents: &[usize], first_is_fastest: bool) -> Vec<Vec<usize>> {
    let order: Vec<usize> = match first_is_fastest {
        true => (0..extents.len()).rev().collect(),
        false => (0..extents.len()).collect(),
    };
    let mut all = vec![vec![0; extents.len()]];
    for axis in order {
        let longer = all.iter().flat_map(|index| {
            (0..extents[axis]).map(move |at| {
                let mut index = index.clone();
                index[axis] = at;
                index
            })
        });
        all = longer.collect();
    }
    all
}
