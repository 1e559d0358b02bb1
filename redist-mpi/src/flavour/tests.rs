//! Compares the tables with each library's own `mpi.h`. A C program prints every name's value. For
//! Open MPI, whose handles are addresses, it prints the text of the macro instead.

use super::Flavour;
use crate::constant::{Constant, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, process};

const ALL: [Flavour; 4] = [Flavour::Mpich, Flavour::OpenMpi, Flavour::Standard, Flavour::Draft];

struct Header {
    flavour: Flavour,
    path: PathBuf,
}

/// Headers of Debian, and those that `REDIST_MPI_HEADERS` lists, as `mpich=/usr/include/mpi.h:…`.
fn headers() -> Vec<Header> {
    let mut named = vec![
        ("mpich", "/usr/include/x86_64-linux-gnu/mpich/mpi.h".to_owned()),
        ("mpich", "/usr/include/aarch64-linux-gnu/mpich/mpi.h".to_owned()),
        ("openmpi", "/usr/lib/x86_64-linux-gnu/openmpi/include/mpi.h".to_owned()),
        ("openmpi", "/usr/lib/aarch64-linux-gnu/openmpi/include/mpi.h".to_owned()),
    ];
    named.retain(|(_, path)| Path::new(path).exists());
    let given = env::var("REDIST_MPI_HEADERS").unwrap_or_default();
    for header in given.split(':').filter(|header| !header.is_empty()) {
        let (flavour, path) = header.split_once('=').expect("FLAVOUR=PATH:…");
        assert!(Path::new(path).exists(), "no header {path}");
        named.push((flavour, path.to_owned()));
    }
    let of = |name: &str| match name {
        "mpich" => Flavour::Mpich,
        "openmpi" => Flavour::OpenMpi,
        "standard" => Flavour::Standard,
        "draft" => Flavour::Draft,
        _ => panic!("`{name}` is none of mpich, openmpi, standard, draft"),
    };
    named.into_iter().map(|(name, path)| Header { flavour: of(name), path: path.into() }).collect()
}

type Table = BTreeMap<&'static str, Value>;

fn table(flavour: Flavour) -> Table {
    let value = |constant: &Constant| (constant.expression(), constant.value(flavour));
    Constant::ALL.iter().map(value).collect()
}

fn program(header: &Header, table: &Table) -> String {
    let mut program = format!(
        "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include \"{}\"\n\
         #define TEXT_OF(x) #x\n#define TEXT(x) TEXT_OF(x)\nint main(void) {{\n",
        header.path.display()
    );
    for (name, value) in table {
        let _ = match value {
            Value::Number(_) => {
                writeln!(program, "printf(\"%lld\\n\", (long long)(intptr_t)({name}));")
            }
            Value::Address(_) => writeln!(program, "puts(TEXT({name}));"),
        };
    }
    program + "}\n"
}

/// Returns the lines that the program prints; `None` without a C compiler.
fn printed(header: &Header, table: &Table) -> Option<Vec<String>> {
    static FOLDERS: AtomicUsize = AtomicUsize::new(0);
    let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
    let folder = env::temp_dir().join(format!("redist-mpi-{}-{number}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let (source, binary) = (folder.join("print.c"), folder.join("print"));
    fs::write(&source, program(header, table)).expect("the source");
    let beside = header.path.parent().expect("a folder");
    let compiled = Command::new("cc")
        .args(["-w", "-I"])
        .args([beside, &source, Path::new("-o"), &binary])
        .output()
        .ok()?;
    assert!(compiled.status.success(), "{}", String::from_utf8_lossy(&compiled.stderr));
    let output = Command::new(&binary).output().expect("the program runs");
    fs::remove_dir_all(&folder).expect("the folder is ours");
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_owned).collect())
}

fn differences(table: &Table, printed: &[String]) -> Vec<String> {
    assert_eq!(table.len(), printed.len(), "a line for each name");
    let is_other = |value: &Value, line: &str| match value {
        // The printed number may be the same number without its sign.
        Value::Number(number) => line.parse() != Ok(*number),
        Value::Address(name) => !line.contains(&format!("&({name})")),
    };
    let pairs = table.iter().zip(printed).filter(|((_, value), line)| is_other(value, line));
    pairs.map(|((name, value), line)| format!("{name} is {line}, not {value:?}")).collect()
}

fn for_each_header(mut check: impl FnMut(&Header, &Table, &[String])) {
    let headers = headers();
    for flavour in ALL {
        if !headers.iter().any(|header| header.flavour == flavour) {
            eprintln!("not compared: no header with {flavour} is installed");
        }
    }
    for header in headers {
        let table = table(header.flavour);
        match printed(&header, &table) {
            Some(printed) => check(&header, &table, &printed),
            None => eprintln!("not compared: no C compiler for {}", header.path.display()),
        }
    }
}

#[test]
fn tables_are_those_of_the_headers() {
    for_each_header(|header, table, printed| {
        let differences = differences(table, printed);
        assert_eq!(differences, [""; 0], "{}", header.path.display());
        eprintln!("{} values are those of {}", table.len(), header.path.display());
    });
}

#[test]
fn a_wrong_value_anywhere_is_found() {
    for_each_header(|header, table, printed| {
        for (name, value) in table {
            let wrong = match value {
                Value::Number(number) => Value::Number(number ^ 1),
                Value::Address("ompi_mpi_byte") => Value::Address("ompi_mpi_char"),
                Value::Address(_) => Value::Address("ompi_mpi_byte"),
            };
            let mut planted = table.clone();
            planted.insert(name, wrong);
            let found = differences(&planted, printed);
            assert_eq!(found.len(), 1, "{name} in {}", header.path.display());
        }
    });
}

#[test]
fn success_is_zero_and_statuses_fit() {
    for flavour in ALL {
        assert_eq!(Constant::SUCCESS.value(flavour), Value::Number(0));
        let Value::Number(bytes) = Constant::BYTES_OF_STATUS.value(flavour) else { panic!() };
        assert!(bytes <= 32, "{flavour}");
        let Value::Number(handle) = Constant::BYTES_OF_HANDLE.value(flavour) else { panic!() };
        assert_eq!(handle == 4, flavour == Flavour::Mpich, "{flavour}");
    }
}

#[test]
fn a_library_says_what_it_is() {
    let of = Flavour::of;
    assert_eq!(of("MPICH Version:\t4.0.2", false, false), Some(Flavour::Mpich));
    assert_eq!(of("MPICH Version:      5.0.2", true, false), Some(Flavour::Standard));
    let intels = |minor, is_standard| {
        of(&format!("Intel(R) MPI Library 2021.{minor} for Linux* OS"), is_standard, false)
    };
    assert_eq!(intels("19.0", false), Some(Flavour::Mpich));
    assert_eq!(intels("19.0", true), Some(Flavour::Draft));
    assert_eq!(intels("20.0", true), Some(Flavour::Standard));
    assert_eq!(of("Open MPI v4.1.4, package: Debian OpenMPI", false, true), Some(Flavour::OpenMpi));
    assert_eq!(of("IBM Spectrum MPI v10.4", false, true), Some(Flavour::OpenMpi));
    for unknown in ["Open MPI v1.10.7, package", "Open MPI v2.1.1"] {
        assert_eq!(of(unknown, false, true), None);
    }
    assert_eq!(of("Sequential MPI of a solver", false, false), None);
}
