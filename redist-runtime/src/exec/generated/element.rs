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

#[cfg(test)]
mod tests {
    use super::*;
    use core::mem::offset_of;
    use std::panic::catch_unwind;

    #[repr(C)]
    struct Loose {
        id: u8,
        mass: f64,
        charge: u32,
    }

    #[repr(C)]
    struct Tight {
        mass: f64,
        charge: u32,
        gap: [u8; 3],
        id: u8,
    }

    fn refused(check: fn()) -> String {
        catch_unwind(check).unwrap_err().downcast_ref::<String>().cloned().unwrap_or_default()
    }

    #[test]
    fn gaps_are_found_where_they_are() {
        let id = Field::of::<u8>("id", offset_of!(Loose, id));
        let mass = Field::of::<f64>("mass", offset_of!(Loose, mass));
        let charge = Field::of::<u32>("charge", offset_of!(Loose, charge));
        assert_eq!((id.size, mass.offset, charge.offset), (1, 8, 16));
        let between = refused(|| {
            check_padding::<Loose>(
                "Loose",
                &[Field::of::<u8>("id", 0), Field::of::<f64>("mass", 8)],
            );
        });
        assert!(
            between.starts_with("`Loose` has 7 bytes of padding before the field `mass`"),
            "{between}"
        );
        let after = refused(|| {
            check_padding::<(u16, u8)>(
                "Pair",
                &[Field::of::<u16>("0", 0), Field::of::<u8>("1", 2)],
            );
        });
        assert!(
            after.starts_with("`Pair` has 1 byte of padding after its last field `1`"),
            "{after}"
        );
    }

    #[test]
    fn a_struct_without_gaps_passes() {
        const _: () = check_padding::<Tight>(
            "Tight",
            &[
                Field::of::<f64>("mass", offset_of!(Tight, mass)),
                Field::of::<u32>("charge", offset_of!(Tight, charge)),
                Field::of::<[u8; 3]>("gap", offset_of!(Tight, gap)),
                Field::of::<u8>("id", offset_of!(Tight, id)),
            ],
        );
    }
}
