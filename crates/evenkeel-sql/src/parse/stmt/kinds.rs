//! Statements on domains and collations.
//!
//! Must not know: the catalog, sessions.

use super::Name;

/// CREATE COLLATION, ALTER COLLATION.
#[derive(Clone, Debug)]
pub struct CollationStmt {
    /// Which.
    pub name: Name,
    /// What is done.
    pub action: CollationAction,
}

/// What CREATE COLLATION and ALTER COLLATION do.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // SQL's words.
pub enum CollationAction {
    /// With options as they are written.
    Create { options: Vec<(String, Option<String>)>, if_not_exists: bool },
    /// FROM another.
    Copy { from: Name, if_not_exists: bool },
    /// RENAME TO.
    Rename(String),
    /// SET SCHEMA.
    SetSchema(String),
    /// REFRESH VERSION.
    Refresh,
}

/// CREATE DOMAIN, ALTER DOMAIN.
#[derive(Clone, Debug)]
pub struct DomainStmt {
    /// Which.
    pub name: Name,
    /// What is done.
    pub action: DomainAction,
}

/// What CREATE DOMAIN and ALTER DOMAIN do.
#[derive(Clone, Debug)]
#[allow(missing_docs)] // SQL's words.
pub enum DomainAction {
    /// AS a type.
    Create(NewDomain),
    /// SET DEFAULT, DROP DEFAULT.
    Default(Option<String>),
    /// SET NOT NULL, DROP NOT NULL.
    NotNull(bool),
    /// ADD CONSTRAINT.
    Add(DomainConstraint),
    /// DROP CONSTRAINT.
    Drop { constraint: String, if_exists: bool },
    /// RENAME CONSTRAINT a TO b.
    RenameConstraint(String, String),
    /// VALIDATE CONSTRAINT.
    Validate(String),
}

/// What CREATE DOMAIN says.
#[derive(Clone, Debug)]
pub struct NewDomain {
    /// What it is over.
    pub ty: sqlparser::ast::DataType,
    /// COLLATE.
    pub collation: Option<Name>,
    /// DEFAULT, as text.
    pub default: Option<String>,
    /// Its constraints.
    pub constraints: Vec<DomainConstraint>,
}

/// A constraint of a domain.
#[derive(Clone, Debug)]
pub struct DomainConstraint {
    /// CONSTRAINT.
    pub name: Option<String>,
    /// What it says.
    pub what: DomainRule,
    /// NOT VALID.
    pub not_valid: bool,
}

/// What a constraint of a domain says.
#[derive(Clone, Debug)]
pub enum DomainRule {
    /// NOT NULL
    NotNull,
    /// NULL: nothing.
    Null,
    /// CHECK, as text.
    Check(String),
}
