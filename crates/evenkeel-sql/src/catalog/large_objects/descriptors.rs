//! What `lo_open` gives: a number by which the transaction reads and writes an object, and where in it.
//!
//! Invariants:
//! 1. A descriptor ends with its transaction, or when that goes back behind where it was opened. Where it stands is not gone back to.
//!
//! Must not know: what is read and written.

use evenkeel::Sight;
use evenkeel_types::error::{SqlError, SqlState};

/// Descriptors that a transaction may have.
const MOST: usize = 1 << 16;

/// An object that was opened.
pub struct Descriptor {
    /// Its number.
    pub oid: u32,
    /// What it is read by; `None`: it is written, too, and read as it is now.
    pub sight: Option<Sight>,
    /// Where it stands.
    pub at: u64,
    serial: u64,
}

impl Descriptor {
    /// At the object's beginning.
    pub fn new(oid: u32, sight: Option<Sight>) -> Descriptor {
        Descriptor { oid, sight, at: 0, serial: 0 }
    }

    /// Whether it was opened for writing.
    pub fn writes(&self) -> bool {
        self.sight.is_none()
    }
}

/// Those of a transaction.
#[derive(Default)]
pub struct Descriptors {
    all: Vec<Option<Descriptor>>,
    /// No number below this one is free.
    first_free: usize,
    opened: u64,
}

impl Descriptors {
    /// Gives one the lowest number that is free.
    pub fn open(&mut self, mut new: Descriptor) -> Result<i32, SqlError> {
        let all = &mut self.all;
        let from = self.first_free.min(all.len());
        let at = all[from..].iter().position(Option::is_none).map_or(all.len(), |n| from + n);
        if at == MOST {
            return Err(SqlError::new(
                SqlState::PROGRAM_LIMIT_EXCEEDED,
                format!("a transaction may have at most {MOST} large objects open"),
            ));
        }
        new.serial = self.opened;
        self.opened += 1;
        if at == all.len() {
            all.push(None);
        }
        all[at] = Some(new);
        self.first_free = at + 1;
        Ok(at as i32)
    }

    /// One by its number.
    pub fn get(&mut self, number: i32) -> Result<&mut Descriptor, SqlError> {
        let found = usize::try_from(number).ok().and_then(|n| self.all.get_mut(n)).and_then(Option::as_mut);
        found.ok_or_else(|| invalid(number))
    }

    /// Closes one.
    pub fn close(&mut self, number: i32) -> Result<(), SqlError> {
        self.get(number)?;
        self.all[number as usize] = None;
        self.first_free = self.first_free.min(number as usize);
        Ok(())
    }

    /// Closes those of an object.
    pub fn close_object(&mut self, oid: u32) {
        self.close_where(|d| d.oid == oid);
    }

    /// A place to go back to (invariant 1).
    pub fn mark(&self) -> u64 {
        self.opened
    }

    /// Closes those that were opened since then.
    pub fn go_back(&mut self, mark: u64) {
        self.close_where(|d| d.serial >= mark);
    }

    /// Closes all: the transaction has ended.
    pub fn end(&mut self) {
        if self.opened > 0 {
            *self = Descriptors::default();
        }
    }

    fn close_where(&mut self, ends: impl Fn(&Descriptor) -> bool) {
        for (n, d) in self.all.iter_mut().enumerate() {
            if d.as_ref().is_some_and(&ends) {
                *d = None;
                self.first_free = self.first_free.min(n);
            }
        }
    }
}

fn invalid(number: i32) -> SqlError {
    SqlError::new(SqlState::UNDEFINED_OBJECT, format!("invalid large-object descriptor: {number}"))
}
