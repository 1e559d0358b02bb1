//! Object stores where this crate is built without them: no object is opened or written.

use super::address::Address;
use super::folder::Waiting;
use super::watch::Watch;
use std::io;
use std::ops::Range;
use std::path::Path;

/// Words on how stores are had.
const WITHOUT: &str =
    "this program was built without object stores; build it with `--features object-store`";

/// Tells how objects are had.
pub fn admit(_address: &Address, _is_written: bool) -> Result<(), String> {
    Err(WITHOUT.into())
}

/// An object. There is none.
#[derive(Debug)]
pub enum Object {}

impl Object {
    pub fn open(_name: &Path) -> Result<Option<Self>, String> {
        Err(WITHOUT.into())
    }

    pub fn len(&self) -> u64 {
        match *self {}
    }

    pub fn words(&self) -> String {
        match *self {}
    }

    pub fn read_exact_at(&self, _to: &mut [u8], _place: u64) -> io::Result<()> {
        match *self {}
    }
}

/// Pieces of an object. There are none.
pub struct Gathered<'a>(&'a Object);

impl<'a> Gathered<'a> {
    pub fn new(object: &'a Object, _to: &'a mut [u8]) -> Self {
        Self(object)
    }

    pub fn add(&mut self, _place: u64, _range: Range<usize>) -> io::Result<()> {
        match *self.0 {}
    }

    pub fn read(&mut self) -> io::Result<()> {
        match *self.0 {}
    }
}

/// Objects that are written. There are none.
#[derive(Debug, Default)]
pub struct Uploads {}

impl Uploads {
    pub fn begin(
        &mut self,
        _name: &Path,
        _of: (usize, u64),
        _left: Option<&str>,
    ) -> Result<String, String> {
        Err(WITHOUT.into())
    }

    pub fn begin_array(
        &mut self,
        _of: (&Path, &'static str),
        _number: usize,
        _left: Option<&str>,
    ) -> Result<String, String> {
        Err(WITHOUT.into())
    }

    pub fn send(
        &mut self,
        _waiting: &Waiting<'_>,
        _memory: usize,
        _watch: &dyn Watch,
    ) -> Result<(), String> {
        Ok(())
    }

    pub fn complete(&mut self) -> Result<(), String> {
        Ok(())
    }
}
