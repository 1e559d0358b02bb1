use super::{Clause, DistAst, DistKind, Item, LayoutAst, Param, RanksAst, SideAst, Sizes};
use proc_macro2::Span;
use redist_plan::plan::Side;
use syn::Expr;

impl<T> Clause<T> {
    pub fn given(&self) -> Option<&T> {
        match self {
            Clause::Given(value) => Some(value),
            Clause::Absent | Clause::Broken => None,
        }
    }

    pub fn map<U>(self, convert: impl FnOnce(T) -> U) -> Clause<U> {
        match self {
            Clause::Given(value) => Clause::Given(convert(value)),
            Clause::Absent => Clause::Absent,
            Clause::Broken => Clause::Broken,
        }
    }
}

impl<S> Item<S> {
    pub fn sides(&self) -> impl Iterator<Item = (Side, &SideAst<S>)> {
        let from = self.from.given().map(|side| (Side::Source, side));
        let to = self.to.given().map(|side| (Side::Destination, side));
        from.into_iter().chain(to)
    }

    pub fn layouts(&self) -> impl Iterator<Item = (Side, &LayoutAst<S>)> {
        self.sides().filter_map(|(which, side)| match side {
            SideAst::Layout(layout) => Some((which, &**layout)),
            SideAst::Value(_) => None,
        })
    }

    /// Returns the parameter, if it is the whole expression.
    pub fn param(&self, expression: &Expr) -> Option<&Param> {
        let Expr::Path(path) = expression else { return None };
        let name = path.path.get_ident()?;
        self.params.iter().find(|param| param.ident == *name)
    }

    pub fn for_each_size(&mut self, change: &mut dyn FnMut(&mut S)) {
        self.array.iter_mut().flat_map(|array| &mut array.extents).for_each(&mut *change);
        for side in [&mut self.from, &mut self.to] {
            if let Clause::Given(SideAst::Layout(layout)) = side {
                layout.sizes_mut().for_each(&mut *change);
            }
        }
        self.unroll.iter_mut().chain(&mut self.tables).for_each(change);
    }

    pub fn sizes(&self) -> impl Iterator<Item = &S> {
        let extents = self.array.iter().flat_map(|array| &array.extents);
        extents.chain(self.layouts().flat_map(|(_, layout)| layout.sizes()))
    }
}

impl<S> LayoutAst<S> {
    pub fn starting_at(span: Span) -> Self {
        LayoutAst {
            span,
            scalapack: None,
            dists: Vec::new(),
            grid: None,
            first: None,
            ranks: None,
            order: None,
            storage: None,
            of: None,
            at: None,
            transposed: None,
            axes: None,
            copies: None,
            broken: false,
        }
    }

    /// Returns the dimensions of `onto` and `first`.
    pub fn distributed(&self) -> Vec<usize> {
        let is_dealt = |(_, dist): &(usize, &DistAst<S>)| !matches!(dist.kind, DistKind::Collapsed);
        self.dists.iter().enumerate().filter(is_dealt).map(|(dimension, _)| dimension).collect()
    }

    pub fn spread<'a>(&self, list: &'a Option<Sizes<S>>) -> Vec<Option<&'a S>> {
        let mut spread: Vec<Option<&S>> = self.dists.iter().map(|_| None).collect();
        let distributed = self.distributed();
        for list in list.iter().filter(|list| list.values.len() == distributed.len()) {
            for (dimension, size) in distributed.iter().zip(&list.values) {
                spread[*dimension] = Some(size);
            }
        }
        spread
    }

    fn sizes(&self) -> impl Iterator<Item = &S> {
        let lists = [&self.grid, &self.first, &self.of, &self.at];
        let ranks = self.ranks.iter().flat_map(RanksAst::sizes);
        let blocks = self.dists.iter().flat_map(DistAst::sizes);
        let lists = lists.into_iter().flatten().flat_map(|list| &list.values);
        blocks.chain(lists).chain(ranks).chain(&self.copies)
    }
}

impl<S> LayoutAst<S> {
    fn sizes_mut(&mut self) -> impl Iterator<Item = &mut S> {
        let lists = [&mut self.grid, &mut self.first, &mut self.of, &mut self.at, &mut self.axes];
        let ranks = self.ranks.iter_mut().flat_map(RanksAst::sizes_mut);
        let blocks = self.dists.iter_mut().flat_map(DistAst::sizes_mut);
        let lists = lists.into_iter().flatten().flat_map(|list| &mut list.values);
        blocks.chain(lists).chain(ranks).chain(&mut self.copies)
    }
}

impl<S> RanksAst<S> {
    fn sizes(&self) -> Vec<&S> {
        match self {
            RanksAst::Range { first, end, .. } => [first].into_iter().chain(end).collect(),
            RanksAst::Map(list) => list.values.iter().collect(),
        }
    }

    fn sizes_mut(&mut self) -> Vec<&mut S> {
        match self {
            RanksAst::Range { first, end, .. } => [first].into_iter().chain(end).collect(),
            RanksAst::Map(list) => list.values.iter_mut().collect(),
        }
    }
}

impl<S> DistAst<S> {
    fn sizes_mut(&mut self) -> &mut [S] {
        match &mut self.kind {
            DistKind::BlockOf(size) | DistKind::Cyclic(Some(size)) => core::slice::from_mut(size),
            DistKind::GenBlock(sizes) | DistKind::Rows(_, sizes) => &mut sizes.values,
            DistKind::Collapsed | DistKind::Block | DistKind::Cyclic(None) | DistKind::Unknown => {
                &mut []
            }
        }
    }

    fn sizes(&self) -> &[S] {
        match &self.kind {
            DistKind::BlockOf(size) | DistKind::Cyclic(Some(size)) => core::slice::from_ref(size),
            DistKind::GenBlock(sizes) | DistKind::Rows(_, sizes) => &sizes.values,
            DistKind::Collapsed | DistKind::Block | DistKind::Cyclic(None) | DistKind::Unknown => {
                &[]
            }
        }
    }
}
