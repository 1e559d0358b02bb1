//! The possible mutants of a file: replaced operators, and constants for results of functions.

use proc_macro2::Span;
use quote::ToTokens;
use std::ops::Range;
use std::path::{Path, PathBuf};
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, BinOp, Block, Expr, ExprBinary, ReturnType, Signature, Type};

pub struct Mutant {
    pub file: PathBuf,
    pub line: usize,
    pub change: String,
    /// Empty for an insertion.
    pub at: Range<usize>,
    /// `NUMBER` stands for the mutant's number.
    pub text: String,
}

impl Mutant {
    pub fn overlaps(&self, other: &Self) -> bool {
        self.file == other.file && self.at.start <= other.at.end && other.at.start <= self.at.end
    }
}

const ON: &str = "crate::mutant::is_on(NUMBER)";

pub fn mutants(file: &Path, text: &str) -> syn::Result<Vec<Mutant>> {
    let mut finder = Finder { file, text, found: Vec::new() };
    finder.visit_file(&syn::parse_file(text)?);
    Ok(finder.found)
}

struct Finder<'t> {
    file: &'t Path,
    text: &'t str,
    found: Vec<Mutant>,
}

impl Finder<'_> {
    fn of(&self, span: Span) -> &str {
        &self.text[span.byte_range()]
    }

    fn add(&mut self, line: usize, change: String, at: Range<usize>, text: String) {
        self.found.push(Mutant { file: self.file.to_owned(), line, change, at, text });
    }

    fn function(&mut self, signature: &Signature, body: &Block) {
        let line = signature.ident.span().start().line;
        let at = body.brace_token.span.open().byte_range().end;
        for value in results(signature) {
            let text = format!(" if {ON} {{ return {value}; }} ");
            let change = format!("{} returns {}", signature.ident, if value.is_empty() { "at once" } else { value });
            self.add(line, change, at..at, text);
        }
    }
}

fn results(signature: &Signature) -> &'static [&'static str] {
    let ReturnType::Type(_, result) = &signature.output else {
        return &[""];
    };
    let Type::Path(path) = &**result else {
        return &[];
    };
    match path.to_token_stream().to_string().replace(' ', "").as_str() {
        "bool" => &["true", "false"],
        "usize" | "u64" | "u32" | "u8" | "i64" | "i32" => &["0", "1"],
        "Result<(),Error>" => &["Ok(())"],
        name if name.starts_with("Option<") => &["None"],
        name if name.starts_with("Vec<") => &["Vec::new()"],
        _ => &[],
    }
}

fn other(operator: &BinOp) -> Option<&'static str> {
    Some(match operator {
        BinOp::Add(_) => "-",
        BinOp::Sub(_) => "+",
        BinOp::Mul(_) => "+",
        BinOp::Div(_) => "*",
        BinOp::Rem(_) => "/",
        BinOp::And(_) => "||",
        BinOp::Or(_) => "&&",
        BinOp::BitAnd(_) => "|",
        BinOp::BitOr(_) => "&",
        BinOp::BitXor(_) => "&",
        BinOp::Shl(_) => ">>",
        BinOp::Shr(_) => "<<",
        BinOp::Eq(_) => "!=",
        BinOp::Ne(_) => "==",
        BinOp::Lt(_) => "<=",
        BinOp::Le(_) => "<",
        BinOp::Gt(_) => ">=",
        BinOp::Ge(_) => ">",
        BinOp::AddAssign(_) => "-=",
        BinOp::SubAssign(_) => "+=",
        BinOp::MulAssign(_) => "+=",
        _ => return None,
    })
}

fn for_tests(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let text = attribute.to_token_stream().to_string();
        text.contains("test") || text.contains("loom") || text.contains("fuzzing")
    })
}

struct HasLet(bool);

impl<'a> Visit<'a> for HasLet {
    fn visit_expr(&mut self, expression: &'a Expr) {
        self.0 |= matches!(expression, Expr::Let(_));
        visit::visit_expr(self, expression);
    }

    fn visit_block(&mut self, _: &'a Block) {}
}

fn has_let(expression: &ExprBinary) -> bool {
    let mut finder = HasLet(false);
    finder.visit_expr_binary(expression);
    finder.0
}

impl<'a> Visit<'a> for Finder<'_> {
    fn visit_item_mod(&mut self, item: &'a syn::ItemMod) {
        if !for_tests(&item.attrs) {
            visit::visit_item_mod(self, item);
        }
    }

    fn visit_item_fn(&mut self, item: &'a syn::ItemFn) {
        if !for_tests(&item.attrs) {
            self.function(&item.sig, &item.block);
            visit::visit_item_fn(self, item);
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'a syn::ImplItemFn) {
        if !for_tests(&item.attrs) {
            self.function(&item.sig, &item.block);
            visit::visit_impl_item_fn(self, item);
        }
    }

    // Types and constants are fixed when the copy is compiled.
    fn visit_type(&mut self, _: &'a Type) {}
    fn visit_generic_argument(&mut self, _: &'a syn::GenericArgument) {}
    fn visit_item_const(&mut self, _: &'a syn::ItemConst) {}
    fn visit_impl_item_const(&mut self, _: &'a syn::ImplItemConst) {}
    fn visit_trait_item_const(&mut self, _: &'a syn::TraitItemConst) {}
    fn visit_item_static(&mut self, _: &'a syn::ItemStatic) {}
    fn visit_expr_const(&mut self, _: &'a syn::ExprConst) {}
    fn visit_pat(&mut self, _: &'a syn::Pat) {}
    fn visit_expr_repeat(&mut self, repeat: &'a syn::ExprRepeat) {
        self.visit_expr(&repeat.expr);
    }

    fn visit_expr_binary(&mut self, binary: &'a ExprBinary) {
        if let Some(operator) = other(&binary.op).filter(|_| !has_let(binary)) {
            let [left, right] = [&binary.left, &binary.right].map(|side| self.of(side.span()).to_owned());
            let now = self.of(binary.span()).to_owned();
            let (line, at) = (binary.op.span().start().line, binary.span().byte_range());
            let change = format!("`{}` becomes `{operator}`", self.of(binary.op.span()));
            let text = format!("(if {ON} {{ {left} {operator} {right} }} else {{ {now} }})");
            self.add(line, change, at, text);
        }
        visit::visit_expr_binary(self, binary);
    }
}
