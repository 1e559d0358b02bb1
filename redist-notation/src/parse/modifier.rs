use super::{recover, sizes, word};
use crate::ast::LayoutAst;
use crate::diagnostic::{Diagnostics, message};
use redist_plan::layout::vocabulary::{MODIFIERS, RANK_ORDERS, STORAGE_ORDERS};
use redist_plan::layout::{RankOrder, StorageOrder};
use syn::Ident;
use syn::parse::ParseStream;

pub fn modifiers(input: ParseStream, layout: &mut LayoutAst, diagnostics: &mut Diagnostics) {
    while !recover::at_clause_end(input) {
        if let Err(error) = modifier(input, layout, diagnostics) {
            diagnostics.push(error);
            layout.broken = true;
            recover::skip_to_modifier(input);
        }
    }
}

fn modifier(
    input: ParseStream,
    layout: &mut LayoutAst,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    if !input.peek(Ident) {
        return Err(recover::expected(input, message::EXPECTED_MODIFIER));
    }
    let keyword: Ident = input.parse()?;
    let Some(meant) = word::known(&keyword, "modifier", MODIFIERS, diagnostics) else {
        layout.broken = true;
        recover::skip_to_modifier(input);
        return Ok(());
    };
    match meant {
        "onto" => {
            word::once(&mut layout.grid, sizes::sizes(input, &keyword)?, &keyword, diagnostics)
        }
        "first" => {
            word::once(&mut layout.first, sizes::sizes(input, &keyword)?, &keyword, diagnostics)
        }
        "of" => word::once(&mut layout.of, sizes::sizes(input, &keyword)?, &keyword, diagnostics),
        "at" => word::once(&mut layout.at, sizes::sizes(input, &keyword)?, &keyword, diagnostics),
        "axes" => {
            word::once(&mut layout.axes, sizes::sizes(input, &keyword)?, &keyword, diagnostics)
        }
        "ranks" => word::once(&mut layout.ranks, sizes::ranks(input)?, &keyword, diagnostics),
        "transposed" => word::once(&mut layout.transposed, keyword.clone(), &keyword, diagnostics),
        "order" => rank_order(input, layout, &keyword, diagnostics)?,
        "storage" => storage_order(input, layout, &keyword, diagnostics)?,
        "copies" => {
            word::once(&mut layout.copies, sizes::one(input, &keyword)?, &keyword, diagnostics)
        }
        _ => unreachable!("`{meant}` is not a modifier"),
    }
    Ok(())
}

fn rank_order(
    input: ParseStream,
    layout: &mut LayoutAst,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    let (_, order) = word::one_of(input, "rank order", RANK_ORDERS, diagnostics)?;
    let order = if order == Some("col") { RankOrder::Col } else { RankOrder::Row };
    word::once(&mut layout.order, order, keyword, diagnostics);
    Ok(())
}

fn storage_order(
    input: ParseStream,
    layout: &mut LayoutAst,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    let (_, storage) = word::one_of(input, "storage order", STORAGE_ORDERS, diagnostics)?;
    let storage = if storage == Some("fortran") { StorageOrder::Fortran } else { StorageOrder::C };
    word::once(&mut layout.storage, storage, keyword, diagnostics);
    Ok(())
}
