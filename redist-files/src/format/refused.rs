//! Endings of names that other programs take for a format.

/// Endings of formats that are not written here. Files of these names would hold only elements, and
/// no program could read them.
const OTHER_FORMATS: [&[&str]; 8] = [
    // Arrays and checkpoints of learning programs.
    &[
        "pt",
        "pt2",
        "pth",
        "ckpt",
        "distcp",
        "ptl",
        "torchscript",
        "mar",
        "gguf",
        "ggml",
        "onnx",
        "keras",
        "pb",
        "pbtxt",
        "tflite",
        "tfrecord",
        "tfrecords",
        "msgpack",
        "flax",
        "orbax",
        "ocdbt",
        "pdparams",
        "pdopt",
        "pdmodel",
        "mlmodel",
        "caffemodel",
        "params",
        "nnef",
        "joblib",
        "pkl",
        "pickle",
        "dill",
        "beton",
        "lance",
    ],
    // Arrays that say their shapes.
    &[
        "hdf", "hdf4", "he4", "h4", "nc3", "cdl", "netcdf", "n5", "bp", "bp4", "bp5", "adios",
        "fits", "fit", "fts", "asdf", "mat", "mtx", "mm", "rda", "rds", "rdata", "sav", "jld",
        "jld2", "tdms", "root", "silo", "cgns", "exo", "gsd", "b2nd", "b2frame", "blosc", "blosc2",
    ],
    // Weather, the earth, its waves.
    &[
        "grib", "grib1", "grib2", "grb", "grb1", "grb2", "gb2", "bufr", "segy", "sgy", "sac",
        "mseed", "las", "laz", "asc",
    ],
    // Pictures, and volumes of medicine.
    &[
        "tif", "tiff", "png", "jpg", "jpeg", "jp2", "exr", "bmp", "gif", "webp", "pgm", "ppm",
        "pbm", "pnm", "pfm", "svg", "pdf", "nii", "mgh", "mgz", "mnc", "dcm", "mrc", "mha", "mhd",
        "nrrd", "nhdr",
    ],
    // Meshes, points, molecules.
    &[
        "vtk",
        "vtu",
        "vti",
        "vtr",
        "vts",
        "vtp",
        "vtm",
        "vtkhdf",
        "pvtu",
        "pvti",
        "pvtr",
        "pvts",
        "pvd",
        "xdmf",
        "xmf",
        "msh",
        "ply",
        "stl",
        "obj",
        "pcd",
        "e57",
        "xyz",
        "cube",
        "pdb",
        "xtc",
        "trr",
        "dcd",
        "lammpstrj",
    ],
    // Texts.
    &[
        "csv", "tsv", "txt", "text", "json", "jsonl", "ndjson", "geojson", "yaml", "yml", "toml",
        "xml", "ini", "html", "md", "log", "py", "ipynb",
    ],
    // Tables.
    &[
        "parquet", "feather", "arrow", "arrows", "ipc", "orc", "avro", "xls", "xlsx", "ods",
        "sqlite", "sqlite3", "db", "duckdb", "dta", "sas7bdat",
    ],
    // Packed files.
    &[
        "zip", "7z", "rar", "tar", "tgz", "tbz", "tbz2", "txz", "tzst", "gz", "bz2", "xz", "zst",
        "zstd", "lz4", "lz", "lzma", "lzo", "br", "snappy", "sz", "z", "zfp",
    ],
];

/// Endings of formats that are written here.
const KNOWN: [&str; 10] =
    ["npy", "npz", "safetensors", "zarr", "h5", "hdf5", "he5", "nc", "nc4", "cdf"];

/// Says why no file of this name is read or written; `None` if files of it hold elements, or end as
/// a format that is known. Numbers behind an ending are ranks or parts: `state.nc.0003`.
pub fn refused(name: &str) -> Option<String> {
    let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    let mut parts = name.split('.').skip(1).collect::<Vec<_>>();
    let is_last = !parts.last().is_some_and(|part| is_number(part));
    while parts.last().is_some_and(|part| is_number(part)) {
        parts.pop();
    }
    let suffix = *parts.last()?;
    let lower = suffix.to_lowercase();
    if KNOWN.contains(&lower.as_str()) && (suffix != lower || !is_last) {
        return Some(match is_last {
            true => format!("`.{suffix}` is no ending of files here; write `.{lower}`"),
            false => format!(
                "`.{lower}` is no ending here; write the rank before it, as in `part.{{rank}}.{lower}`"
            ),
        });
    }
    let is_known = OTHER_FORMATS.iter().any(|formats| formats.contains(&lower.as_str()));
    is_known.then(|| {
        format!(
            "`.{suffix}` is a format that is not known here; files end in `.npy`, `.npz`, `.safetensors`, \
             `.zarr`, `.h5` or `.nc`, or hold nothing but elements and end otherwise, as in `.bin`"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names under which programs keep arrays, as their pages have them.
    const USED: [&str; 31] = [
        "pytorch_model.pt",
        "consolidated.00.pth",
        "epoch=3.ckpt",
        "__0_0.distcp",
        "llama.gguf",
        "model.onnx",
        "model.keras",
        "state.pkl",
        "optim.pickle",
        "t5.msgpack",
        "x.pdparams",
        "train-00000.tfrecord",
        "MOD.hdf",
        "a.n5",
        "dump.bp",
        "m51.fits",
        "r.mat",
        "matrix.mtx",
        "x.jld2",
        "s.rds",
        "gfs.grib2",
        "era5.grb",
        "line.segy",
        "scan.nii.gz",
        "em.mrc",
        "t.tiff",
        "field.vtu",
        "x.xdmf",
        "traj.xtc",
        "t.parquet",
        "t.arrow",
    ];

    /// Names under which programs keep nothing but elements.
    const RAW: [&str; 20] = [
        "o",
        "o.0",
        "o.{rank}",
        "a.bin",
        "a.raw",
        "a.dat",
        "a.data",
        "x.f32",
        "x.f64",
        "x.le",
        "x.be",
        "x.ieee",
        "pod.dbl",
        "field.r8",
        "chunk.img",
        "U.grd",
        "part.12.bin",
        "x.state",
        "x.out",
        "a.b.c",
    ];

    #[test]
    fn formats_that_people_use_are_refused() {
        for name in USED {
            let told = refused(name).unwrap_or_else(|| panic!("{name} would hold elements alone"));
            assert!(told.contains("is a format that is not known here"), "{told}");
            assert!(refused(&name.to_uppercase()).is_some(), "{name} in capitals");
        }
    }

    #[test]
    fn elements_alone_may_have_any_other_ending() {
        for name in RAW {
            assert_eq!(refused(name), None, "{name}");
        }
    }

    #[test]
    fn a_format_is_chosen_where_the_name_ends_in_it_alone() {
        assert_eq!(refused("a.npy"), None);
        assert_eq!(refused("model-00001-of-00008.safetensors"), None);
        assert!(refused("a.Safetensors").is_some_and(|told| told.contains("write `.safetensors`")));
        assert!(refused("a.NPY").is_some_and(|told| told.contains("write `.npy`")));
        assert!(refused("a.npy.0003").is_some_and(|told| told.contains("`part.{rank}.npy`")));
        assert!(refused("restart.nc.0003").is_some_and(|told| told.contains("`part.{rank}.nc`")));
        assert_eq!([refused("ocean.nc"), refused("wrf.hdf5")], [None, None]);
    }

    #[test]
    fn no_ending_is_listed_twice() {
        let mut all: Vec<&str> = OTHER_FORMATS.concat();
        all.sort_unstable();
        let before = all.len();
        all.dedup();
        assert_eq!(all.len(), before);
        assert!(all.iter().all(|ending| *ending == ending.to_lowercase()));
    }
}
