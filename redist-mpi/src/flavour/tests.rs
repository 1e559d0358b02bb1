//! Compares the tables with each library's own `mpi.h`. A C program prints every name's value. For
//! Open MPI, whose handles are addresses, it prints the text of the macro instead.

use super::Flavour;
use crate::constant::{Constant, Value};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs, process};

const ALL: [Flavour; 4] = [Flavour::Mpich, Flavour::OpenMpi, Flavour::Standard, Flavour::Draft];

/// Headers of Debian, and headers that `REDIST_MPI_HEADERS` lists, as `mpich=/usr/include/mpi.h:…`.
fn headers() -> Vec<(Flavour, PathBuf)> {
    let mut found = Vec::new();
    for machine in ["x86_64-linux-gnu", "aarch64-linux-gnu"] {
        found.push((Flavour::Mpich, format!("/usr/include/{machine}/mpich/mpi.h").into()));
        found.push((Flavour::OpenMpi, format!("/usr/lib/{machine}/openmpi/include/mpi.h").into()));
    }
    found.retain(|(_, path): &(_, PathBuf)| path.exists());
    let given = env::var("REDIST_MPI_HEADERS").unwrap_or_default();
    for header in given.split(':').filter(|header| !header.is_empty()) {
        let (name, path) = header.split_once('=').expect("FLAVOUR=PATH:…");
        let names = ["mpich", "openmpi", "standard", "draft"];
        let number = names.iter().position(|known| *known == name).expect("one of the flavours");
        found.push((ALL[number], path.into()));
    }
    found
}

type Table = BTreeMap<&'static str, Value>;

fn table(flavour: Flavour) -> Table {
    let value = |constant: &Constant| (constant.expression(), constant.value(flavour));
    Constant::ALL.iter().map(value).collect()
}

fn program(header: &Path, table: &Table) -> String {
    let mut program = format!(
        "#include <stddef.h>\n#include <stdint.h>\n#include <stdio.h>\n#include \"{}\"\n\
         #define TEXT_OF(x) #x\n#define TEXT(x) TEXT_OF(x)\nint main(void) {{\n",
        header.display()
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
fn printed(header: &Path, table: &Table) -> Option<Vec<String>> {
    let folder = env::temp_dir().join(format!("redist-mpi-{}", process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let (source, binary) = (folder.join("print.c"), folder.join("print"));
    fs::write(&source, program(header, table)).expect("the source");
    let beside = header.parent().expect("a folder");
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

#[test]
fn tables_are_those_of_the_headers() {
    let headers = headers();
    for flavour in ALL.into_iter().filter(|flavour| headers.iter().all(|(of, _)| of != flavour)) {
        eprintln!("not compared: no header with {flavour} is installed");
    }
    for (flavour, header) in headers {
        let (table, name) = (table(flavour), header.display());
        let Some(printed) = printed(&header, &table) else {
            eprintln!("not compared: no C compiler for {name}");
            continue;
        };
        assert_eq!(differences(&table, &printed), [""; 0], "{name}");
        eprintln!("{} values are those of {name}", table.len());
    }
}

/// Numbers are others in MPICH, and addresses are of other variables.
#[test]
fn a_wrong_value_is_found() {
    let table: Table = [("number", Value::Number(5)), ("place", Value::Address("a"))].into();
    let differ = |lines: [&str; 2]| differences(&table, &lines.map(str::to_owned)).len();
    assert_eq!(differ(["5", "(&(a))"]), 0);
    assert_eq!([differ(["4", "(&(a))"]), differ(["5", "(&(b))"]), differ(["", ""])], [1, 1, 2]);
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
