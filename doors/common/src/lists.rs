//! Lists of global indices, as other languages bring them.

use redist::exec::IndexList;

/// The lists of one rank, by side, as signed numbers.
pub struct NumberLists<'a> {
    /// Number of all indices.
    pub extent: i64,
    /// Indices of the elements, by side.
    pub lists: [&'a [i64]; 2],
    /// Names of both lists in messages.
    pub names: [&'a str; 2],
    /// Neighbouring elements that each index stands for.
    pub elements: i64,
}

impl NumberLists<'_> {
    /// Returns the number of all elements, and both lists with an index for each.
    ///
    /// # Errors
    /// In words: a number is negative or too large, with its place in the list.
    pub fn read(&self) -> Result<(usize, [IndexList; 2]), String> {
        let positive = |name: &str, value: i64, least: i64| {
            let found = usize::try_from(value).ok().filter(|_| value >= least);
            found.ok_or_else(|| format!("`{name}` is {value}, and must be at least {least}"))
        };
        let elements = positive("elements", self.elements, 1)?;
        let extent = positive("extent", self.extent, 0)?;
        let all = extent.checked_mul(elements).filter(|all| isize::try_from(*all).is_ok());
        let all = all.ok_or_else(|| {
            format!("{extent} indices of {elements} elements each are more than 2^63 - 1")
        })?;
        let [from, to] = [0, 1].map(|side: usize| self.list(side, elements));
        Ok((all, [from?, to?]))
    }

    fn list(&self, side: usize, elements: usize) -> Result<IndexList, String> {
        let (list, extent) = (self.lists[side], self.extent);
        let wrong = list.iter().enumerate().find(|(_, index)| !(0..extent).contains(*index));
        if let Some((place, index)) = wrong {
            let name = self.names[side];
            return Err(format!(
                "`{name}[{place}]` is {index}, but there are {extent} indices, from 0 on"
            ));
        }
        let list = IndexList::from_fn(list.len(), |place| list[place] as usize);
        Ok(if elements == 1 { list } else { list.in_rows(elements) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(extent: i64, list: &[i64], elements: i64) -> Result<(usize, usize), String> {
        let lists = [&[][..], list];
        let lists = NumberLists { extent, lists, names: ["source", "destination"], elements };
        lists.read().map(|(all, [from, to])| {
            assert!(from.is_empty());
            (all, to.len())
        })
    }

    #[test]
    fn wrong_numbers_are_told_with_their_place() {
        assert_eq!(read(5, &[4, 0], 1), Ok((5, 2)));
        assert_eq!(read(5, &[4, 0], 3), Ok((15, 6)));
        assert_eq!(read(0, &[], 7), Ok((0, 0)));
        let told = |extent, list: &[i64], elements| read(extent, list, elements).unwrap_err();
        let place = "`destination[1]` is 5, but there are 5 indices, from 0 on";
        assert_eq!(told(5, &[4, 5], 1), place);
        assert!(told(5, &[-1], 1).starts_with("`destination[0]` is -1, but"));
        assert_eq!(told(5, &[], 0), "`elements` is 0, and must be at least 1");
        assert_eq!(told(-5, &[], 1), "`extent` is -5, and must be at least 0");
        assert!(told(i64::MAX, &[], 2).contains("more than 2^63 - 1"));
    }
}
