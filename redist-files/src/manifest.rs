//! Manifests: many arrays with their layouts and files, in TOML or JSON.

use super::address::is_address;
use super::array::{ArrayMove, ArrayRequest, SideRequest};
use super::chunks::Chunking;
use super::element::bytes_of_name;
use super::error::FilesError;
use super::format::Placing;
use super::opened::OpenedArray;
use super::pattern::FilePattern;
use super::run::{Run, RunOptions};
use super::watch::Unwatched;
use redist_plan::layout::Layout;
use redist_plan::plan::Plan;
use serde::Deserialize;
use std::collections::HashSet;
use std::fmt;
use std::path::{Path, PathBuf};

/// Arrays that one run moves.
///
/// `defaults` has what an array leaves out, and each `array` has a name, its extents, the layouts
/// `from` and `to`, the files `in` and `out`.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manifest {
    #[serde(default)]
    defaults: ArrayText,
    #[serde(default)]
    array: Vec<ArrayText>,
    /// Most bytes of the arrays in a file that an index lists.
    shard_bytes: Option<u64>,
    /// The folder that names of files begin in.
    #[serde(skip)]
    folder: String,
}

/// One array of a manifest, or the defaults of all.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ArrayText {
    name: Option<String>,
    /// Element type.
    element: Option<String>,
    /// Bytes of an element, where the type does not tell.
    element_bytes: Option<usize>,
    /// Extents, in elements.
    extents: Option<Vec<usize>>,
    from: Option<String>,
    to: Option<String>,
    r#in: Option<String>,
    out: Option<String>,
    in_format: Option<String>,
    out_format: Option<String>,
    /// By rank of the source: a file, and the place of its elements there.
    parts: Option<Vec<PartText>>,
    /// Bytes before the first element, or record, of each file of the source.
    skip: Option<u64>,
    /// Bytes from an element of the source to the next.
    stride: Option<u64>,
    in_byte_order: Option<String>,
    out_byte_order: Option<String>,
    /// Extents of the destination's chunks, in elements.
    chunks: Option<Vec<usize>>,
    /// Extents of the destination's chunks that share a file, in elements.
    shards: Option<Vec<usize>>,
    /// Compression of the destination's chunks.
    codec: Option<String>,
}

/// The elements of one rank in a file without a header.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct PartText {
    /// The file; empty for a rank that holds nothing.
    file: String,
    /// Bytes before the first element.
    #[serde(default)]
    skip: u64,
}

impl Manifest {
    /// Reads a file: JSON if its name ends in `.json`, else TOML. Names of files begin in its folder.
    ///
    /// # Errors
    /// The file cannot be read, or is no manifest.
    pub fn read(path: &Path) -> Result<Self, FilesError> {
        let text = std::fs::read_to_string(path)
            .map_err(|error| FilesError::Failed(format!("{}: {error}", path.display())))?;
        let is_json = path.extension().is_some_and(|ending| ending == "json");
        let read = if is_json { Self::from_json(&text) } else { Self::from_toml(&text) };
        let mut manifest = read.map_err(|error| match error {
            FilesError::Asked(words) | FilesError::Failed(words) => {
                FilesError::Asked(format!("{}: {words}", path.display()))
            }
        })?;
        manifest.folder = path.parent().unwrap_or(Path::new("")).to_string_lossy().into_owned();
        Ok(manifest)
    }

    /// Reads TOML.
    ///
    /// # Errors
    /// The text is no manifest.
    pub fn from_toml(text: &str) -> Result<Self, FilesError> {
        toml::from_str(text).map_err(|error| FilesError::Asked(error.to_string()))
    }

    /// Reads JSON.
    ///
    /// # Errors
    /// The text is no manifest.
    pub fn from_json(text: &str) -> Result<Self, FilesError> {
        serde_json::from_str(text).map_err(|error| FilesError::Asked(error.to_string()))
    }

    /// Opens the source of the only array, to be read in boxes. Reading takes at most `memory` bytes of
    /// elements, beside those of the caller.
    ///
    /// # Errors
    /// There is not one array, it leaves out what it needs, or its files do not fit.
    pub fn open(&self, memory: usize) -> Result<OpenedArray, FilesError> {
        match &self.array[..] {
            [array] => array.or(&self.defaults).open(&self.folder, memory),
            arrays => {
                let words = format!("expected one array to open, found {}", arrays.len());
                Err(FilesError::Asked(words))
            }
        }
    }

    /// Adds all arrays to a run.
    ///
    /// # Errors
    /// An array leaves out what it needs, or is refused by [`Run::add`].
    pub fn add_to(&self, run: &mut Run<'_>) -> Result<(), FilesError> {
        if self.array.is_empty() {
            return Err(FilesError::Asked("the manifest has no `[[array]]`".into()));
        }
        if let Some(bytes) = self.shard_bytes {
            run.shard_bytes(bytes);
        }
        let mut taken: HashSet<String> = self.array.iter().filter_map(plain_name).collect();
        for (number, array) in self.array.iter().enumerate() {
            let array = array.or(&self.defaults);
            let name = array.name.clone().unwrap_or_else(|| format!("number {number}"));
            let added = match name.contains('*') {
                false => array.add(run, &self.folder),
                true => array.add_all(run, (&self.folder, &mut taken)),
            };
            added.map_err(|error| error.with(|words| format!("array `{name}`: {words}")))?;
        }
        Ok(())
    }
}

/// Returns the name of an array that stands for itself alone.
fn plain_name(array: &ArrayText) -> Option<String> {
    array.name.clone().filter(|name| !name.contains('*'))
}

/// Returns `true` if a name is one of those that a pattern with stars stands for.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(name) = name.strip_prefix(first) else { return false };
    (0..=name.len()).any(|at| name.is_char_boundary(at) && matches(rest, &name[at..]))
}

/// Adds an array of as many dimensions as it has extents.
macro_rules! by_dimensions {
    ($extents:ident, $($dimensions:literal)*, |$fixed:ident| $add:expr) => {
        match $extents.len() {
            $($dimensions => {
                let mut $fixed = [0; $dimensions];
                $fixed.copy_from_slice(&$extents);
                $add
            })*
            other => Err(FilesError::Asked(format!(
                "arrays have 1 to 8 dimensions here, and this one has {other}"
            ))),
        }
    };
}

impl ArrayText {
    fn or(&self, defaults: &Self) -> Self {
        fn of<T: Clone>(own: &Option<T>, default: &Option<T>) -> Option<T> {
            own.clone().or_else(|| default.clone())
        }
        Self {
            name: self.name.clone(),
            element: of(&self.element, &defaults.element),
            element_bytes: of(&self.element_bytes, &defaults.element_bytes),
            extents: of(&self.extents, &defaults.extents),
            from: of(&self.from, &defaults.from),
            to: of(&self.to, &defaults.to),
            r#in: of(&self.r#in, &defaults.r#in),
            out: of(&self.out, &defaults.out),
            in_format: of(&self.in_format, &defaults.in_format),
            out_format: of(&self.out_format, &defaults.out_format),
            parts: of(&self.parts, &defaults.parts),
            skip: of(&self.skip, &defaults.skip),
            stride: of(&self.stride, &defaults.stride),
            in_byte_order: of(&self.in_byte_order, &defaults.in_byte_order),
            out_byte_order: of(&self.out_byte_order, &defaults.out_byte_order),
            chunks: of(&self.chunks, &defaults.chunks),
            shards: of(&self.shards, &defaults.shards),
            codec: of(&self.codec, &defaults.codec),
        }
    }

    /// Adds the arrays of the source that a name with stars stands for, and nobody has taken.
    fn add_all(
        &self,
        run: &mut Run<'_>,
        (folder, taken): (&str, &mut HashSet<String>),
    ) -> Result<(), FilesError> {
        let pattern = self.name.clone().unwrap_or_default();
        let source = self.source(folder)?;
        let mut names = run.names(&source)?;
        names.retain(|name| matches(&pattern, name) && !taken.contains(name));
        names.sort_unstable();
        if names.is_empty() {
            return Err(FilesError::Asked("stands for no array of the source".into()));
        }
        for name in names {
            let own = Self { name: Some(name.clone()), ..self.clone() };
            own.add(run, folder)
                .map_err(|error| error.with(|words| format!("`{name}`: {words}")))?;
            taken.insert(name);
        }
        Ok(())
    }

    fn source(&self, folder: &str) -> Result<SideRequest, FilesError> {
        let big = big(&self.in_byte_order)?;
        let placing = Placing { skip: self.skip, stride: self.stride, big };
        if let Some(parts) = &self.parts {
            return self.listed(parts, (placing, folder));
        }
        side((&self.r#in, &self.in_format, placing), ("in", folder))
    }

    fn listed(
        &self,
        parts: &[PartText],
        (placing, folder): (Placing, &str),
    ) -> Result<SideRequest, FilesError> {
        let others = self.r#in.is_some() || self.in_format.is_some();
        if others || self.skip.is_some() || self.stride.is_some() || parts.is_empty() {
            return Err(FilesError::Asked(
                "`parts` lists a file for each rank, each with `skip`; leave out `in`, `in_format`, \
                 `skip` and `stride`"
                    .into(),
            ));
        }
        let path = |part: &PartText| match part.file.as_str() {
            "" => PathBuf::new(),
            file => within(folder, file).into(),
        };
        let parts = parts.iter().map(|part| (path(part), part.skip)).collect();
        let (files, chunking) = ("parts".into(), Chunking::default());
        Ok(SideRequest { files, format: None, placing, chunking, parts })
    }

    fn destination(&self, folder: &str) -> Result<SideRequest, FilesError> {
        let placing = Placing { big: big(&self.out_byte_order)?, ..Placing::default() };
        let side = side((&self.out, &self.out_format, placing), ("out", folder))?;
        let (chunks, shards) = (self.chunks.clone(), self.shards.clone());
        Ok(SideRequest { chunking: Chunking { chunks, shards, codec: self.codec.clone() }, ..side })
    }

    /// Returns the extents, and the layout of an array that is whole.
    fn extents(
        &self,
        run: &mut Run<'_>,
        (name, source): (&str, &SideRequest),
    ) -> Result<(Vec<usize>, String), FilesError> {
        let extents = match &self.extents {
            Some(extents) => extents.clone(),
            None => run.extents(name, source)?,
        };
        let all = vec!["*"; extents.len()].join(", ");
        let all = if extents.len() == 1 { all } else { format!("({all})") };
        Ok((extents, all))
    }

    fn open(&self, folder: &str, memory: usize) -> Result<OpenedArray, FilesError> {
        let name = self.name.clone().unwrap_or_default();
        let source = self.source(folder)?;
        let options = RunOptions { memory, threads: Some(1), ..RunOptions::default() };
        let mut run = Run::new(options, &Unwatched);
        let (extents, all) = self.extents(&mut run, (&name, &source))?;
        let from = self.from.clone().unwrap_or_else(|| all.clone());
        let sides = [source, SideRequest::memory()];
        let (element, bytes) = (self.element.clone(), self.element_bytes);
        let element_bytes = bytes.or_else(|| element.as_deref().and_then(bytes_of_name));
        by_dimensions!(extents, 1 2 3 4 5 6 7 8, |fixed| {
            let (plans, copies) = plans(fixed, (&from, &all), FilePattern::parse("memory"))?;
            let plan = *plans.first().ok_or_else(|| lacks("from", "\"block onto 2\""))?;
            let request = ArrayRequest { name, element, element_bytes, plan, copies, sides };
            let array = ArrayMove::open(&request, run.existing())?;
            OpenedArray::new(array, run.into_input(), memory)
        })
    }

    fn add(&self, run: &mut Run<'_>, folder: &str) -> Result<(), FilesError> {
        let name = self.name.clone().ok_or_else(|| lacks("name", "\"weight\""))?;
        let sides = [self.source(folder)?, self.destination(folder)?];
        let (extents, all) = self.extents(run, (&name, &sides[0]))?;
        let from = self.from.clone().unwrap_or_else(|| all.clone());
        let to = self.to.clone().unwrap_or(all);
        let (element, bytes) = (self.element.clone(), self.element_bytes);
        let element_bytes = bytes.or_else(|| element.as_deref().and_then(bytes_of_name));
        by_dimensions!(extents, 1 2 3 4 5 6 7 8, |fixed| {
            let files = FilePattern::parse(&sides[1].files);
            let (plans, copies) = plans(fixed, (&from, &to), files)?;
            let first = *plans.first().ok_or_else(|| lacks("to", "\"block onto 2\""))?;
            let mut request =
                ArrayRequest { name, element, element_bytes, plan: first, copies, sides };
            plans.into_iter().try_for_each(|plan| {
                request.plan = plan;
                run.add(&request)
            })
        })
    }
}

/// Plans the move from the first copy of the source to each of the destination; to its first if one
/// file holds the array whole. Returns the layouts of the source's other copies, too.
fn plans<const D: usize>(
    extents: [usize; D],
    (from, to): (&str, &str),
    files: Result<FilePattern, String>,
) -> Result<(Vec<Plan<D>>, Vec<Layout<D>>), FilesError> {
    let asked = |error: &dyn fmt::Display| FilesError::Asked(error.to_string());
    let copies = |key: &str, text: &str| {
        Layout::<D>::parse_copies(text).map_err(|error| asked(&format!("{key}: {error}")))
    };
    let (mut sources, mut destinations) = (copies("from", from)?, copies("to", to)?);
    if files.map_err(|error| asked(&error))?.is_global() {
        destinations.truncate(1);
    }
    if sources.is_empty() {
        return Err(asked(&"the source has no copy"));
    }
    let source = sources.remove(0);
    let plan = |destination| Plan::new(extents, source, destination).map(Plan::indexed);
    let plans = destinations.into_iter().map(|to| plan(to).map_err(|error| asked(&error)));
    Ok((plans.collect::<Result<_, _>>()?, sources))
}

fn big(word: &Option<String>) -> Result<Option<bool>, FilesError> {
    word.as_deref().map(Placing::byte_order).transpose().map_err(FilesError::Asked)
}

fn side(
    (files, format, placing): (&Option<String>, &Option<String>, Placing),
    (key, folder): (&str, &str),
) -> Result<SideRequest, FilesError> {
    let files = files.as_ref().ok_or_else(|| lacks(key, "\"part.{rank}.safetensors\""))?;
    let files = within(folder, files);
    let (format, chunking) = (format.clone(), Chunking::default());
    Ok(SideRequest { files, format, placing, chunking, parts: Vec::new() })
}

/// Returns a name that begins in a folder.
fn within(folder: &str, file: &str) -> String {
    match folder {
        "" => file.into(),
        _ if file.starts_with('/') || is_address(Path::new(file)) => file.into(),
        _ => format!("{folder}/{file}"),
    }
}

fn lacks(key: &str, example: &str) -> FilesError {
    FilesError::Asked(format!(
        "has no `{key}`, nor have the defaults; write it as in `{key} = {example}`"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stand_for_any_text() {
        assert!(matches("*.w", "a.b.w") && matches("a.*.w*", "a.0.wq") && matches("*", ""));
        assert!(!matches("*.w", "a.b.wq") && !matches("a*", "ba"));
    }

    #[test]
    fn both_languages_say_the_same() {
        let toml = "shard_bytes = 10\n[defaults]\nelement = \"bf16\"\n[[array]]\nname = \"a\"\n";
        let json =
            r#"{"shard_bytes": 10, "defaults": {"element": "bf16"}, "array": [{"name": "a"}]}"#;
        let read = [Manifest::from_toml(toml), Manifest::from_json(json)];
        let [toml, json] = read.map(|manifest| format!("{:?}", manifest.expect("a manifest")));
        assert_eq!(toml, json);
        let wrong = Manifest::from_toml("[[array]]\nnmae = \"a\"").expect_err("a wrong key");
        assert!(
            wrong.to_string().contains("nmae") && wrong.to_string().contains("name"),
            "{wrong}"
        );
    }
}
