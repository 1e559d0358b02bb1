//! Options of a drawing, and its pages.

use crate::canvas::Canvas;
use crate::error::DrawError;
use crate::table::{self, Tables};
use crate::view::View;
use crate::what::PictureKind;
use crate::{intersection, ownership, page, schedule, volumes};
use redist_plan::layout::{Dist, Layout};
use redist_plan::plan::{Plan, Side};
use redist_schedules::{CostModel, Method, Schedule, Schedules};

/// Bytes of an element unless the caller says otherwise.
const USUAL_BYTES: usize = 8;

/// Options of a plan's drawing; the default is all pictures.
///
/// ```
/// use redist_draw::{Drawing, PictureKind};
/// use redist_plan::plan::Plan;
///
/// let plan = Plan::parse([72], "cyclic(4) onto 3", "cyclic(6) onto 2").unwrap();
/// let drawing = Drawing { kind: PictureKind::Ownership, ..Drawing::default() };
/// let page = drawing.page(&plan).unwrap();
/// assert!(page.starts_with("<svg ") && page.contains("cyclic(6) onto 2"));
/// let error = Drawing { pair: Some([0, 2]), ..Drawing::default() }.page(&plan).unwrap_err();
/// assert!(error.to_string().contains("rank 2 is none of the destination's, which are 0..2"));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Drawing {
    /// Which picture.
    pub kind: PictureKind,
    /// The title of the page; `Redistribution` by default.
    pub title: Option<String>,
    /// The source rank and the destination rank whose common pieces are drawn; by default the two
    /// different ranks that share the most.
    pub pair: Option<[usize; 2]>,
    /// The two drawn dimensions of the source, first the dimension that goes down; by default the
    /// first that are distributed.
    pub axes: Option<[usize; 2]>,
    /// Other dimensions, with the index of each cut; else near the middle of what the pair shares.
    pub slices: Vec<(usize, usize)>,
    /// The method that orders the messages; by default the cheapest on a network.
    pub method: Option<Method>,
    /// Bytes of an element; 8 by default.
    pub element_bytes: Option<usize>,
}

/// Returns the plan of one dimension that moves the only element of an array without dimensions;
/// `None` for others.
pub(crate) fn line<const D: usize>(plan: &Plan<D>) -> Option<Plan<1>> {
    let layout = |side| {
        let ranks = plan.descriptor(side).layout().ranks;
        Layout::new([Dist::Collapsed], [1]).ranks(ranks)
    };
    let line = || Plan::new([1], layout(Side::Source), layout(Side::Destination));
    if D == 0 { line().ok() } else { None }
}

impl Drawing {
    /// A page as SVG.
    ///
    /// # Errors
    /// An array without elements; options or a method that do not fit the plan.
    pub fn page<const D: usize>(&self, plan: &Plan<D>) -> Result<String, DrawError> {
        if let Some(line) = line(plan) {
            return self.page(&line);
        }
        let title = self.title.as_deref().unwrap_or("Redistribution");
        let pictures = self.pictures(plan)?.into_iter().map(|(_, picture)| picture);
        Ok(page::page(plan, title, pictures.collect()))
    }

    /// Each picture by itself as SVG, which is titled by its contents, without the page's words.
    ///
    /// # Errors
    /// The errors of [`page`](Drawing::page).
    pub fn apart<const D: usize>(
        &self,
        plan: &Plan<D>,
    ) -> Result<Vec<(PictureKind, String)>, DrawError> {
        if let Some(line) = line(plan) {
            return self.apart(&line);
        }
        let alone = |(kind, picture): (PictureKind, Canvas)| (kind, page::alone(kind, picture));
        Ok(self.pictures(plan)?.into_iter().map(alone).collect())
    }

    /// Draws the destination-processor table of a dimension and its steps, as SVG.
    ///
    /// # Errors
    /// The dimension or the method does not fit the plan, or a period has too many pieces.
    pub fn table<const D: usize>(
        &self,
        plan: &Plan<D>,
        dimension: usize,
    ) -> Result<String, DrawError> {
        let (line, tables) = self.tables(plan, dimension)?;
        let title = self.title.as_deref().unwrap_or("Redistribution");
        Ok(page::page(&line, title, table::pictures(&line, &tables)))
    }

    /// Returns the tables of [`table`](Drawing::table) as text.
    ///
    /// # Errors
    /// The errors of [`table`](Drawing::table).
    pub fn table_text<const D: usize>(
        &self,
        plan: &Plan<D>,
        dimension: usize,
    ) -> Result<String, DrawError> {
        Ok(table::text(&self.tables(plan, dimension)?.1))
    }

    fn tables<const D: usize>(
        &self,
        plan: &Plan<D>,
        dimension: usize,
    ) -> Result<(Plan<1>, Tables), DrawError> {
        let line = table::line(plan, dimension)?;
        let (schedule, _) = self.schedule(&line)?;
        Ok((line, Tables::new(&line, &*schedule)?))
    }

    fn pictures<const D: usize>(
        &self,
        plan: &Plan<D>,
    ) -> Result<Vec<(PictureKind, Canvas)>, DrawError> {
        let view = self.view(plan)?;
        let wanted = |kind| self.kind == PictureKind::All || self.kind == kind;
        let mut pictures = Vec::new();
        if wanted(PictureKind::Ownership) {
            pictures.push((PictureKind::Ownership, ownership::picture(plan, &view)));
        }
        if wanted(PictureKind::Intersection) {
            pictures.push((PictureKind::Intersection, intersection::picture(plan, &view)));
        }
        if wanted(PictureKind::Volumes) {
            pictures.push((PictureKind::Volumes, volumes::picture(plan)));
        }
        if wanted(PictureKind::Schedule) {
            let (schedule, least) = self.schedule(plan)?;
            pictures.push((PictureKind::Schedule, schedule::picture(plan, &*schedule, least)));
        }
        Ok(pictures)
    }

    pub(crate) fn view<const D: usize>(&self, plan: &Plan<D>) -> Result<View<D>, DrawError> {
        if let Some(dimension) = plan.extents().iter().position(|extent| *extent == 0) {
            let reason = format!("dimension {dimension} has no elements: there is nothing to draw");
            return Err(DrawError::of("", reason));
        }
        View::new(plan, self.axes, &self.slices, self.pair)
    }

    /// Makes the steps of the given method, else of the cheapest on a network; and the least number
    /// of steps, if it is known.
    pub(crate) fn schedule<const D: usize>(
        &self,
        plan: &Plan<D>,
    ) -> Result<(Box<dyn Schedule>, Option<usize>), DrawError> {
        let bytes = self.element_bytes.unwrap_or(USUAL_BYTES);
        let choice = plan.choose_steps(&CostModel::NETWORK, bytes);
        let schedule = match self.method {
            Some(method) => plan
                .schedule(method)
                .map_err(|error| DrawError::of("method:", error.to_string()))?,
            None => choice.schedule,
        };
        let schedule =
            schedule.ok_or_else(|| DrawError::of("", "there is no schedule with steps"))?;
        Ok((schedule, choice.least_steps))
    }
}
