//! Objects that are read in ranges, all in the state in which they were opened.

use super::client::{Store, key, words};
use crate::address::Address;
use futures_util::stream::{self, StreamExt, TryStreamExt};
use object_store::path::Path;
use object_store::{GetOptions, GetRange, ObjectMeta};
use std::io::{self, ErrorKind};
use std::sync::Arc;

/// Bytes of an object, and where in it they begin.
pub type Piece<'a> = (u64, &'a mut [u8]);

/// Pieces that lie closer together than this are read with what lies between them, in bytes: about
/// what a store sends in the time in which it begins to answer.
const NEAR_BYTES: u64 = 256 << 10;

/// Most bytes of one request. They are not held: pieces are filled as they come.
const WINDOW_BYTES: u64 = 8 << 20;

/// Requests of a thread that are under way at a time.
const AT_A_TIME: usize = 4;

/// An object.
#[derive(Debug)]
pub struct Object {
    store: Arc<Store>,
    path: Path,
    /// The store's words on it, when it was opened.
    meta: ObjectMeta,
}

/// Pieces that are read by one request, in their order.
struct Window<'a> {
    /// The first byte.
    start: u64,
    /// The byte after the last.
    end: u64,
    pieces: Vec<Piece<'a>>,
}

impl Object {
    /// Opens an object. `None` if there is none. Fails if a change of it would not be noticed.
    pub fn open(name: &std::path::Path) -> Result<Option<Self>, String> {
        let address = Address::parse(name)?;
        let (store, path) = (Store::of(&address)?, key(&address)?);
        let options = GetOptions { head: true, ..GetOptions::default() };
        let meta = match store.wait(store.client.get_opts(&path, options)) {
            Err(object_store::Error::NotFound { .. }) => return Ok(None),
            found => found.map_err(|error| words(&error))?.meta,
        };
        match meta.e_tag.is_none() && meta.last_modified.timestamp() == 0 {
            false => Ok(Some(Self { store, path, meta })),
            true => {
                Err("the server says neither its tag nor the time of its last change, so that \
                         a change would not be noticed; copy it to a file first"
                    .into())
            }
        }
    }

    /// Bytes of the object.
    pub fn len(&self) -> u64 {
        self.meta.size
    }

    /// The store's words on the object, which change with it.
    pub fn words(&self) -> String {
        format!("{:?} {:?} {:?}", self.meta.e_tag, self.meta.version, self.meta.last_modified)
    }

    pub fn read_exact_at(&self, to: &mut [u8], place: u64) -> io::Result<()> {
        if place.checked_add(to.len() as u64).is_none_or(|end| end > self.len()) {
            return Err(ErrorKind::UnexpectedEof.into());
        }
        self.read(vec![(place, to)])
    }

    /// Reads pieces, which are in their order, by few requests.
    pub fn read(&self, pieces: Vec<Piece<'_>>) -> io::Result<()> {
        let requests = windows(pieces).into_iter().map(|window| self.fetch(window));
        let all = stream::iter(requests).buffer_unordered(AT_A_TIME).try_collect::<()>();
        self.store.wait(all).map_err(io::Error::other)
    }

    /// Fills the pieces of a window as the bytes come.
    async fn fetch(&self, window: Window<'_>) -> Result<(), String> {
        let tag = self.meta.e_tag.clone().filter(|tag| !tag.starts_with("W/"));
        let range = Some(GetRange::Bounded(window.start..window.end));
        let options = GetOptions { range, if_match: tag, ..GetOptions::default() };
        let answer = self.store.client.get_opts(&self.path, options).await;
        let answer = answer.map_err(|error| words(&error))?;
        if !self.is_same(&answer.meta) {
            return Err("has changed meanwhile".into());
        }
        let (mut filling, mut bytes) = (Filling::new(window), answer.into_stream());
        while let Some(bytes) = bytes.next().await {
            filling.take(&bytes.map_err(|error| words(&error))?)?;
        }
        filling.end()
    }

    fn is_same(&self, found: &ObjectMeta) -> bool {
        let is_same = match (&self.meta.e_tag, &found.e_tag) {
            (Some(own), Some(found)) => own == found,
            _ => self.meta.last_modified == found.last_modified,
        };
        is_same && self.meta.size == found.size
    }
}

/// Joins pieces that are near, and cuts those that are long.
fn windows(pieces: Vec<Piece<'_>>) -> Vec<Window<'_>> {
    let mut windows: Vec<Window<'_>> = Vec::new();
    for (place, piece) in pieces {
        let parts = piece.chunks_mut(WINDOW_BYTES as usize).enumerate();
        for (number, part) in parts {
            let start = place + number as u64 * WINDOW_BYTES;
            let end = start + part.len() as u64;
            match windows.last_mut() {
                Some(last)
                    if start >= last.end
                        && start - last.end <= NEAR_BYTES
                        && end - last.start <= WINDOW_BYTES =>
                {
                    last.end = end;
                    last.pieces.push((start, part));
                }
                _ => windows.push(Window { start, end, pieces: vec![(start, part)] }),
            }
        }
    }
    windows
}

/// The pieces of a window that have not all their bytes yet.
struct Filling<'a> {
    /// The byte that comes next.
    at: u64,
    left: std::vec::IntoIter<Piece<'a>>,
    /// The rest of the piece that is filled.
    now: Option<Piece<'a>>,
}

impl<'a> Filling<'a> {
    fn new(window: Window<'a>) -> Self {
        let mut left = window.pieces.into_iter();
        let now = left.next();
        Self { at: window.start, left, now }
    }

    /// Takes bytes that have come.
    fn take(&mut self, mut bytes: &[u8]) -> Result<(), String> {
        while !bytes.is_empty() {
            let (place, rest) = self.now.take().ok_or("the store sends more than was asked for")?;
            let between = usize::try_from(place - self.at).unwrap_or(usize::MAX).min(bytes.len());
            let len = rest.len().min(bytes.len() - between);
            let (filled, rest) = rest.split_at_mut(len);
            filled.copy_from_slice(&bytes[between..between + len]);
            bytes = &bytes[between + len..];
            self.at += (between + len) as u64;
            self.now = match rest.is_empty() {
                true => self.left.next(),
                false => Some((place.max(self.at), rest)),
            };
        }
        Ok(())
    }

    fn end(self) -> Result<(), String> {
        match self.now {
            None => Ok(()),
            Some((place, _)) => Err(format!("the store's answer ends before byte {place}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills pieces of an object whose bytes come in answers of `step` bytes.
    fn filled(places: &[(u64, usize)], step: usize) -> (Vec<u8>, Vec<(u64, u64)>) {
        let object = |from: u64, to: u64| (from..to).map(|at| at as u8 ^ (at >> 8) as u8);
        let mut to = vec![0; places.iter().map(|(_, len)| len).sum()];
        let (mut pieces, mut rest) = (Vec::new(), to.as_mut_slice());
        for (place, len) in places {
            let (piece, more) = rest.split_at_mut(*len);
            pieces.push((*place, piece));
            rest = more;
        }
        let mut ranges = Vec::new();
        for window in windows(pieces) {
            ranges.push((window.start, window.end));
            let bytes: Vec<u8> = object(window.start, window.end).collect();
            let mut filling = Filling::new(window);
            bytes.chunks(step).for_each(|bytes| filling.take(bytes).expect("as asked"));
            filling.end().expect("all of them");
        }
        let right: Vec<u8> =
            places.iter().flat_map(|(at, len)| object(*at, at + *len as u64)).collect();
        assert!(to == right, "{places:?} {step}");
        (to, ranges)
    }

    #[test]
    fn pieces_are_filled_whatever_the_answers_are_cut_into() {
        let mut random = fastrand::Rng::with_seed(7);
        for _ in 0..200 {
            let mut place = random.u64(..1000);
            let places: Vec<(u64, usize)> = (0..random.usize(1..30))
                .map(|_| {
                    let len = random.usize(1..400);
                    let own = (place, len);
                    let gap = if random.u8(..8) == 0 { NEAR_BYTES + 9 } else { random.u64(..300) };
                    place += len as u64 + gap;
                    own
                })
                .collect();
            let (_, ranges) = filled(&places, random.usize(1..700));
            let far =
                places.windows(2).filter(|two| two[1].0 - two[0].0 - two[0].1 as u64 > NEAR_BYTES);
            assert!(ranges.len() <= far.count() + 1 + places.len() / 8, "{places:?} {ranges:?}");
        }
    }

    #[test]
    fn long_pieces_are_cut_and_short_answers_noticed() {
        let long = (5, WINDOW_BYTES as usize + 7);
        let (_, ranges) = filled(&[long], 1 << 16);
        assert_eq!(ranges, [(5, 5 + WINDOW_BYTES), (5 + WINDOW_BYTES, 12 + WINDOW_BYTES)]);
        let mut to = [0; 4];
        let mut filling = Filling::new(windows(vec![(3, &mut to)]).remove(0));
        filling.take(&[1, 2, 3]).expect("as asked");
        assert!(filling.end().expect_err("too short").contains("ends before byte 6"));
        let mut filling = Filling::new(windows(vec![(3, &mut to)]).remove(0));
        assert!(filling.take(&[1; 5]).expect_err("too long").contains("more than was asked for"));
    }
}
