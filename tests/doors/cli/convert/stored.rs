//! Files of `redist convert`, written and read element by element.

use super::dealing::DealtLayout;
use std::fs;
use std::path::{Path, PathBuf};

#[derive(Clone, Debug)]
pub struct Elements {
    pub extents: Vec<usize>,
    pub width: usize,
}

impl Elements {
    fn bytes(&self, index: &[usize]) -> Vec<u8> {
        let number = index.iter().zip(&self.extents).fold(0, |all, (at, len)| all * len + at);
        let mut hash = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let byte = |_| {
            hash = (hash ^ (hash >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            (hash >> 56) as u8
        };
        (0..self.width).map(byte).collect()
    }

    /// `axes` are the layout's axes of the array's.
    pub fn local_arrays(
        &self,
        layout: &DealtLayout,
        axes: &[usize],
    ) -> Vec<(usize, Vec<usize>, Vec<u8>)> {
        let arrays = layout.local_arrays().into_iter();
        let own = |index: Vec<usize>| {
            let index: Vec<usize> = axes.iter().map(|axis| index[*axis]).collect();
            self.bytes(&index)
        };
        arrays
            .map(|(rank, extents, elements)| {
                (rank, extents, elements.into_iter().flat_map(own).collect())
            })
            .collect()
    }
}

pub fn npy_header(dtype: &str, fortran: bool, shape: &[usize]) -> Vec<u8> {
    let order = if fortran { "True" } else { "False" };
    let extents = match shape {
        [one] => format!("({one},)"),
        _ => format!("{shape:?}").replace('[', "(").replace(']', ")"),
    };
    let text = format!("{{'descr': '{dtype}', 'fortran_order': {order}, 'shape': {extents}, }}");
    let len = (10 + text.len() + 1).next_multiple_of(64) - 10;
    let mut bytes = b"\x93NUMPY\x01\x00".to_vec();
    bytes.extend_from_slice(&(len as u16).to_le_bytes());
    bytes.extend_from_slice(format!("{text:<width$}\n", width = len - 1).as_bytes());
    bytes
}

pub fn path(folder: &Path, pattern: &str, rank: usize) -> PathBuf {
    folder.join(pattern.replace("{rank}", &rank.to_string()))
}

pub fn write(
    folder: &Path,
    pattern: &str,
    (elements, layout): (&Elements, &DealtLayout),
    dtype: &str,
) {
    let axes: Vec<usize> = (0..elements.extents.len()).collect();
    for (rank, extents, bytes) in elements.local_arrays(layout, &axes) {
        let header = match pattern.ends_with(".npy") {
            true => npy_header(dtype, layout.fortran, &extents),
            false => Vec::new(),
        };
        fs::write(path(folder, pattern, rank), [header, bytes].concat()).unwrap();
    }
}
