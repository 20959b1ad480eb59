//! Functions that return rows, as tables. What they return is made at one go, as its arguments are values that are there as a whole.

mod catalog;
mod hstore;
mod json;
mod keywords;
mod session;
mod text;
mod xact;
pub mod zones;

use super::datum::Datum;
use super::error::SqlError;
use super::function::EvalCtx;
use super::guard::Pace;
use super::guard::build::make_room;
use super::guard::discard::Large;
use super::ty::Type;

/// The body of a function that returns rows.
pub type SetCall = fn(&[Datum], &EvalCtx<'_>, &mut Rows) -> Result<(), SqlError>;

/// A function that returns rows.
#[derive(Clone, Copy)]
pub struct SetFn {
    /// The SQL name.
    pub name: &'static str,
    /// Argument types.
    pub args: &'static [Type],
    /// Names and types of the columns of its rows.
    pub columns: &'static [(&'static str, Type)],
    /// A NULL in any argument gives no rows without a call.
    pub strict: bool,
    /// The body.
    pub call: SetCall,
}

/// A strict one.
const fn set(
    name: &'static str,
    args: &'static [Type],
    columns: &'static [(&'static str, Type)],
    call: SetCall,
) -> SetFn {
    SetFn { name, args, columns, strict: true, call }
}

/// The same, but called for NULL arguments, too.
const fn lenient(mut f: SetFn) -> SetFn {
    f.strict = false;
    f
}

impl std::fmt::Debug for SetFn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}({:?}) -> setof {:?}", self.name, self.args, self.columns)
    }
}

/// Rows that are being returned, column by column.
pub struct Rows {
    columns: Vec<Large<Vec<Datum>>>,
    pace: Pace,
}

impl Rows {
    /// None yet.
    pub fn new(f: &SetFn) -> Rows {
        Rows { columns: f.columns.iter().map(|_| Large::default()).collect(), pace: Pace::default() }
    }

    /// The same, of so many columns.
    pub fn of_columns(count: usize) -> Rows {
        Rows { columns: (0..count).map(|_| Large::default()).collect(), pace: Pace::default() }
    }

    /// Adds one.
    pub fn push_all(&mut self, row: Vec<Datum>) -> Result<(), SqlError> {
        for (column, value) in self.columns.iter_mut().zip(row) {
            make_room(column, 1)?;
            column.push(value);
        }
        self.pace.step()
    }

    /// Adds one.
    pub fn push<const N: usize>(&mut self, row: [Datum; N]) -> Result<(), SqlError> {
        debug_assert_eq!(N, self.columns.len(), "a row has a value for each column");
        for (column, value) in self.columns.iter_mut().zip(row) {
            make_room(column, 1)?;
            column.push(value);
        }
        self.pace.step()
    }

    /// The columns.
    pub fn into_columns(self) -> Vec<Large<Vec<Datum>>> {
        self.columns
    }
}

pub(super) fn tables() -> Vec<&'static [SetFn]> {
    vec![
        json::TABLE,
        hstore::TABLE,
        text::TABLE,
        session::TABLE,
        catalog::TABLE,
        keywords::TABLE,
        xact::TABLE,
        zones::TABLE,
    ]
}
