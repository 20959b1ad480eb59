//! Indexes, as the catalog knows them.
//!
//! Must not know: how entries are written, how they are stored.

use super::{Catalog, ColumnDef, OpClass, Table, Timing};
use evenkeel::TreeId;
use evenkeel_types::collation::{C_OID, DEFAULT_OID};
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::inverted::Inverted;
use evenkeel_types::{Collation, Type};
use std::borrow::Cow;

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
    /// In which collation its values are ordered; its OID is 0 if that is the column's own.
    pub collation: Collation,
    /// Its keys were made by other rules of the collation than there are now.
    pub outdated: bool,
}

impl IndexColumn {
    /// OID of what COLLATE names, if that is not the column's own.
    pub fn collation(&self) -> Option<u32> {
        (self.collation.oid != 0).then_some(self.collation.oid)
    }
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
    /// OID of its own collation; of what is no text any.
    pub collation: u32,
    /// ALTER INDEX … SET STATISTICS: kept to be shown.
    pub statistics: Option<u16>,
}

impl IndexExpression {
    /// One whose collation is the database's.
    pub fn new(text: String, ty: Type, name: String) -> IndexExpression {
        IndexExpression { text, ty, name, collation: DEFAULT_OID, statistics: None }
    }
}

/// What an index says it is. All are B-trees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexMethod {
    /// `btree`
    #[default]
    Btree,
    /// `hash`: used for equality alone.
    Hash,
    /// `gin`: entries of what is in a value.
    Gin,
    /// `gist`: of trigrams alone, which lie as those of a `gin` index do.
    Gist,
    /// `brin`: a B-tree that gives no order.
    Brin,
}

impl IndexMethod {
    /// Entries are of what is in a value.
    pub fn is_inverted(self) -> bool {
        matches!(self, IndexMethod::Gin | IndexMethod::Gist)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            IndexMethod::Btree => "btree",
            IndexMethod::Hash => "hash",
            IndexMethod::Gin => "gin",
            IndexMethod::Gist => "gist",
            IndexMethod::Brin => "brin",
        }
    }

    /// Its OID.
    pub fn oid(self) -> u32 {
        match self {
            IndexMethod::Btree => 403,
            IndexMethod::Hash => 405,
            IndexMethod::Gin => 2742,
            IndexMethod::Gist => 783,
            IndexMethod::Brin => 3580,
        }
    }
}

/// How far an index is that comes or goes while its table is written (CREATE, REINDEX and DROP INDEX CONCURRENTLY).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndexState {
    /// It has an entry of every row. All others are shown as `indisvalid = false`.
    #[default]
    Valid,
    /// Rows are written with their entries; those that were there before may lack theirs, so nobody reads it.
    Partial,
    /// Entries go with their rows, and none come: between `Partial` and writers who do not know the index.
    Deletes,
    /// Nobody reads or writes it: it is being filled, could not be, or is about to be dropped.
    Unused,
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
    /// It is of EXCLUDE with nothing but `=`: as unique, and called otherwise. Nothing refers to it, and ON CONFLICT does not infer it.
    pub exclusion: bool,
    /// OID of the constraint that it belongs to, if any.
    pub constraint: Option<u32>,
    /// What few indexes have.
    pub extra: IndexExtra,
    /// Whether it is read, and written.
    pub state: IndexState,
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
    /// Columns of the table that its expressions and its predicate read, in the order of the table.
    pub reads: Vec<usize>,
}

impl Index {
    /// What its columns are called, those of INCLUDE too: one that is called as another before it has a number behind its name.
    pub fn column_names(&self, columns: &[ColumnDef]) -> Vec<String> {
        let numbers = self.columns.iter().map(|c| c.column).chain(self.extra.include.iter().copied());
        let mut names: Vec<String> = Vec::new();
        for (n, column) in numbers.enumerate() {
            let own = match (columns.get(column), self.expression(n)) {
                (Some(c), _) => &*c.name,
                (None, e) => e.map_or("", |e| &e.name),
            };
            let numbered = (1..).map(|k| format!("{own}{k}"));
            let name = std::iter::once(own.to_owned()).chain(numbered).find(|name| !names.contains(name));
            names.push(name.unwrap_or_default());
        }
        names
    }

    /// Entries of new rows are written.
    pub fn takes_entries(&self) -> bool {
        matches!(self.state, IndexState::Valid | IndexState::Partial)
    }

    /// It may be read, and its uniqueness relied on.
    pub fn is_valid(&self) -> bool {
        self.state == IndexState::Valid
    }

    /// It is not valid, has the same keys as one that is, and is written with it, as by REINDEX CONCURRENTLY: what is a duplicate here is one there.
    pub fn stands_beside(&self, valid: &Index) -> bool {
        self.state == IndexState::Partial
            && valid.is_valid()
            && self.unique
            && valid.unique
            && self.columns == valid.columns
            && self.nulls_not_distinct == valid.nulls_not_distinct
            && self.exclusion == valid.exclusion
            && self.extra.expressions == valid.extra.expressions
            && self.extra.predicate == valid.extra.predicate
    }

    /// UNIQUE, whenever that is checked.
    pub fn has_unique_rows(&self) -> bool {
        self.unique || self.timing.deferrable
    }

    /// UNIQUE by its definition: what EXCLUDE makes is not.
    pub fn is_declared_unique(&self) -> bool {
        self.has_unique_rows() && !self.exclusion
    }

    /// Every row has an entry, whose key is columns of the row.
    pub fn is_plain(&self) -> bool {
        !self.extra.method.is_inverted()
            && self.extra.expressions.is_empty()
            && self.extra.predicate.is_none()
    }

    /// Fails if its keys cannot be relied on.
    ///
    /// # Errors
    /// XX002, with what to do.
    pub fn check_collations(&self) -> Result<(), SqlError> {
        if !self.columns.iter().any(|c| c.outdated) {
            return Ok(());
        }
        let version = evenkeel_types::collation::VERSION;
        let why =
            format!("index \"{}\" has an order of texts by other rules than version {version}", self.name);
        Err(SqlError::new(SqlState::INDEX_CORRUPTED, why)
            .with_detail("The rules of languages change with versions of the server; an index keeps the order it was made in.")
            .with_hint(format!("Run REINDEX INDEX {}.", evenkeel_types::quote_ident(&self.name))))
    }

    /// Its columns are a key's, on which rows of others may rest: who changes one takes the strongest row lock. What EXCLUDE makes is none.
    pub fn is_key(&self) -> bool {
        self.unique && !self.exclusion && self.is_plain()
    }

    /// A foreign key may refer to its columns.
    pub fn is_referable(&self) -> bool {
        self.is_declared_unique() && self.is_plain() && self.is_valid()
    }

    /// The table's columns among its key's.
    pub fn key_columns(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.columns.iter().map(|c| c.column).filter(|c| *c != EXPRESSION)
    }

    /// The table's columns that its entries are made of, some perhaps twice.
    pub fn read_columns(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.key_columns().chain(self.extra.include.iter().copied()).chain(self.extra.reads.iter().copied())
    }

    /// Whether an entry may be another when one of these columns has changed.
    pub fn reads_any(&self, changed: impl Fn(usize) -> bool) -> bool {
        self.read_columns().any(changed)
    }

    /// Which of its expressions a column of its key is.
    pub fn expression_at(&self, n: usize) -> Option<usize> {
        let is_one = |c: &IndexColumn| c.column == EXPRESSION;
        is_one(self.columns.get(n)?).then(|| self.columns[..n].iter().filter(|c| is_one(c)).count())
    }

    /// The expression that a column of its key is.
    pub fn expression(&self, n: usize) -> Option<&IndexExpression> {
        self.extra.expressions.get(self.expression_at(n)?)
    }

    /// How values of a column of an inverted index are taken apart.
    pub fn inverted(&self, types: &[Type], n: usize) -> Option<Inverted> {
        match self.columns.get(n)?.class {
            OpClass::JsonbPath => Some(Inverted::JsonbPath),
            OpClass::GinTrigrams | OpClass::GistTrigrams => Some(Inverted::Trigram),
            _ => {
                let ty = self.key_type(types, n);
                Inverted::of(ty).or_else(|| Inverted::whole(ty))
            }
        }
    }

    /// OID of the collation that what a column of its key is has by itself.
    pub fn own_collation(&self, table: &Table, n: usize) -> u32 {
        let of_type = |ty| if ty == Type::Name { C_OID } else { DEFAULT_OID };
        match (self.expression(n), table.columns.get(self.columns[n].column)) {
            (Some(e), _) => e.collation,
            (None, Some(c)) if c.settings.collation != 0 => c.settings.collation,
            (None, c) => c.map_or(DEFAULT_OID, |c| of_type(c.ty)),
        }
    }

    /// OID of the collation that a column of its key is in, be it of a type that has one.
    pub fn collation_oid(&self, table: &Table, n: usize) -> u32 {
        self.columns[n].collation().unwrap_or_else(|| self.own_collation(table, n))
    }

    /// The type of a column of its key.
    pub fn key_type(&self, types: &[Type], n: usize) -> Type {
        self.expression(n).map_or_else(|| types[self.columns[n].column], |e| e.ty)
    }

    /// With its expressions and its predicate as they are shown: types and values of enums have their names.
    pub fn shown(&self, catalog: &Catalog, path: &[u32]) -> Cow<'_, Index> {
        if self.extra.expressions.is_empty() && self.extra.predicate.is_none() {
            return Cow::Borrowed(self);
        }
        let mut index = self.clone();
        let texts = index.extra.expressions.iter_mut().map(|e| &mut e.text).chain(&mut index.extra.predicate);
        texts.for_each(|text| *text = catalog.shown_types(text, path));
        Cow::Owned(index)
    }

    /// What a column of its key is, as SQL: a column's name, or an expression, in parentheses unless it is a call.
    pub fn key_text(&self, table: &Table, n: usize) -> String {
        match self.expression(n) {
            None => evenkeel_types::quote_ident(&table.columns[self.columns[n].column].name),
            Some(e) if is_call(&e.text) => e.text.clone(),
            Some(e) => format!("({})", e.text),
        }
    }
}

/// Whether an expression is one call of a function: `f(…)`, the parenthesis closed at the very end.
fn is_call(text: &str) -> bool {
    if is_spelled(text) {
        return true;
    }
    // A name may be quoted: `"left"(x, 3)`.
    let quoted = text.strip_prefix('"').and_then(|t| t.split_once("\"(")).map(|(name, _)| name.len() + 2);
    if let Some(open) = quoted {
        return closes_at_end(text, open);
    }
    let Some(open) = text.find('(') else { return false };
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
    // What looks like a call and is not a function to PostgreSQL's grammar of indexes needs no parentheses either.
    if open == 0 || !text[..open].chars().all(is_name) || text.starts_with(|c: char| c.is_ascii_digit()) {
        return false;
    }
    closes_at_end(text, open)
}

/// Whether what opens at a place closes at the very end.
fn closes_at_end(text: &str, open: usize) -> bool {
    at_depths(text, open)
        .find(|(_, c, depth)| *depth == 0 && *c == ')')
        .is_some_and(|(at, ..)| at + 1 == text.len())
}

/// Whether it is a call in the grammar's spelling that has parentheses of its own: `(d AT TIME ZONE z)`.
fn is_spelled(text: &str) -> bool {
    const SPELLINGS: [&str; 3] = [" AT TIME ZONE ", " AT LOCAL)", " NORMALIZED)"];
    let has_one = || {
        at_depths(text, 0).any(|(at, c, depth)| {
            c == ' ' && depth == 1 && SPELLINGS.iter().any(|s| text[at..].starts_with(s))
        })
    };
    text.starts_with('(') && closes_at_end(text, 0) && has_one()
}

/// The characters from a place on that stand outside quotes, and in how many parentheses; those that close one are outside.
fn at_depths(text: &str, from: usize) -> impl Iterator<Item = (usize, char, usize)> + '_ {
    let (mut depth, mut quote) = (0usize, None);
    text.char_indices().skip_while(move |(at, _)| *at < from).filter_map(move |(at, c)| {
        match (quote, c) {
            (Some(q), c) if q == c => quote = None,
            (Some(_), _) => return None,
            (None, '\'' | '"') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            _ => {}
        }
        Some((at, c, depth))
    })
}
