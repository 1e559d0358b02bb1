//! Arrays in files, from one layout to another. Unsafe, because C passes pointers.

use crate::guard::guarded;
use crate::layout::check_size;
use crate::pointers::{put_text, reference, text};
use crate::status::{Refusal, Status, length};
use redist_doors::words::{C, in_names};
use redist_doors::{FileRun, FileWork, FilesError, Manifest, RunOptions};
use std::ffi::c_char;
use std::path::Path;

/// Options of `redist_convert` and `redist_verify_files`. Members that are 0 have their defaults;
/// begin with `redist_file_options options = REDIST_FILE_OPTIONS_INIT;`.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct FileOptions {
    /// `sizeof(redist_file_options)`.
    pub size: usize,
    /// Most bytes of memory for elements, all threads together: at least 65536. 0 is 256 MiB.
    pub memory_bytes: i64,
    /// Number of threads; 0 is as many as there are processors.
    pub threads: i64,
    /// Not 0 to replace files that are there. Of `redist_convert` alone, as all members below.
    pub force: i32,
    /// Not 0 to read what was written, and to compare every element, before files get their names.
    pub check: i32,
    /// Not 0 to return before all is on the disk.
    pub no_sync: i32,
    /// 0.
    pub reserved: i32,
}

/// Converts the arrays of a manifest, as `redist convert` does, in this process alone; MPI is not
/// needed. `manifest` is the name of a file: JSON if it ends in `.json`, else TOML. Names of files
/// in it begin in its folder. `options` may be NULL. All files are complete, or none has its name:
/// a file that is missing, or that is there already, is `REDIST_FILE`, and a manifest that makes
/// no sense `REDIST_ARGUMENT`. Stores JSON: `arrays`, each with `name`, `bytes`, `element_bytes`,
/// `files` (numbers of those read and written), `checksum`, `kept` and `seconds`, and `warnings`,
/// which are texts. `text` may be NULL; it is to be freed by `redist_text_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_convert(
    manifest: *const c_char,
    options: *const FileOptions,
    text: *mut *mut c_char,
) -> Status {
    // SAFETY: the header demands of the pointers what `ran` does.
    guarded(|| unsafe { ran(manifest, options, (FileWork::Convert, text)) })
}

/// Compares every element of a manifest's arrays in the files of both sides, and writes nothing.
/// All else is as for `redist_convert`. An element that differs is `REDIST_FILE`, and the message
/// says where.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn redist_verify_files(
    manifest: *const c_char,
    options: *const FileOptions,
    text: *mut *mut c_char,
) -> Status {
    // SAFETY: the header demands of the pointers what `ran` does.
    guarded(|| unsafe { ran(manifest, options, (FileWork::Compare, text)) })
}

/// # Safety
/// Pointers are NULL, or point to a text that ends with a zero, to options, and to a place for a
/// text. Nothing writes to them while this runs.
unsafe fn ran(
    manifest: *const c_char,
    options: *const FileOptions,
    (work, text): (FileWork, *mut *mut c_char),
) -> Result<(), Refusal> {
    // SAFETY: the caller promises it of both.
    let (name, options) = unsafe { (self::text(manifest, "manifest")?, chosen(options)?) };
    let manifest = Manifest::read(Path::new(name))?;
    let told = FileRun::of(&manifest, options, work).into_json()?;
    if text.is_null() {
        return Ok(());
    }
    // SAFETY: it is a place for a text, as the caller promises.
    unsafe { put_text(text, told, "text") }
}

/// # Safety
/// The pointer is NULL, for all defaults, or points to options that nothing writes to while this
/// runs.
unsafe fn chosen(options: *const FileOptions) -> Result<RunOptions, Refusal> {
    let mut chosen = RunOptions::default();
    if options.is_null() {
        return Ok(chosen);
    }
    // SAFETY: it is not NULL, so there are options, as the caller promises.
    let own = unsafe { reference(options, "options") }?;
    check_size::<FileOptions>(own.size, "redist_file_options")?;
    if own.memory_bytes != 0 {
        chosen.memory = length(own.memory_bytes, "options.memory_bytes")?;
    }
    let threads = length(own.threads, "options.threads")?;
    chosen.threads = (threads > 0).then_some(threads);
    (chosen.force, chosen.check, chosen.sync) = (own.force != 0, own.check != 0, own.no_sync == 0);
    Ok(chosen)
}

impl From<FilesError> for Refusal {
    fn from(error: FilesError) -> Self {
        let status = match error {
            FilesError::Asked(_) => Status::RedistArgument,
            FilesError::Failed(_) => Status::RedistFile,
        };
        Self::new(status, in_names(&error.to_string(), C))
    }
}
