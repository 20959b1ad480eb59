//! Constraints of a table that no index enforces, and when constraints are checked.
//!
//! Must not know: how constraints are checked, how they are stored.

/// When a constraint is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Timing {
    /// DEFERRABLE: SET CONSTRAINTS may put it off.
    pub deferrable: bool,
    /// INITIALLY DEFERRED: it is put off to the end of the transaction unless a statement says otherwise.
    pub initially_deferred: bool,
}

impl Timing {
    /// As PostgreSQL writes it behind a constraint's definition.
    pub fn suffix(self) -> &'static str {
        match (self.deferrable, self.initially_deferred) {
            (false, _) => "",
            (true, false) => " DEFERRABLE",
            (true, true) => " DEFERRABLE INITIALLY DEFERRED",
        }
    }
}

/// What is known of the rows that a constraint is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// Rows are checked when they are written; NOT ENFORCED: never.
    pub enforced: bool,
    /// All rows satisfy it; NOT VALID: rows from before it need not.
    pub validated: bool,
}

impl Standing {
    /// Of a constraint that says nothing of it.
    pub const FULL: Standing = Standing { enforced: true, validated: true };

    /// As PostgreSQL writes it behind a constraint's definition.
    pub fn suffix(self) -> &'static str {
        match (self.enforced, self.validated) {
            (false, _) => " NOT ENFORCED",
            (true, false) => " NOT VALID",
            (true, true) => "",
        }
    }
}

/// A CHECK constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// The condition, as SQL text.
    pub expr: String,
    /// The columns that it reads, in the order of the table; none is known of a check that an early version wrote.
    pub columns: Vec<usize>,
    /// What is known of the rows.
    pub standing: Standing,
    /// NO INHERIT: kept to be shown, since no table inherits.
    pub no_inherit: bool,
}

/// A NOT NULL constraint. The column says itself that it has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotNull {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// The column.
    pub column: usize,
    /// False: NOT VALID.
    pub validated: bool,
    /// NO INHERIT: kept to be shown, since no table inherits.
    pub no_inherit: bool,
}

/// What happens to referencing rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)] // SQL's names.
pub enum FkAction {
    NoAction,
    Restrict,
    Cascade,
    SetNull,
    SetDefault,
}

/// A FOREIGN KEY constraint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForeignKey {
    /// Its OID.
    pub oid: u32,
    /// Its name.
    pub name: String,
    /// Referencing columns.
    pub columns: Vec<usize>,
    /// Referenced table.
    pub parent: u32,
    /// Referenced columns, in the order of `columns`.
    pub parent_columns: Vec<usize>,
    /// The unique index of the parent that enforces it.
    pub parent_index: u32,
    /// ON DELETE.
    pub on_delete: FkAction,
    /// ON UPDATE.
    pub on_update: FkAction,
    /// MATCH FULL.
    pub match_full: bool,
    /// When it is checked.
    pub timing: Timing,
    /// What is known of the rows.
    pub standing: Standing,
    /// ON DELETE SET NULL (…) or SET DEFAULT (…): the columns that are set; none: all.
    pub delete_columns: Vec<usize>,
}

impl ForeignKey {
    /// The columns that an action sets.
    pub fn set_columns(&self, is_delete: bool) -> &[usize] {
        if is_delete && !self.delete_columns.is_empty() { &self.delete_columns } else { &self.columns }
    }
}
