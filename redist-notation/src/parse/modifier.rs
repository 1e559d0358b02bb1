use super::{recover, sizes, word};
use crate::ast::{LayoutAst, Sizes};
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
        "onto" => list(input, &mut layout.grid, &keyword, diagnostics)?,
        "first" => list(input, &mut layout.first, &keyword, diagnostics)?,
        "of" => list(input, &mut layout.of, &keyword, diagnostics)?,
        "at" => list(input, &mut layout.at, &keyword, diagnostics)?,
        "axes" => list(input, &mut layout.axes, &keyword, diagnostics)?,
        "ranks" => word::once(&mut layout.ranks, sizes::ranks(input)?, &keyword, diagnostics),
        "transposed" => word::once(&mut layout.transposed, keyword.clone(), &keyword, diagnostics),
        "order" => {
            let (_, order) = word::one_of(input, "rank order", RANK_ORDERS, diagnostics)?;
            let order = if order == Some("col") { RankOrder::Col } else { RankOrder::Row };
            word::once(&mut layout.order, order, &keyword, diagnostics);
        }
        "storage" => {
            let (_, order) = word::one_of(input, "storage order", STORAGE_ORDERS, diagnostics)?;
            let is_fortran = order == Some("fortran");
            let order = if is_fortran { StorageOrder::Fortran } else { StorageOrder::C };
            word::once(&mut layout.storage, order, &keyword, diagnostics);
        }
        "copies" => {
            word::once(&mut layout.copies, sizes::one(input, &keyword)?, &keyword, diagnostics)
        }
        _ => unreachable!("`{meant}` is not a modifier"),
    }
    Ok(())
}

fn list(
    input: ParseStream,
    slot: &mut Option<Sizes>,
    keyword: &Ident,
    diagnostics: &mut Diagnostics,
) -> syn::Result<()> {
    word::once(slot, sizes::sizes(input, keyword)?, keyword, diagnostics);
    Ok(())
}
