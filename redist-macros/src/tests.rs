//! The macro as a function: every input gets an answer, and a broken one an error.

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

const VALID: &str = "
    /// Docs.
    pub struct Panel<T: redist::Element>: [T; 50, 20] where T: Copy {
        from: (cyclic(16), BLOCK) onto (2, 2) ranks 4..8 order col of [128, 64] at [37, 5],
        to: (cyclic(7), block(30)) onto (3, 2) first (1, 1) storage fortran transposed,
        require: tables, memory <= 4 MiB, stays >= 0%,
        unroll: 2 * 32,
    }
";

const OPTIONAL: [&str; 10] =
    ["pub", "redist", "Copy", "(16)", "(7)", "(30)", "8", "transposed", "MiB", ","];

pub fn expand(items: TokenStream) -> TokenStream {
    let redist = quote!(::redist);
    super::expand(quote!([#redist] #items))
}

fn tokens(text: &str) -> TokenStream {
    text.parse().expect("the test's own text has to be Rust tokens")
}

fn errors(input: TokenStream) -> Vec<String> {
    let mut output = expand(input).into_iter();
    let mut errors = Vec::new();
    while let Some(token) = output.next() {
        if token.to_string() == "compile_error" {
            errors.extend(output.nth(1).map(|message| message.to_string()));
        }
    }
    errors
}

fn with_one_token_dropped(stream: TokenStream) -> Vec<(String, TokenStream)> {
    let tokens: Vec<TokenTree> = stream.into_iter().collect();
    let mut mangled = Vec::new();
    for (index, token) in tokens.iter().enumerate() {
        let with = |replacement: Option<TokenTree>| -> TokenStream {
            let (before, after) = (&tokens[..index], &tokens[index + 1..]);
            before.iter().cloned().chain(replacement).chain(after.iter().cloned()).collect()
        };
        mangled.push((token.to_string().replace(' ', ""), with(None)));
        if let TokenTree::Group(group) = token {
            for (dropped, inner) in with_one_token_dropped(group.stream()) {
                mangled.push((
                    dropped,
                    with(Some(TokenTree::Group(Group::new(group.delimiter(), inner)))),
                ));
            }
        }
    }
    mangled
}

#[test]
fn a_valid_item_has_no_errors() {
    assert_eq!(errors(tokens(VALID)), Vec::<String>::new());
}

#[test]
fn an_empty_call_is_nothing() {
    assert!(expand(TokenStream::new()).is_empty());
}

#[test]
fn a_dropped_token_is_one_error() {
    let mangled = with_one_token_dropped(tokens(VALID));
    assert!(mangled.len() > 90, "{}", mangled.len());
    for (dropped, input) in mangled {
        let text = input.to_string();
        let errors = errors(input);
        let least = usize::from(!OPTIONAL.contains(&dropped.as_str()));
        // Without the second extent, both sides have one distribution too many.
        let most = if dropped == "20" { 2 } else { 1 };
        assert!((least..=most).contains(&errors.len()), "without `{dropped}`: {text}: {errors:#?}");
    }
}

#[test]
fn an_unfinished_item_is_an_error() {
    let all: Vec<TokenTree> = tokens(VALID).into_iter().collect();
    let Some(TokenTree::Group(body)) = all.last() else { panic!("an item ends in braces") };
    let head = &all[..all.len() - 1];
    let heads = (1..all.len()).map(|end| all[..end].to_vec());
    let clauses: Vec<TokenTree> = body.stream().into_iter().collect();
    let grid = clauses.iter().position(|token| token.to_string() == "first");
    let bodies = (0..grid.expect("what follows the grid of `to`")).map(|end| {
        let unfinished = Group::new(body.delimiter(), clauses[..end].iter().cloned().collect());
        [head, &[TokenTree::Group(unfinished)]].concat()
    });
    for unfinished in heads.chain(bodies) {
        let input: TokenStream = unfinished.into_iter().collect();
        assert!(!errors(input.clone()).is_empty(), "{input}");
    }
}

#[test]
fn strange_inputs_are_errors() {
    let bodies = [
        "",
        ",",
        ",,",
        "from",
        "from:",
        "from: to: from:",
        ": :",
        "5",
        "{}",
        "()",
        "'a",
        "from: ** onto 1",
        "from: () onto (), to: () onto 2",
        "from: (,) onto 2",
        "from: -",
        "from: cyclic(cyclic(2)) onto 2",
        "from: block block",
        "from: onto onto",
        "from: cyclic onto ranks order",
        "from: cyclic onto 2 ranks ..",
        "from: cyclic onto 2 ranks ..=",
        "from: cyclic onto 2 ranks 0....3",
        "from: cyclic onto 2 axes",
        "from: scalapack",
        "from: scalapack()",
        "from: cyclic(340282366920938463463374607431768211456) onto 2",
        "require: tables,, static",
        "require: messages",
        "require: messages <=",
        "require: messages <= -1",
        "require: messages <= 18446744073709551616",
        "require: steps >= 5",
        "require: stays >= 5 %%",
        "require: stays >= 18446744073709551615%",
        "require: memory <= 5 MiB MiB",
        "require: memory <= 5KiB MiB",
        "require: memory <= 18446744073709551615 KiB",
        "require: [tables]",
        "require",
        "from: a, from: b, to: c, to: d, tables: e, tables: f",
        "#[inline] from: cyclic onto 2",
        "from: r#cyclic onto 2",
        "from: |x| x, to: async {}, unroll: x",
        "from: if x { y }",
        "from: cyclic onto (18446744073709551615, 2)",
        "from: cyclic onto 2 ranks 18446744073709551615..",
        "from: cyclic onto 2 of 18446744073709551615 at 18446744073709551615",
        "from: * axes (0, 1, 2), to: * axes (18446744073709551615)",
        "from: * transposed, to: * transposed",
        "from: block(18446744073709551615) onto 18446744073709551615",
    ];
    for body in bodies {
        for extents in ["", "10", "10, 20", "0", "18446744073709551615, 2"] {
            let item = format!("struct Odd: [f64; {extents}] {{ {body} }}");
            assert!(!errors(tokens(&item)).is_empty(), "{item}");
        }
    }
}

#[test]
fn strange_headers_are_errors() {
    let headers = [
        "5",
        ";",
        "#",
        "#[doc]",
        "enum Odd {}",
        "struct",
        "struct;",
        "struct Odd;",
        "struct Odd {}",
        "struct Odd: f64 {}",
        "struct Odd<",
        "struct Odd<T>(: [f64; 4] {}",
        "struct Odd(a): [f64; 4] {}",
        "struct Odd(a: f64): [f64; 4] {}",
        "struct Odd(a: Layout): [f64; 4] {}",
        "struct Odd(a: Layout<N>): [f64; 4] {}",
        "struct Odd: [] {}",
        "struct Odd: [f64] {}",
        "struct Odd: [f64, 4] {}",
        "struct Odd:: [f64; 4] {}",
        "pub(crate) pub struct Odd",
        "struct struct",
        "struct Odd: [f64; 4] where",
        "struct Odd: [f64; 4] => {}",
        "struct Odd: [f64; 4] struct Even",
    ];
    for header in headers {
        // Some are only unfinished generics, which no token stream can express.
        let Ok(input) = header.parse::<TokenStream>() else {
            continue;
        };
        assert!(!errors(input).is_empty(), "{header}");
    }
}

#[test]
fn a_broken_item_does_not_stop_the_next() {
    let broken = "struct A: [f64; 4] { from: cyclic(0) onto 2, to: block onto 2 } enum B {} struct C: [f64; 4];";
    let output = expand(tokens(&format!("{broken} {VALID}")));
    assert!(output.to_string().contains("Panel"));
    assert_eq!(errors(tokens(&format!("{broken} {VALID}"))).len(), 3);
}

#[test]
fn every_sort_of_expression_is_echoed_once() {
    for mistake in ["", ", unroll: 2 * x"] {
        let item = format!(
            "struct A<const B: usize>(rows: usize, a: Layout<2>): [f64; rows + 7, NB * 9] {{
                from: (cyclic(B * 11), gen_block([LEFT, RIGHT])) onto (3, 2) first (f(13), 0) ranks R.. of (rows * 17, 19),
                to: a {mistake}
            }}"
        );
        let output = expand(tokens(&item)).to_string();
        let first_string = output.find('"').expect("a string quotes what is checked or wrong");
        for expression in
            ["rows + 7", "NB * 9", "B * 11", "LEFT", "RIGHT", "f (13)", "R", "rows * 17"]
        {
            let standing = |text: &str| {
                text.contains(&format!("{{ {expression} }}"))
                    || text.contains(&format!("= {expression} ;"))
            };
            assert!(standing(&output[..first_string]), "{expression} in {output}");
            assert!(!standing(&output[first_string..]), "{expression} in {output}");
        }
    }
}

#[test]
fn literals_and_what_is_no_size_are_not_echoed() {
    let output =
        expand(tokens("struct A: [f64; 10] { from: cyclic(0) onto -P, to: 5 }")).to_string();
    assert!(!output.contains("let _"), "{output}");
}

#[test]
fn conditions_hold_for_all_that_is_emitted() {
    let items = [
        "#[cfg(any())] struct A: [f64; 10] { from: cyclic(3) onto 2, to: block onto 2 }",
        "#[cfg(any())] struct A(n: usize): [f64; n] { from: cyclic(NB) onto 2, to: block onto 2 }",
        "#[cfg(any())] struct A: [f64; NB] { from: cyclic(0) onto 2, to: block onto 2 }",
    ];
    for item in items {
        let file: syn::File =
            syn::parse2(expand(tokens(item))).expect("an expansion is a list of items");
        for emitted in file.items {
            match &emitted {
                // The attribute that holds the rest comes after the condition.
                syn::Item::Struct(declaration) => {
                    assert!(declaration.attrs[0].path().is_ident("cfg"), "{item}")
                }
                // Errors are told in any case.
                syn::Item::Macro(error) => {
                    assert!(error.mac.path.segments.last().unwrap().ident == "compile_error")
                }
                _ => panic!("{item} expands to more than its declaration"),
            }
        }
    }
}
