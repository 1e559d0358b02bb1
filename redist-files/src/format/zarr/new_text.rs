//! Metadata of new arrays.

use super::types;
use crate::chunks::Chunking;
use crate::format::places::NewPart;
use serde_json::{Value, json};

/// Writes the metadata of a new array, by the version of the format and the user's wishes.
pub fn text(
    (version, chunking): (u8, &Chunking),
    part: &NewPart,
    code: &str,
) -> Result<Value, String> {
    let chunks = part.chunks.clone().unwrap_or_default();
    let fill = fill(code, &chunks.fill);
    let name = types::name(code, version).unwrap_or_default();
    let shards = chunking.shards.as_deref();
    if let Some(shards) = shards {
        check_shards(shards, &chunks.shape)?;
    }
    let codec = chunking.codec.as_deref().unwrap_or("zstd");
    let (codec, level) = match codec.split_once(':') {
        Some((codec, level)) => {
            let number = level.parse().map_err(|_| format!("codec: `{level}` is no level"))?;
            (codec, Some(number))
        }
        None => (codec, None),
    };
    if version == 2 {
        if shards.is_some() {
            return Err("Zarr 2 has no shards; write the format `zarr`".into());
        }
        let compressor = compressor(codec, level)?;
        return Ok(json!({
            "zarr_format": 2, "shape": part.shape, "chunks": chunks.shape, "dtype": name,
            "compressor": compressor, "fill_value": fill, "order": "C", "filters": null,
            "dimension_separator": ".",
        }));
    }
    let mut codecs = vec![bytes_codec(part.element.unit())];
    codecs.extend(compression(codec, level, part.element.bytes)?);
    let (grid, codecs) = match shards {
        Some(shards) => (shards, vec![sharding(&chunks.shape, &codecs)]),
        None => (&chunks.shape[..], codecs),
    };
    Ok(json!({
        "zarr_format": 3, "node_type": "array", "shape": part.shape, "data_type": name,
        "chunk_grid": { "name": "regular", "configuration": { "chunk_shape": grid } },
        "chunk_key_encoding": { "name": "default", "configuration": { "separator": "/" } },
        "fill_value": fill, "codecs": codecs, "attributes": {},
    }))
}

fn bytes_codec(unit: usize) -> Value {
    match unit {
        1 => json!({ "name": "bytes" }),
        _ if cfg!(target_endian = "little") => {
            json!({ "name": "bytes", "configuration": { "endian": "little" } })
        }
        _ => json!({ "name": "bytes", "configuration": { "endian": "big" } }),
    }
}

fn sharding(chunk: &[usize], codecs: &[Value]) -> Value {
    json!({ "name": "sharding_indexed", "configuration": {
        "chunk_shape": chunk, "codecs": codecs, "index_location": "end",
        "index_codecs": [
            { "name": "bytes", "configuration": { "endian": "little" } }, { "name": "crc32c" },
        ],
    } })
}

/// The codec of version 3, if there is one.
fn compression(codec: &str, level: Option<i64>, bytes: usize) -> Result<Option<Value>, String> {
    let configuration = match codec {
        "none" => return Ok(None),
        "zstd" => json!({ "level": level.unwrap_or(3), "checksum": false }),
        "gzip" => json!({ "level": level.unwrap_or(5) }),
        "blosc" => json!({
            "cname": "lz4", "clevel": level.unwrap_or(5), "shuffle": "shuffle", "typesize": bytes,
            "blocksize": 0,
        }),
        other => return Err(unknown(other)),
    };
    Ok(Some(json!({ "name": codec, "configuration": configuration })))
}

/// The compressor of version 2, or null.
fn compressor(codec: &str, level: Option<i64>) -> Result<Value, String> {
    Ok(match codec {
        "none" => Value::Null,
        "zstd" => json!({ "id": "zstd", "level": level.unwrap_or(3), "checksum": false }),
        "gzip" => json!({ "id": "gzip", "level": level.unwrap_or(5) }),
        "blosc" => json!({
            "id": "blosc", "cname": "lz4", "clevel": level.unwrap_or(5), "shuffle": 1, "blocksize": 0,
        }),
        other => return Err(unknown(other)),
    })
}

fn unknown(codec: &str) -> String {
    format!("the codec `{codec}` is not written here; codecs are zstd, gzip, blosc and none")
}

fn check_shards(shards: &[usize], chunk: &[usize]) -> Result<(), String> {
    let fits = |(shard, chunk): (&usize, &usize)| *shard > 0 && shard % chunk == 0;
    match shards.len() == chunk.len() && shards.iter().zip(chunk).all(fits) {
        true => Ok(()),
        false => Err(format!("shards of {shards:?} are no multiples of chunks of {chunk:?}")),
    }
}

/// Returns the fill value for these bytes, as near as the metadata can say it: what differs from it is
/// written.
fn fill(code: &str, bytes: &[u8]) -> Value {
    let mut number = [0; 8];
    if bytes.len() <= 8 {
        number[..bytes.len()].copy_from_slice(bytes);
    }
    let low = u64::from_le_bytes(number);
    match code.trim_start_matches(['<', '>', '|']) {
        _ if cfg!(target_endian = "big") || code.starts_with("|V") => zeros(code),
        "b1" => json!(low != 0),
        "f8" => float(f64::from_bits(low)),
        "f4" => float(f64::from(f32::from_bits(low as u32))),
        "i1" => json!(low as u8 as i8),
        "i2" => json!(low as u16 as i16),
        "i4" => json!(low as u32 as i32),
        "i8" => json!(low as i64),
        "u1" | "u2" | "u4" | "u8" => json!(low),
        _ => zeros(code),
    }
}

fn zeros(code: &str) -> Value {
    match code.trim_start_matches(['<', '>', '|']) {
        "b1" => json!(false),
        "c8" | "c16" | "f2" | "f4" | "f8" | "bf16" => match code.contains('c') {
            true => json!([0.0, 0.0]),
            false => json!(0.0),
        },
        plain if plain.starts_with("f8_") => json!("0x00"),
        plain => match plain.strip_prefix('V').and_then(|bytes| bytes.parse::<usize>().ok()) {
            Some(bytes) => json!(vec![0; bytes]),
            None => json!(0),
        },
    }
}

fn float(number: f64) -> Value {
    match number {
        _ if number.is_nan() => json!("NaN"),
        f64::INFINITY => json!("Infinity"),
        f64::NEG_INFINITY => json!("-Infinity"),
        finite => json!(finite),
    }
}
