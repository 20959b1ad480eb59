//! Views and what they are made of: queries kept as text.
//!
//! In the text of a stored query every relation that it reads stands as `"@"."n"`: the nth of its `reads`. So neither a new name, nor another schema, nor a search path changes
//! what it means, and columns have the names that they had when the query was written: those that came later are not there for it, so `*` is what it was.
//!
//! Invariants:
//! 1. What a stored query reads or relies on, relations, columns and keys, exists as long as it does: whoever drops it drops the query too, or fails.
//!
//! Must not know: how texts are parsed or bound.

use evenkeel_types::Type;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The schema by which stored texts name what they read.
pub const READ_MARK: &str = "@";

/// A relation that a stored query reads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Read {
    /// The relation.
    pub oid: u32,
    /// Its name at that time, by which the text may call its columns.
    pub name: String,
    /// Its columns at that time: position, counted from 0, and name.
    pub columns: Vec<(usize, String)>,
    /// Positions of columns that the text uses.
    pub used: BTreeSet<usize>,
}

/// A query that is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredQuery {
    /// How it is spelled.
    pub text: String,
    /// What it reads.
    pub reads: Vec<Read>,
    /// The primary keys, as constraints, without which it would mean nothing: GROUP BY names them, and other columns depend on them.
    pub keys: BTreeSet<u32>,
}

impl StoredQuery {
    /// Whether it reads a relation.
    pub fn reads_relation(&self, oid: u32) -> bool {
        self.reads.iter().any(|r| r.oid == oid)
    }

    /// Whether it uses a column, by its position.
    pub fn uses_column(&self, oid: u32, column: usize) -> bool {
        self.reads.iter().any(|r| r.oid == oid && r.used.contains(&column))
    }
}

/// A column of a view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewColumn {
    /// OID of its collation; 0: the database's, or its type has none.
    pub collation: u32,
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// Its type modifier, -1 for none.
    pub typmod: i32,
    /// ALTER COLUMN SET DEFAULT, as SQL text: for INSERT into the view.
    pub default: Option<String>,
    /// The domain that it is of.
    pub domain: Option<u32>,
}

/// WITH CHECK OPTION.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckOption {
    /// Only this view's own condition.
    Local,
    /// Those of views below too.
    Cascaded,
}

/// A view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct View {
    /// Its OID.
    pub oid: u32,
    /// Its schema.
    pub schema: u32,
    /// Its name.
    pub name: String,
    /// Its columns.
    pub columns: Vec<ViewColumn>,
    /// Its query.
    pub query: Arc<StoredQuery>,
    /// `WITH (…)`: `security_barrier=true` and the like, the check option too.
    pub options: Vec<String>,
}

impl View {
    /// The value of an option.
    pub fn option(&self, name: &str) -> Option<&str> {
        self.options.iter().find_map(|o| o.strip_prefix(name)?.strip_prefix('='))
    }

    /// Its check option.
    pub fn check_option(&self) -> Option<CheckOption> {
        match self.option("check_option") {
            Some("local") => Some(CheckOption::Local),
            Some("cascaded") => Some(CheckOption::Cascaded),
            _ => None,
        }
    }

    /// What it reads is read by whoever uses it, not by its owner.
    pub fn is_invoker(&self) -> bool {
        self.is_on("security_invoker")
    }

    /// Conditions that might tell of rows are asked of those alone that it shows.
    pub fn is_barrier(&self) -> bool {
        self.is_on("security_barrier")
    }

    fn is_on(&self, option: &str) -> bool {
        matches!(self.option(option), Some("true" | "on" | "yes" | "1"))
    }

    /// Position of a column.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.columns.iter().position(|c| c.name == name)
    }
}

/// What makes a table a materialized view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Materialized {
    /// Its query.
    pub query: Arc<StoredQuery>,
    /// Its rows may be read.
    pub is_populated: bool,
}
