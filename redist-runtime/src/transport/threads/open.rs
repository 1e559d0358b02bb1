//! Opening a channel between threads: ranks exchange their proposals.

use super::channel::ThreadChannel;
use super::group::Rank;
use super::outbox::RankOutbox;
use crate::element::ElementType;
use crate::error::Error;
use crate::plan::schedule::Method;
use crate::program::{StridedArray, StridedArrays};
use crate::transport::sync::Arc;
use crate::transport::{Channel, Options, Proposal, RankGroup, Route, Way};
use std::sync::Arc as StdArc;

/// One rank's contribution when a channel is opened.
struct OpenRequest {
    /// The plan's numbers.
    numbers: StdArc<[u64]>,
    element: ElementType,
    method: Method,
    options: Options,
    arrays: StdArc<[StridedArray; 2]>,
    outbox: Arc<RankOutbox>,
}

impl RankGroup for Rank {
    fn rank(&self) -> usize {
        Rank::rank(self)
    }

    fn size(&self) -> usize {
        Rank::size(self)
    }

    fn open(&self, proposal: Result<Proposal<'_>, Error>) -> Result<Box<dyn Channel>, Error> {
        let request = proposal.as_ref().map_err(Error::clone).map(|proposal| OpenRequest {
            numbers: proposal.numbers.into(),
            element: proposal.element,
            method: proposal.method,
            options: *proposal.options,
            arrays: StdArc::clone(proposal.arrays),
            outbox: Arc::default(),
        });
        let requests = self.meet(request)?;
        let proposal = proposal?;
        let requests = prepared(&requests).inspect_err(|_| self.group().tell(Rank::rank(self)))?;
        self.compare(&proposal, &requests)?;
        let way = way(proposal.options.route)?;
        let outboxes = requests.iter().map(|request| Arc::clone(&request.outbox)).collect();
        let ranks = (outboxes, (proposal.partners)());
        Ok(Box::new(ThreadChannel::new(self, way, ranks, strided(&requests))))
    }
}

impl Rank {
    fn compare(&self, proposal: &Proposal<'_>, requests: &[&OpenRequest]) -> Result<(), Error> {
        let here = 0;
        if let Some((rank, theirs, ours)) = difference(requests, |request| request.element) {
            let (theirs, ours) = (theirs.name().into(), ours.name().into());
            return Err(Error::DifferentElement { rank, theirs, here, ours });
        }
        if let Some((rank, ..)) = difference(requests, |request| StdArc::clone(&request.numbers)) {
            // All ranks have found the same, and so meet again.
            let described = self.meet(proposal.description.to_string())?;
            let [ours, theirs] = [here, rank].map(|rank| described[rank].to_string());
            return Err(Error::DifferentPlan { rank, theirs, here, ours });
        }
        if let Some((rank, theirs, ours)) = difference(requests, |request| request.method) {
            return Err(Error::DifferentSchedule { rank, theirs, here, ours });
        }
        if let Some((rank, theirs, ours)) = difference(requests, |request| request.options) {
            let (theirs, ours) = (theirs.to_string(), ours.to_string());
            return Err(Error::DifferentOptions { rank, theirs, here, ours });
        }
        Ok(())
    }
}

/// Returns the way of threads, and the reason: the same on all ranks.
fn way(route: Route) -> Result<(Way, &'static str), Error> {
    match route {
        Route::Automatic => Ok((Way::Lent, "ranks are threads, which can use each other's arrays")),
        Route::Messages => Ok((Way::Messages, "asked for by the caller")),
        Route::Chunks => Err(Error::Unavailable {
            what: format!("the route `{route}`"),
            reason: "ranks are threads, which lend each other their arrays; use `Route::Automatic`"
                .into(),
        }),
    }
}

/// Returns the layout of all ranks' arrays, if not all are dense.
fn strided(requests: &[&OpenRequest]) -> Option<StridedArrays> {
    let has_gaps = |request: &&OpenRequest| request.arrays.iter().any(|array| array.has_gaps);
    let arrays = || requests.iter().map(|request| StdArc::clone(&request.arrays)).collect();
    requests.iter().any(has_gaps).then(arrays)
}

fn prepared(requests: &[StdArc<Result<OpenRequest, Error>>]) -> Result<Vec<&OpenRequest>, Error> {
    let failed = |rank, error: &Error| Error::PeerFailed { rank, reason: error.reason() };
    let requests = requests.iter().enumerate();
    requests
        .map(|(rank, request)| (**request).as_ref().map_err(|error| failed(rank, error)))
        .collect()
}

/// Returns a rank that differs from rank 0, with both values. Every rank compares with that, so all
/// find the same.
fn difference<T: PartialEq>(
    requests: &[&OpenRequest],
    value: impl Fn(&OpenRequest) -> T,
) -> Option<(usize, T, T)> {
    let ours = value(requests.first()?);
    let mut values = requests.iter().map(|request| value(request)).enumerate();
    values.find(|(_, theirs)| *theirs != ours).map(|(rank, theirs)| (rank, theirs, ours))
}
