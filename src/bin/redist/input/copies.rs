use super::visitor::PlannedItem;
use redist::Side;
use redist::exec::Replicated;
use redist_notation::spec::{SideSpec, Spec};

/// Writes the item, or one for each copy of the destination, whose name says its copies.
pub fn lines<const D: usize>(
    spec: &Spec,
    item: PlannedItem<D>,
) -> syn::Result<Vec<PlannedItem<D>>> {
    if !spec.has_copies() {
        return Ok(vec![item]);
    }
    // The moved elements do not depend on their type.
    let replicated = Replicated::<u8, D>::of(&item.plan, [&spec.from, &spec.to].map(count))
        .map_err(|error| syn::Error::new(spec.ident.span(), error))?;
    let line = |to: usize| {
        let (from, plan) = replicated.line(to);
        let copies = format!("copy {from} of the source to copy {to} of the destination");
        let name = item.name.iter().cloned().chain([copies]).collect::<Vec<_>>().join(", ");
        PlannedItem { name: Some(name), plan: *plan, ..item.clone() }
    };
    Ok((0..replicated.copies(Side::Destination)).map(line).collect())
}

fn count(side: &SideSpec) -> usize {
    let copies = side.layout().and_then(|layout| layout.copies.as_ref());
    copies.and_then(|copies| copies.literal()).unwrap_or(1)
}
