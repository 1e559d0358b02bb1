//! Files of safetensors, written and read without the command's code.

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// An array of a file: the word of its type, its extents, its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    pub dtype: String,
    pub shape: Vec<usize>,
    pub bytes: Vec<u8>,
}

pub fn text(tensors: &BTreeMap<String, Tensor>) -> Vec<u8> {
    let (mut header, mut data) = (Map::new(), Vec::new());
    header.insert("__metadata__".into(), json!({"format": "pt"}));
    for (name, tensor) in tensors {
        let offsets = [data.len(), data.len() + tensor.bytes.len()];
        let of = json!({"dtype": tensor.dtype, "shape": tensor.shape, "data_offsets": offsets});
        header.insert(name.clone(), of);
        data.extend_from_slice(&tensor.bytes);
    }
    with_header(&Value::Object(header).to_string(), &data)
}

pub fn with_header(header: &str, data: &[u8]) -> Vec<u8> {
    [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
}

pub fn read(path: &Path) -> BTreeMap<String, Tensor> {
    let file = fs::read(path).unwrap();
    let behind = 8 + u64::from_le_bytes(file[..8].try_into().unwrap()) as usize;
    let header: Map<String, Value> = serde_json::from_slice(&file[8..behind]).unwrap();
    let number = |value: &Value| value.as_u64().unwrap() as usize;
    let tensor = |of: &Value| {
        let [from, to] = [0, 1].map(|at| behind + number(&of["data_offsets"][at]));
        let shape = of["shape"].as_array().unwrap().iter().map(number).collect();
        let dtype = of["dtype"].as_str().unwrap().into();
        Tensor { dtype, shape, bytes: file[from..to].to_vec() }
    };
    let arrays = header.iter().filter(|(name, _)| *name != "__metadata__");
    arrays.map(|(name, of)| (name.clone(), tensor(of))).collect()
}
