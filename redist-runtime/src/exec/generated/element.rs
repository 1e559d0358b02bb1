use crate::plan::ConstText;

#[derive(Clone, Copy, Debug)]
pub struct Field {
    name: &'static str,
    offset: usize,
    size: usize,
}

impl Field {
    /// Describes a field of type `T`. The value's `ZERO` requires that `T` is an element.
    pub const fn of<T>(name: &'static str, offset: usize) -> Self {
        Self { name, offset, size: size_of::<T>() }
    }
}

/// Panics if the fields of the struct `T`, in memory order, leave a byte out.
#[track_caller]
pub const fn check_padding<T>(name: &str, fields: &[Field]) {
    let (mut end, mut number) = (0, 0);
    while number < fields.len() {
        let Field { name: field, offset, size } = fields[number];
        if offset > end {
            report(name, offset - end, " before the field `", field);
        }
        end = offset + size;
        number += 1;
    }
    if size_of::<T>() > end {
        report(name, size_of::<T>() - end, " after its last field `", fields[number - 1].name);
    }
}

#[track_caller]
const fn report(name: &str, bytes: usize, place: &str, field: &str) -> ! {
    let text = ConstText::new("`").text(name).text("` has ").number(bytes);
    let text = text
        .text(if bytes == 1 { " byte" } else { " bytes" })
        .text(" of padding")
        .text(place)
        .text(field);
    let text =
        text.text("`, and elements have none; put larger fields before smaller ones, or fill the gap with a field ");
    text.text("of its own, such as `gap: [u8; ").number(bytes).text("]`").panic()
}
