//! Indexes, as the catalog knows them.
//!
//! Must not know: how entries are written, how they are stored.

use super::{OpClass, Timing};
use evenkeel::TreeId;
use evenkeel_types::Type;

/// Where a column of the table would stand, of an index column that is an expression.
pub const EXPRESSION: usize = u32::MAX as usize;

/// One column of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndexColumn {
    /// Position in the table, or `EXPRESSION`: the next of the index's expressions.
    pub column: usize,
    /// DESC.
    pub desc: bool,
    /// NULLS FIRST.
    pub nulls_first: bool,
    /// The operator class.
    pub class: OpClass,
}

/// An expression of an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexExpression {
    /// As SQL text.
    pub text: String,
    /// Its type.
    pub ty: Type,
    /// What the index's column is called.
    pub name: String,
}

/// What an index says it is. All are B-trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexMethod {
    /// `btree`
    #[default]
    Btree,
    /// `hash`: used for equality alone.
    Hash,
}

/// An index.
#[derive(Clone, Debug)]
pub struct Index {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// Its tree: keys as described at `exec/keys.rs`.
    pub tree: TreeId,
    /// Its columns.
    pub columns: Vec<IndexColumn>,
    /// No two rows have the same key at any moment. What is UNIQUE and DEFERRABLE is not (`has_unique_rows`).
    pub unique: bool,
    /// When its constraint is checked.
    pub timing: Timing,
    /// NULLS NOT DISTINCT.
    pub nulls_not_distinct: bool,
    /// PRIMARY KEY.
    pub primary: bool,
    /// OID of the constraint that it belongs to, if any.
    pub constraint: Option<u32>,
    /// What few indexes have.
    pub extra: IndexExtra,
    /// The catalog version that first had it: older snapshots must not read it. In memory only.
    pub since_version: u64,
}

/// What few indexes have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IndexExtra {
    /// USING.
    pub method: IndexMethod,
    /// INCLUDE: columns of the table.
    pub include: Vec<usize>,
    /// Its expressions, in the order of its columns.
    pub expressions: Vec<IndexExpression>,
    /// WHERE, as SQL text: only rows of which it is true have entries.
    pub predicate: Option<String>,
    /// WITH.
    pub options: Vec<String>,
}

impl Index {
    /// UNIQUE, whenever that is checked.
    pub fn has_unique_rows(&self) -> bool {
        self.unique || self.timing.deferrable
    }
}
