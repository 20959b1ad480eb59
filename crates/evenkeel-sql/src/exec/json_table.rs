//! JSON_TABLE: rows of the items that paths find.
//!
//! The items of a pattern are found at once, as a path finds them, and kept as they are encoded; rows are made of them one by one. Patterns side by side are gone through
//! one after the other, and what is nested in an item when that item's turn comes.
//!
//! Must not know: where its rows go.

use super::Cx;
use super::eval::eval;
use super::json_query::found_in;
use crate::plan::json_table::{ColumnKind, JsonTable, RowPattern};
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::Pace;
use evenkeel_types::guard::build::make_room;
use evenkeel_types::json::{Jsonb, encode};
use evenkeel_types::jsonpath::{Answer, Variables, query};
use evenkeel_types::{Datum, Type};
use std::sync::Arc;

/// What an item takes beside its bytes.
const ITEM_BYTES: usize = 32;

/// Values of the table's variables: names, values, types.
type Passed = Vec<(String, Datum, Type)>;

/// A table whose rows are being made.
pub struct TableRows {
    table: Arc<JsonTable>,
    passed: Passed,
    root: Level,
    held_bytes: usize,
}

/// Where a pattern is.
struct Level {
    items: std::vec::IntoIter<Arc<[u8]>>,
    /// What they take.
    bytes: usize,
    /// The item whose row it is; None: the row is another pattern's, or there is none.
    current: Option<Arc<[u8]>>,
    number: i32,
    nested: Vec<Level>,
    /// Which of the nested ones has its turn.
    turn: usize,
}

/// What the patterns of one table have in common.
struct Search<'t> {
    passed: &'t Passed,
    raises: bool,
    /// What the items of all take, which is no more than the statement may.
    held_bytes: &'t mut usize,
}

impl Search<'_> {
    fn hold(&mut self, bytes: usize, cx: &mut Cx<'_>) -> Result<(), SqlError> {
        *self.held_bytes += bytes;
        if *self.held_bytes > cx.run.memory.left_bytes() {
            return cx.run.memory.grow(*self.held_bytes);
        }
        Ok(())
    }
}

impl Level {
    fn new(pattern: &RowPattern) -> Level {
        Level {
            items: Vec::new().into_iter(),
            bytes: 0,
            current: None,
            number: 0,
            nested: pattern.nested.iter().map(Level::new).collect(),
            turn: 0,
        }
    }

    /// Begins anew, with what is found in an item.
    fn begin(
        &mut self,
        pattern: &RowPattern,
        item: &[u8],
        s: &mut Search<'_>,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        let variables = Variables::Named(s.passed);
        let (answer, found) = query(&pattern.path, Jsonb(item), variables, s.raises, true, cx.eval.format)?;
        *s.held_bytes = s.held_bytes.saturating_sub(self.bytes);
        (self.items, self.bytes) = (Vec::new().into_iter(), 0);
        let (mut items, mut pace) = (Vec::new(), Pace::default());
        if answer != Answer::Failed {
            for item in &found {
                pace.step()?;
                let item = encode(item.value())?;
                let bytes = item.len() + ITEM_BYTES;
                pace.bytes(bytes)?;
                self.bytes += bytes;
                s.hold(bytes, cx)?;
                make_room(&mut items, 1)?;
                items.push(item);
            }
        }
        self.items = items.into_iter();
        (self.current, self.number) = (None, 0);
        Ok(())
    }

    /// Goes on to the next row; false: there is none, and its columns are NULL.
    fn advance(
        &mut self,
        pattern: &RowPattern,
        s: &mut Search<'_>,
        cx: &mut Cx<'_>,
    ) -> Result<bool, SqlError> {
        if self.current.is_some() && self.advance_nested(pattern, s, cx)? {
            return Ok(true);
        }
        self.current = self.items.next();
        let Some(item) = self.current.clone() else { return Ok(false) };
        self.number = self.number.saturating_add(1);
        for (level, nested) in self.nested.iter_mut().zip(&pattern.nested) {
            level.begin(nested, &item, s, cx)?;
        }
        self.turn = 0;
        self.advance_nested(pattern, s, cx)?;
        Ok(true)
    }

    fn advance_nested(
        &mut self,
        pattern: &RowPattern,
        s: &mut Search<'_>,
        cx: &mut Cx<'_>,
    ) -> Result<bool, SqlError> {
        while let (Some(level), Some(nested)) =
            (self.nested.get_mut(self.turn), pattern.nested.get(self.turn))
        {
            if level.advance(nested, s, cx)? {
                return Ok(true);
            }
            self.turn += 1;
        }
        Ok(false)
    }

    /// The values of the row.
    fn values(
        &self,
        pattern: &RowPattern,
        passed: &Passed,
        cx: &mut Cx<'_>,
        out: &mut Vec<Datum>,
    ) -> Result<(), SqlError> {
        for column in &pattern.columns {
            out.push(match (&self.current, &column.kind) {
                (None, _) => Datum::Null,
                (Some(_), ColumnKind::Ordinality) => Datum::Int4(self.number),
                (Some(item), ColumnKind::Query(q)) => found_in(q, Jsonb(item), passed, cx)?,
            });
        }
        // Where there is no item, what is nested has none either.
        for (level, nested) in self.nested.iter().zip(&pattern.nested) {
            level.values(nested, passed, cx, out)?;
        }
        Ok(())
    }
}

/// Evaluates what it looks into.
pub fn open(table: &Arc<JsonTable>, row: &[Datum], cx: &mut Cx<'_>) -> Result<Option<TableRows>, SqlError> {
    let Datum::Jsonb(context) = eval(&table.context, row, cx)? else { return Ok(None) };
    let mut passed = Vec::with_capacity(table.passing.len());
    for (name, ty, e) in &table.passing {
        passed.push((name.clone(), eval(e, row, cx)?, *ty));
    }
    let mut root = Level::new(&table.root);
    let mut held_bytes = 0;
    let mut search = Search { passed: &passed, raises: table.raises, held_bytes: &mut held_bytes };
    root.begin(&table.root, &context, &mut search, cx)?;
    Ok(Some(TableRows { table: table.clone(), passed, root, held_bytes }))
}

/// The next row.
pub fn next(rows: &mut TableRows, cx: &mut Cx<'_>) -> Result<Option<Vec<Datum>>, SqlError> {
    let TableRows { table, passed, root, held_bytes } = rows;
    let mut search = Search { passed, raises: table.raises, held_bytes };
    if !root.advance(&table.root, &mut search, cx)? {
        return Ok(None);
    }
    let mut values = Vec::with_capacity(table.root.width());
    root.values(&table.root, passed, cx, &mut values)?;
    Ok(Some(values))
}
