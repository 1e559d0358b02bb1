//! The elevation model, read from NumPy's `.npy`.

use crate::Fallible;
use npyz::{DType, Deserialize, NpyFile, Order};
use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Elevations on a grid.
pub struct Dem {
    /// In metres, row by row, the northernmost row first.
    pub elevation: Vec<f64>,
    /// Rows and columns.
    pub extents: [usize; 2],
    pub spacing: Spacing,
}

/// Distance of neighbouring elevations, in metres.
#[derive(Clone, Copy)]
pub struct Spacing {
    pub east: f64,
    pub north: f64,
}

impl Dem {
    pub fn read(path: &Path, spacing: Spacing) -> Fallible<Self> {
        let told = |error| format!("{}: {error}", path.display());
        let file = File::open(path).map_err(|error| told(error.into()))?;
        Self::from_npy(BufReader::new(file), spacing).map_err(|error| told(error).into())
    }

    fn from_npy(reader: BufReader<File>, spacing: Spacing) -> Fallible<Self> {
        let npy = NpyFile::new(reader).map_err(|error| format!("not an .npy file: {error}"))?;
        let extents = extents(npy.shape())?;
        let order = npy.order();
        let values = elevations(npy)?;
        if let Some(index) = values.iter().position(|value| !value.is_finite()) {
            return Err(format!("element {index} is {}; fill the gaps of the model first", values[index]).into());
        }
        let elevation = match order {
            Order::C => values,
            Order::Fortran => transposed(&values, [extents[1], extents[0]]),
        };
        Ok(Self { elevation, extents, spacing })
    }

    pub fn lowest(&self) -> f64 {
        self.elevation.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub fn highest(&self) -> f64 {
        self.elevation.iter().copied().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// The rows of `values` become columns; `extents` are those before.
pub fn transposed(values: &[f64], extents: [usize; 2]) -> Vec<f64> {
    let [rows, columns] = extents;
    (0..columns).flat_map(|column| (0..rows).map(move |row| values[row * columns + column])).collect()
}

fn extents(shape: &[u64]) -> Fallible<[usize; 2]> {
    match *shape {
        [rows, columns] if rows > 0 && columns > 0 && rows.checked_mul(columns).is_some() => {
            Ok([rows.try_into()?, columns.try_into()?])
        }
        _ => Err(format!(
            "an elevation model has rows and columns and fits into memory, found an array of shape {shape:?}"
        )
        .into()),
    }
}

fn elevations(npy: NpyFile<BufReader<File>>) -> Fallible<Vec<f64>> {
    let DType::Plain(element) = npy.dtype() else {
        return Err("its elements are records; wanted are numbers".into());
    };
    // Without the sign of its byte order, which the crate takes care of.
    match element.to_string().trim_matches(['\'', '<', '>', '|', '=']) {
        "u1" => converted::<u8>(npy),
        "i2" => converted::<i16>(npy),
        "u2" => converted::<u16>(npy),
        "i4" => converted::<i32>(npy),
        "f4" => converted::<f32>(npy),
        "f8" => converted::<f64>(npy),
        other => Err(format!("elements of type `{other}`; known are u1, i2, u2, i4, f4 and f8").into()),
    }
}

fn converted<T: Deserialize + Into<f64>>(npy: NpyFile<BufReader<File>>) -> Fallible<Vec<f64>> {
    let mut elevations = Vec::new();
    for value in npy.data::<T>()? {
        elevations.push(value.map_err(|error| format!("its data are cut short: {error}"))?.into());
    }
    Ok(elevations)
}
