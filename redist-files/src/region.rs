//! A box of an array that is stored without gaps, and the same box of a buffer.

/// One axis of the stored array and of the buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RegionAxis {
    /// Elements along the axis of the stored array, and the box's start there.
    pub stored: (usize, usize),
    /// Elements along the axis of the buffer, and the box's start there.
    pub buffer: (usize, usize),
    /// Indices of the box.
    pub count: usize,
}

/// A box in a stored array and in a buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Region<const D: usize>(pub [RegionAxis; D]);

/// Elements that lie together in both.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stretch {
    /// Elements before them in the stored array.
    pub stored: usize,
    /// Elements before them in the buffer.
    pub buffer: usize,
    /// Number of elements.
    pub len: usize,
}

impl RegionAxis {
    fn is_whole(&self) -> bool {
        self.stored == (self.count, 0) && self.buffer == (self.count, 0)
    }
}

impl<const D: usize> Region<D> {
    pub fn len(&self) -> usize {
        self.0.iter().map(|axis| axis.count).product()
    }

    /// Visits the box in the fewest stretches.
    pub fn for_each<E>(&self, visit: &mut impl FnMut(Stretch) -> Result<(), E>) -> Result<(), E> {
        if self.0.iter().any(|axis| axis.count == 0) {
            return Ok(());
        }
        let (mut stored, mut buffer) = ([1; D], [1; D]);
        for axis in (1..D).rev() {
            stored[axis - 1] = stored[axis] * self.0[axis].stored.0;
            buffer[axis - 1] = buffer[axis] * self.0[axis].buffer.0;
        }
        let slower = (1..D).rev().find(|axis| !self.0[*axis].is_whole()).unwrap_or(0);
        let start = |strides: [usize; D], at: fn(&RegionAxis) -> usize| {
            self.0.iter().zip(strides).map(|(axis, stride)| at(axis) * stride).sum()
        };
        let first = Stretch {
            stored: start(stored, |axis| axis.stored.1),
            buffer: start(buffer, |axis| axis.buffer.1),
            len: self.0[slower].count * stored[slower],
        };
        self.nest((0, slower), (&stored, &buffer), first, visit)
    }

    fn nest<E>(
        &self,
        (axis, slower): (usize, usize),
        strides: (&[usize; D], &[usize; D]),
        mut stretch: Stretch,
        visit: &mut impl FnMut(Stretch) -> Result<(), E>,
    ) -> Result<(), E> {
        if axis == slower {
            return visit(stretch);
        }
        for _ in 0..self.0[axis].count {
            self.nest((axis + 1, slower), strides, stretch, visit)?;
            stretch.stored += strides.0[axis];
            stretch.buffer += strides.1[axis];
        }
        Ok(())
    }
}

/// Returns the first bytes of a buffer, which grows to a power of two, or to `most` bytes. Boxes that
/// are a little larger, one after the other, take one place.
pub fn grown(buffer: &mut Vec<u8>, len: usize, most: usize) -> &mut [u8] {
    if buffer.len() < len {
        sized(buffer, len.next_power_of_two().min(most).max(len));
    }
    &mut buffer[..len]
}

/// Returns the first bytes of a buffer, which grows to them and no further.
pub fn sized(buffer: &mut Vec<u8>, len: usize) -> &mut [u8] {
    if buffer.len() < len {
        // Freed first: the old and the new one do not fit together.
        *buffer = Vec::new();
        *buffer = vec![0; len];
    }
    &mut buffer[..len]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stretches<const D: usize>(axes: [[usize; 5]; D]) -> Vec<(usize, usize, usize)> {
        let region = Region(axes.map(|[stored, at, buffer, to, count]| RegionAxis {
            stored: (stored, at),
            buffer: (buffer, to),
            count,
        }));
        let mut found = Vec::new();
        let visit = &mut |stretch: Stretch| {
            found.push((stretch.stored, stretch.buffer, stretch.len));
            Ok::<_, ()>(())
        };
        region.for_each(visit).expect("no error");
        assert_eq!(found.iter().map(|stretch| stretch.2).sum::<usize>(), region.len());
        found
    }

    #[test]
    fn whole_axes_are_one_stretch() {
        assert_eq!(stretches([[9, 2, 3, 0, 3], [4, 0, 4, 0, 4]]), [(8, 0, 12)]);
        assert_eq!(stretches([[9, 2, 2, 0, 2], [4, 1, 2, 0, 2]]), [(9, 0, 2), (13, 2, 2)]);
        assert_eq!(stretches([[9, 2, 2, 0, 2], [4, 0, 5, 1, 4]]), [(8, 1, 4), (12, 6, 4)]);
        assert_eq!(stretches([[9, 2, 0, 0, 0], [4, 0, 4, 0, 4]]), []);
        assert_eq!(stretches([[7, 3, 5, 1, 2]]), [(3, 1, 2)]);
    }
}
