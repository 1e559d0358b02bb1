//! Programs that make the move: the macro's item, and calls from Python and from C.

use crate::input::PlannedItem;
use redist::AnyElement;
use redist_draw::PageTexts;
use serde::Serialize;

/// The texts to copy.
#[derive(Debug, Serialize)]
pub struct Calls {
    rust: String,
    python: String,
    c: String,
}

impl Calls {
    pub fn of<const D: usize>(item: &PlannedItem<D>) -> Self {
        let layouts = [item.layouts[0].as_str(), item.layouts[1].as_str()];
        // Behind a comma are the copies that an item of the plan is about.
        let name = item.name.as_deref().and_then(|name| name.split(", ").next());
        let texts = PageTexts { element: item.element.clone(), name: name.map(str::to_owned) };
        let extents = item.plan.extents();
        let array = (extents.as_slice(), item.has_copies);
        Calls {
            rust: texts.item(&extents, layouts),
            python: python(array, layouts, &dtype(&item.element, item.element_bytes)),
            c: c(array, layouts, &element(&item.element, item.element_bytes)),
        }
    }
}

fn python((extents, has_copies): (&[usize], bool), [from, to]: [&str; 2], dtype: &str) -> String {
    let class = if has_copies { "Copies" } else { "Plan" };
    let shape = match extents {
        [one] => format!("({one},)"),
        all => format!("({})", listed(all)),
    };
    format!(
        "from mpi4py import MPI\n\
         import redist\n\n\
         plan = redist.{class}({shape}, \"{from}\", \"{to}\", \"{dtype}\")\n\
         bound = plan.bind(MPI.COMM_WORLD)  # all ranks, once\n\
         source, destination = bound.empty(\"src\"), bound.empty(\"dst\")\n\
         bound.run(source, destination)  # as often as you like\n"
    )
}

fn c((extents, has_copies): (&[usize], bool), [from, to]: [&str; 2], element: &str) -> String {
    let (kind, parsed, bind, free) = match has_copies {
        true => (
            "redist_copies",
            "REDIST_COMBINE_NONE, &plan",
            "redist_bind_copies(plan",
            "redist_copies_free",
        ),
        false => ("redist_plan", "&plan", "redist_bind(plan", "redist_plan_free"),
    };
    let options = if has_copies { "" } else { ", NULL" };
    // C has no arrays of no numbers.
    let numbers = if extents.is_empty() { "0".into() } else { listed(extents) };
    format!(
        "#include <redist.h>\n\
         #include <stdio.h>\n\n\
         /* All processes call it: the source is moved to the destination, once. */\n\
         redist_status move(MPI_Comm communicator, const void *source, void *destination) {{\n    \
             const int64_t extents[] = {{{numbers}}};\n    \
             {kind} *plan = NULL;\n    \
             redist_bound *bound = NULL;\n    \
             redist_status status = {kind}_parse({}, extents, \"{from}\",\n        \
                 \"{to}\", {parsed});\n    \
             if (status == REDIST_OK)\n        \
                 status = {bind}, \"{element}\", communicator{options}, &bound);\n    \
             if (status == REDIST_OK)\n        \
                 status = redist_run(bound, source, redist_local_len(bound, REDIST_SOURCE),\n                            \
                 destination, redist_local_len(bound, REDIST_DESTINATION));\n    \
             if (status != REDIST_OK) fprintf(stderr, \"%s\\n\", redist_last_message());\n    \
             redist_bound_free(bound);\n    \
             {free}(plan);\n    \
             return status;\n\
         }}\n",
        extents.len(),
    )
}

fn listed(extents: &[usize]) -> String {
    extents.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")
}

/// Returns the short name of an element type: `f64`, and `c64` for complex numbers of two.
fn short(element: &str) -> String {
    let text: String = element.split_whitespace().collect();
    let (complex, inner) = match text.split_once("Complex<") {
        Some((_, inner)) => ("c", inner.trim_end_matches('>').trim_start_matches('f')),
        None => ("", text.rsplit("::").next().unwrap_or_default()),
    };
    match inner {
        // Both of the crate `num-complex`, by the bits of a part.
        "Complex32" => "c32".into(),
        "Complex64" => "c64".into(),
        name => format!("{complex}{name}"),
    }
}

/// Names the element type as `redist_bind` takes it; bytes where C has no name for it.
fn element(written: &str, bytes: Option<usize>) -> String {
    let name = short(written);
    match (AnyElement::named(&name), name.as_str()) {
        (Some(_), _) | (None, "f16" | "bf16" | "c32" | "c64") => name,
        _ => format!("[u8; {}]", bytes.unwrap_or(UNKNOWN)),
    }
}

/// Names the element type as numpy does; bytes where numpy has no name for it.
fn dtype(written: &str, bytes: Option<usize>) -> String {
    let name = short(written);
    let bytes = bytes.unwrap_or(UNKNOWN);
    match name.as_str() {
        "bool" => "?".into(),
        "usize" | "u8" | "u16" | "u32" | "u64" => format!("u{bytes}"),
        "isize" | "i8" | "i16" | "i32" | "i64" => format!("i{bytes}"),
        "f16" | "f32" | "f64" => format!("f{bytes}"),
        "c32" | "c64" => format!("c{bytes}"),
        _ => format!("V{bytes}"),
    }
}

/// Bytes of an element of an unknown type: the reader puts in the right number.
const UNKNOWN: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn element_types_have_names_in_each_language() {
        for (written, bytes, numpy, c) in [
            ("f64", Some(8), "f8", "f64"),
            ("u16", Some(2), "u2", "u16"),
            ("bool", Some(1), "?", "[u8; 1]"),
            ("num_complex :: Complex < f32 >", Some(8), "c8", "c32"),
            ("Complex64", Some(16), "c16", "c64"),
            ("half::bf16", Some(2), "V2", "bf16"),
            ("u128", Some(16), "V16", "u128"),
            ("[f32; 3]", Some(12), "V12", "[u8; 12]"),
            ("Particle", None, "V8", "[u8; 8]"),
        ] {
            let found = (dtype(written, bytes), element(written, bytes));
            assert_eq!(found, (numpy.into(), c.into()), "{written}");
        }
    }

    #[test]
    fn arrays_of_any_number_of_dimensions_are_written() {
        let all = |extents: &[usize]| {
            let layouts = ["block onto 2", "*"];
            (python((extents, false), layouts, "f8"), c((extents, true), layouts, "f64"))
        };
        let (python, c) = all(&[10]);
        assert!(python.contains("redist.Plan((10,), \"block onto 2\", \"*\", \"f8\")"), "{python}");
        assert!(c.contains("redist_copies_parse(1, extents, \"block onto 2\","), "{c}");
        let (python, c) = all(&[]);
        assert!(python.contains("redist.Plan((), ") && c.contains("extents[] = {0};"), "{c}");
    }
}
