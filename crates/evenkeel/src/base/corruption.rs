//! What is wrong with bytes on disk: the words for people, and apart from them what helps and whose bytes they are.
//!
//! Invariants
//! 1. Nobody decides by the words: who adds advice, or points at a table, asks the parts.
//!
//! Must not know: who is told.

use super::ids::{FileId, PageId};
use std::fmt;

/// What is damaged, where that is known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Place {
    /// A data file: it is gone, cut short, or another one than belongs there.
    File(FileId),
    /// Something in a data file.
    In(FileId),
}

/// What is wrong with bytes on disk.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Corruption {
    /// What is wrong.
    pub what: String,
    /// What can be done about it, in sentences without the last full stop.
    pub advice: Option<String>,
    /// Where.
    pub place: Option<Place>,
}

impl Corruption {
    /// With the words alone.
    pub fn new(what: impl Into<String>) -> Corruption {
        Corruption { what: what.into(), advice: None, place: None }
    }

    /// Of a page.
    pub fn of_page(id: PageId, what: impl fmt::Display) -> Corruption {
        Corruption { place: Some(Place::In(id.file)), ..Corruption::new(format!("{id}: {what}")) }
    }

    /// Of several pages of a file.
    pub fn in_file(file: FileId, what: impl fmt::Display) -> Corruption {
        Corruption { place: Some(Place::In(file)), ..Corruption::new(format!("file {}: {what}", file.0)) }
    }

    /// Of a data file as a whole. `what` names it.
    pub fn of_file(file: FileId, what: impl Into<String>) -> Corruption {
        Corruption { place: Some(Place::File(file)), ..Corruption::new(what) }
    }

    /// Found there.
    #[must_use]
    pub fn at(mut self, place: Place) -> Corruption {
        self.place = Some(place);
        self
    }

    /// With advice, instead of any it had.
    #[must_use]
    pub fn with_advice(mut self, advice: impl Into<String>) -> Corruption {
        self.advice = Some(advice.into());
        self
    }

    /// With advice, unless it has some that fits better.
    #[must_use]
    pub fn or_advice(mut self, advice: &str) -> Corruption {
        self.advice.get_or_insert_with(|| advice.into());
        self
    }

    /// As whoever met it tells it: `context` comes first.
    #[must_use]
    pub fn within(mut self, context: impl fmt::Display) -> Corruption {
        self.what = format!("{context}: {}", self.what);
        self
    }
}

impl fmt::Display for Corruption {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        self.advice.iter().try_for_each(|advice| write!(f, ". {advice}"))
    }
}

impl From<String> for Corruption {
    fn from(what: String) -> Corruption {
        Corruption::new(what)
    }
}

impl From<&str> for Corruption {
    fn from(what: &str) -> Corruption {
        Corruption::new(what)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_stays_what_it_was_first_and_comes_last() {
        let page = PageId::new(FileId(18), 2);
        let c = Corruption::of_page(page, "checksum does not match")
            .within("redo")
            .or_advice("Do this")
            .or_advice("Do that");
        assert_eq!(c.to_string(), "redo: file 18 block 2: checksum does not match. Do this");
        assert_eq!(c.place, Some(Place::In(FileId(18))));
        // Words that look like advice are none.
        let c = Corruption::new("the evenkeel restore was cut short").or_advice("Do this");
        assert_eq!(c.to_string(), "the evenkeel restore was cut short. Do this");
    }
}
