//! Messages under way while a function runs: their buffers outlive them. Unsafe, because the
//! library borrows buffers for longer than a call.

use crate::communicator::Communicator;
use crate::element::Element;
use crate::error::Error;
use crate::point_to_point::{start, start_mut};
use crate::request::Request;
use std::cell::RefCell;
use std::marker::PhantomData;

/// Messages under way: see [`Communicator::scope`].
#[derive(Debug)]
pub struct Scope<'scope, 'env: 'scope> {
    communicator: &'scope Communicator,
    requests: RefCell<Vec<Request>>,
    /// Keeps both lifetimes as they are: no shorter, no longer.
    scope: PhantomData<&'scope mut &'scope ()>,
    env: PhantomData<&'env mut &'env ()>,
}

impl Communicator {
    /// Calls a function that begins to send and receive, and waits for all that it has begun.
    ///
    /// ```no_run
    /// let world = redist_mpi::world()?;
    /// let next = (world.rank() + 1) % world.size();
    /// let (mine, mut theirs) = ([world.rank() as u64], [0_u64]);
    /// world.scope(|scope| {
    ///     scope.irecv(&mut theirs, None, Some(0))?;
    ///     scope.isend(&mine, next, 0)
    /// })?;
    /// # Ok::<(), redist_mpi::Error>(())
    /// ```
    ///
    /// # Errors
    /// The function's. If the library fails to complete a message, it may still use borrowed
    /// buffers, so the job ends.
    pub fn scope<'env, R>(
        &self,
        begin: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> Result<R, Error>,
    ) -> Result<R, Error> {
        let scope = Scope {
            communicator: self,
            requests: RefCell::default(),
            scope: PhantomData,
            env: PhantomData,
        };
        // Its drop waits, also if the function panics.
        let waits = Waits { communicator: self, requests: &scope.requests };
        let result = begin(&scope);
        drop(waits);
        result
    }
}

impl<'scope, 'env> Scope<'scope, 'env> {
    /// Begins to send elements.
    pub fn isend<T: Element>(
        &'scope self,
        elements: &'scope [T],
        to: usize,
        tag: i32,
    ) -> Result<(), Error> {
        let (bytes, len) = (start(elements).cast(), size_of_val(elements));
        // SAFETY: the elements are borrowed for `'scope`. The scope does not end before `Waits` has
        // waited for the request, or else ended the process.
        self.put(unsafe { self.communicator.isend(bytes, len, to, tag) }?);
        Ok(())
    }

    /// Begins to receive up to as many elements as have room; `None` is any rank, or any tag.
    pub fn irecv<T: Element>(
        &'scope self,
        elements: &'scope mut [T],
        from: Option<usize>,
        tag: Option<i32>,
    ) -> Result<(), Error> {
        let (bytes, len) = (start_mut(elements).cast(), size_of_val(elements));
        // SAFETY: the elements are borrowed exclusively for `'scope`, and any bytes are elements.
        // The scope does not end before `Waits` has waited for the request, or else ended the
        // process.
        self.put(unsafe { self.communicator.irecv(bytes, len, from, tag) }?);
        Ok(())
    }

    fn put(&self, request: Request) {
        self.requests.borrow_mut().push(request);
    }
}

struct Waits<'a> {
    communicator: &'a Communicator,
    requests: &'a RefCell<Vec<Request>>,
}

impl Drop for Waits<'_> {
    fn drop(&mut self) {
        for request in self.requests.borrow_mut().iter_mut() {
            if let Err(error) = request.wait() {
                eprintln!("{error}; a message may still use what is borrowed, so the job ends");
                self.communicator.abort(1);
            }
        }
    }
}
