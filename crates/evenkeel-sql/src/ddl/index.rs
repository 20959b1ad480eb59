//! CREATE INDEX and ALTER INDEX.
//!
//! Must not know: how indexes are filled (`exec::build`).

use super::constraint::key_column_missing;
use super::{choose_name, generated, name_of};
use crate::bind::index::IndexPart;
use crate::bind::label::column_name;
use crate::bind::types::check_collation;
use crate::bind::{Binder, ident, split_name};
use crate::catalog::locks::TableLockMode;
use crate::catalog::security::acl::{CREATE, Class};
use crate::catalog::views::classes;
use crate::catalog::{
    Catalog, ColumnDef, EXPRESSION, Index, IndexColumn, IndexExpression, IndexExtra, IndexMethod, IndexState,
    OpClass, Relation, Table, Timing,
};
use crate::exec::build;
use crate::parse::{AlterIndexStmt, IndexAction};
use crate::plan::form::Forms;
use crate::progress::{self, Work};
use crate::session::Session;
use evenkeel::TreeId;
use evenkeel_types::collation::is_collatable;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::inverted::Inverted;
use evenkeel_types::{Collation, Type};
use sqlparser::ast;
use std::sync::Arc;

/// Most columns of an index.
const MAX_INDEX_COLUMNS: usize = 32;

fn operator_class(
    name: &ast::ObjectName,
    ty: Type,
    method: IndexMethod,
    catalog: &Catalog,
) -> Result<OpClass, SqlError> {
    let (schema, name) = split_name(name)?;
    if name == "gist_hstore_ops" && catalog.extension_named("hstore").is_some() {
        return Err(SqlError::unsupported("operator class gist_hstore_ops is not supported"));
    }
    let known = match method {
        IndexMethod::Gin | IndexMethod::Gist => OpClass::inverted(method, &name),
        IndexMethod::Brin => OpClass::minmax(&name),
        IndexMethod::Btree | IndexMethod::Hash => {
            let is_its = |other: &str| !name.starts_with(other) || other == method.name();
            OpClass::named(&name)
                .filter(|_| !name.ends_with("hstore_ops") || is_its("btree") && is_its("hash"))
        }
    };
    let own = IndexMethod::Gin == method && catalog.extension_named("btree_gin").is_some();
    let whole =
        || OpClass::named(&name).filter(|c| own && c.0 == OpClass::Own && Inverted::whole(ty).is_some());
    let known = known.or_else(whole).filter(|(class, _)| {
        let of = match ty {
            Type::Citext if method != IndexMethod::Gin => Some("citext"),
            Type::Hstore => Some("hstore"),
            _ => class.extension(),
        };
        let home = of.map(|e| catalog.extension_named(e).and_then(|e| catalog.schema(e.schema)));
        match (home, &schema) {
            (None, schema) => schema.as_ref().is_none_or(|s| s == "pg_catalog" || own),
            (Some(home), Some(schema)) => home.is_some_and(|h| h.name == *schema),
            (Some(home), None) => home.is_some(),
        }
    });
    let Some((class, takes)) = known else {
        return Err(SqlError::new(
            SqlState::UNDEFINED_OBJECT,
            format!("operator class \"{name}\" does not exist for access method \"{}\"", method.name()),
        ));
    };
    if !takes(ty) {
        let m = format!("operator class \"{name}\" does not accept data type {}", ty.sql_name());
        return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, m));
    }
    Ok(class)
}

/// Refuses a storage parameter that PostgreSQL's indexes of a method do not have.
fn check_index_parameter(method: IndexMethod, name: &str, value: Option<&str>) -> Result<(), SqlError> {
    let wrong = |what: String| SqlError::new(SqlState::INVALID_PARAMETER_VALUE, what);
    match (method, name, value) {
        (IndexMethod::Btree, "deduplicate_items", _)
        | (IndexMethod::Gin, "fastupdate" | "gin_pending_list_limit", _)
        | (IndexMethod::Gist, "buffering" | "fillfactor", _)
        | (IndexMethod::Brin, "pages_per_range" | "autosummarize", _)
        | (IndexMethod::Btree | IndexMethod::Hash, "fillfactor", None) => Ok(()),
        (IndexMethod::Btree | IndexMethod::Hash, "fillfactor", Some(value)) => match value.parse::<i64>() {
            Ok(10..=100) => Ok(()),
            Ok(n) => Err(wrong(format!("value {n} out of bounds for option \"fillfactor\""))
                .with_detail("Valid values are between \"10\" and \"100\".")),
            Err(_) => Err(wrong(format!("invalid value for integer option \"fillfactor\": {value}"))),
        },
        _ => Err(wrong(format!("unrecognized parameter \"{name}\""))),
    }
}

/// The method that USING names.
fn index_method(using: Option<&ast::IndexType>) -> Result<IndexMethod, SqlError> {
    match using {
        None | Some(ast::IndexType::BTree) => Ok(IndexMethod::Btree),
        Some(ast::IndexType::Hash) => Ok(IndexMethod::Hash),
        Some(ast::IndexType::GIN) => Ok(IndexMethod::Gin),
        Some(ast::IndexType::GiST) => Ok(IndexMethod::Gist),
        Some(ast::IndexType::BRIN) => Ok(IndexMethod::Brin),
        Some(ast::IndexType::Custom(name)) => {
            let name = ident(name);
            Err(SqlError::new(SqlState::UNDEFINED_OBJECT, format!("access method \"{name}\" does not exist")))
        }
        Some(other) => Err(SqlError::unsupported(format!(
            "access method \"{}\" is not supported; btree, hash, gin, gist and brin are",
            other.to_string().to_lowercase()
        ))),
    }
}

/// The expression of an index that a number or a name stands for: other columns have statistics by the table.
fn expression_named<'i>(
    columns: &[ColumnDef],
    index: &'i mut Index,
    column: &Result<i64, String>,
) -> Result<&'i mut IndexExpression, SqlError> {
    let names = index.column_names(columns);
    let at = match column {
        Ok(n) => usize::try_from(*n - 1).ok().filter(|n| *n < names.len()),
        Err(name) => names.iter().position(|n| n == name),
    };
    let Some(at) = at else {
        let why = match column {
            Ok(n) => format!("column number {n} of relation \"{}\" does not exist", index.name),
            Err(name) => format!("column \"{name}\" of relation \"{}\" does not exist", index.name),
        };
        return Err(SqlError::new(SqlState::UNDEFINED_COLUMN, why));
    };
    let (column, name) = (&names[at], index.name.clone());
    if at >= index.columns.len() {
        let why = format!("cannot alter statistics on included column \"{column}\" of index \"{name}\"");
        return Err(SqlError::unsupported(why));
    }
    let number = index.columns[..at].iter().filter(|c| c.column == EXPRESSION).count();
    let is_expression = index.columns[at].column == EXPRESSION;
    match index.extra.expressions.get_mut(number).filter(|_| is_expression) {
        Some(e) => Ok(e),
        None => {
            let what = "cannot alter statistics on non-expression column";
            let e = SqlError::unsupported(format!("{what} \"{column}\" of index \"{name}\""));
            Err(e.with_hint("Alter statistics on table column instead."))
        }
    }
}

/// Refuses what a method does not do.
pub(super) fn check_method(
    method: IndexMethod,
    unique: bool,
    (columns, include): (&[ast::IndexColumn], &[ast::Ident]),
) -> Result<(), SqlError> {
    if method == IndexMethod::Btree {
        return Ok(());
    }
    let has_sort = |c: &ast::IndexColumn| c.column.options.sort.is_some();
    let has_nulls = |c: &ast::IndexColumn| c.column.options.nulls_first.is_some();
    let lacks = if unique {
        "unique indexes"
    } else if !include.is_empty() && method == IndexMethod::Gist {
        return Err(SqlError::unsupported("included columns of GiST indexes are not supported"));
    } else if !include.is_empty() {
        "included columns"
    } else if columns.len() > 1 && method == IndexMethod::Hash {
        "multicolumn indexes"
    } else if columns.iter().any(has_sort) {
        "ASC/DESC options"
    } else if columns.iter().any(has_nulls) {
        "NULLS FIRST/LAST options"
    } else {
        return Ok(());
    };
    Err(SqlError::unsupported(format!("access method \"{}\" does not support {lacks}", method.name())))
}

/// The columns of a new index.
struct Keys {
    columns: Vec<IndexColumn>,
    expressions: Vec<IndexExpression>,
    /// What each is called in the index's name.
    names: Vec<String>,
    /// Columns of the table that the expressions read.
    reads: Vec<usize>,
}

/// An item of an index that is no column, if PostgreSQL's grammar has it there: a call, or anything in parentheses.
fn expression_item(e: &ast::Expr) -> Result<&ast::Expr, SqlError> {
    use ast::Expr as E;
    let is_call = matches!(
        e,
        E::Function(_)
            | E::Nested(_)
            | E::Cast { kind: ast::CastKind::Cast, .. }
            | E::Extract { .. }
            | E::Trim { .. }
            | E::Substring { .. }
            | E::Position { .. }
            | E::Overlay { .. }
            | E::Ceil { .. }
            | E::Floor { .. }
    );
    let near = match e {
        _ if is_call => return Ok(e),
        E::BinaryOp { op, .. } => op.to_string(),
        E::Subquery(_) => "select".to_owned(),
        E::Cast { .. } => "::".to_owned(),
        other => other.to_string(),
    };
    Err(SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error at or near \"{near}\"")))
}

/// An item without the parentheses around it.
fn bare(mut e: &ast::Expr) -> &ast::Expr {
    while let ast::Expr::Nested(inner) = e {
        e = inner;
    }
    e
}

/// `WITH (…)` as `pg_class.reloptions` shows it.
pub(super) fn index_options(method: IndexMethod, with: &[ast::Expr]) -> Result<Vec<String>, SqlError> {
    let mut out = Vec::new();
    for e in with {
        let (name, value) = match e {
            ast::Expr::Identifier(name) => (ident(name), "true".to_owned()),
            ast::Expr::BinaryOp { left, op: ast::BinaryOperator::Eq, right } => match &**left {
                ast::Expr::Identifier(name) => (ident(name), right.to_string().to_lowercase()),
                _ => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in index parameters")),
            },
            _ => return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error in index parameters")),
        };
        let value = value.trim_matches('\'');
        check_index_parameter(method, &name, Some(value))?;
        out.push(format!("{name}={value}"));
    }
    super::parameters::each_once(out.iter().filter_map(|o| o.split('=').next()))?;
    Ok(out)
}

/// Whether PostgreSQL has GiST indexes of a type without another extension.
fn has_gist_class(ty: Type) -> bool {
    matches!(ty, Type::Inet | Type::Cidr | Type::Hstore)
}

/// Refuses a type that a method has no operators for.
fn check_ordered(ty: Type, method: IndexMethod, catalog: &Catalog) -> Result<(), SqlError> {
    let has_class = match method {
        IndexMethod::Gin => {
            let whole = || catalog.extension_named("btree_gin").and_then(|_| Inverted::whole(ty));
            Inverted::of(ty).or_else(whole).is_some()
        }
        IndexMethod::Gist if has_gist_class(ty) => {
            let why = format!("GiST indexes of type {} are not supported; gist_trgm_ops is", ty.sql_name());
            return Err(SqlError::unsupported(why));
        }
        IndexMethod::Gist => false,
        IndexMethod::Brin => {
            ty.is_ordered()
                && !ty.is_array()
                && !matches!(
                    ty,
                    Type::Bool
                        | Type::Jsonb
                        | Type::Hstore
                        | Type::Citext
                        | Type::Money
                        | Type::Xid
                        | Type::Xid8
                        | Type::Enum(_)
                        | Type::Composite(_)
                )
        }
        IndexMethod::Hash => ty.is_ordered() && !matches!(ty, Type::Bit | Type::Varbit | Type::Money),
        _ => ty.is_ordered() && ty != Type::Xid,
    };
    if has_class {
        return Ok(());
    }
    let (ty, method) = (ty.sql_name(), method.name());
    let why = format!("data type {ty} has no default operator class for access method \"{method}\"");
    Err(SqlError::new(SqlState::UNDEFINED_OBJECT, why).with_hint(
        "You must specify an operator class for the index or define a default operator class for the data type.",
    ))
}

/// The error of an expression whose columns bring different collations.
fn no_collation() -> SqlError {
    let why = "could not determine which collation to use for index expression";
    SqlError::new(SqlState::INDETERMINATE_COLLATION, why)
        .with_hint("Use the COLLATE clause to set the collation explicitly.")
}

/// A column of an index, with what is said behind it.
fn index_column(
    column: usize,
    ty: Type,
    c: &ast::IndexColumn,
    method: IndexMethod,
    own: Collation,
    (catalog, path): (&Catalog, &[u32]),
) -> Result<IndexColumn, SqlError> {
    let desc = matches!(c.column.options.sort, Some(ast::OrderBySort::Desc));
    let nulls_first = c.column.options.nulls_first.unwrap_or(desc);
    let class = match &c.operator_class {
        Some(name) => operator_class(name, ty, method, catalog)?,
        None => {
            check_ordered(ty, method, catalog)?;
            OpClass::Own
        }
    };
    let own = if is_collatable(ty) { own } else { Collation::default() };
    let collation = match bare(&c.column.expr) {
        ast::Expr::Collate { collation, .. } => {
            let said = check_collation(catalog, path, collation)?;
            if classes::collation(ty) == 0 {
                let why = format!("collations are not supported by type {}", ty.sql_name());
                return Err(SqlError::new(SqlState::DATATYPE_MISMATCH, why));
            }
            // As if nothing were said, as in PostgreSQL: it goes with what the column is compared in.
            if said.oid == own.oid { own.named(0) } else { said }
        }
        _ => own.named(0),
    };
    if !collation.is_deterministic() {
        let what = match &c.operator_class {
            Some(name) if class.is_bytewise() => format!("operator class \"{}\"", split_name(name)?.1),
            _ if method.is_inverted() => format!("indexes of method {}", method.name()),
            _ => String::new(),
        };
        if !what.is_empty() {
            let why = format!("nondeterministic collations are not supported for {what}");
            return Err(SqlError::unsupported(why));
        }
    }
    let collation = if class.is_bytewise() { Collation::bytewise(collation.oid) } else { collation };
    Ok(IndexColumn { column, desc, nulls_first, class, collation, outdated: false })
}

impl Session {
    pub(super) fn index_columns(
        &self,
        table: &Table,
        columns: &[ast::IndexColumn],
        is_key: bool,
    ) -> Result<Vec<IndexColumn>, SqlError> {
        if columns.len() > MAX_INDEX_COLUMNS {
            return Err(SqlError::new(
                SqlState::TOO_MANY_COLUMNS,
                format!("cannot use more than {MAX_INDEX_COLUMNS} columns in an index"),
            ));
        }
        let mut out = Vec::new();
        for c in columns {
            let ast::Expr::Identifier(i) = &c.column.expr else {
                return Err(SqlError::new(
                    SqlState::SYNTAX_ERROR,
                    format!("syntax error at \"{}\"", c.column.expr),
                ));
            };
            let name = ident(i);
            let column = table.column(&name).ok_or_else(|| key_column_missing(&name, is_key))?;
            let own = self.catalog.column_collation(&table.columns[column]);
            let (ty, within) = (table.types[column], (&*self.catalog, &[][..]));
            out.push(index_column(column, ty, c, IndexMethod::Btree, own, within)?);
        }
        Ok(out)
    }

    /// The columns and expressions of CREATE INDEX.
    fn index_keys(
        &self,
        table: &Arc<Table>,
        columns: &[ast::IndexColumn],
        method: IndexMethod,
        is_key: bool,
    ) -> Result<Keys, SqlError> {
        let mut keys =
            Keys { columns: Vec::new(), expressions: Vec::new(), names: Vec::new(), reads: Vec::new() };
        for c in columns {
            let (item, is_said): (&ast::Expr, bool) = match bare(&c.column.expr) {
                ast::Expr::Collate { expr, .. } => (expr, true),
                _ => (&c.column.expr, false),
            };
            let own;
            let (column, ty, mut name) = match bare(item) {
                ast::Expr::Identifier(i) => {
                    let name = ident(i);
                    let column = table.column(&name).ok_or_else(|| key_column_missing(&name, is_key))?;
                    own = self.catalog.column_collation(&table.columns[column]);
                    (column, table.types[column], name)
                }
                e => {
                    expression_item(item)?;
                    let part = self.index_part(&e.to_string(), table, false)?;
                    let name = match column_name(e) {
                        l if l == "?column?" => "expr".to_owned(),
                        l => l,
                    };
                    let IndexPart { ty, text, reads, collation } = part;
                    if ty == Type::Record {
                        let why = format!("column \"{name}\" has pseudo-type record");
                        return Err(SqlError::new(SqlState::INVALID_TABLE_DEFINITION, why));
                    }
                    if collation.oid == 0 && !is_said {
                        return Err(no_collation());
                    }
                    own = collation;
                    keys.reads.extend(reads);
                    let collation = collation.oid;
                    let own = IndexExpression::new(text, ty, name.clone());
                    keys.expressions.push(IndexExpression { collation, ..own });
                    (EXPRESSION, ty, name)
                }
            };
            let same = |n: &String| keys.names.iter().any(|k| k == n);
            if same(&name) {
                let first = name.clone();
                name = (1..).map(|n| format!("{first}{n}")).find(|n| !same(n)).unwrap_or(first);
            }
            if column == EXPRESSION
                && let Some(e) = keys.expressions.last_mut()
            {
                e.name.clone_from(&name);
            }
            keys.names.push(name);
            let within = (&*self.catalog, self.search_path());
            keys.columns.push(index_column(column, ty, c, method, own, within)?);
        }
        Ok(keys)
    }

    /// An expression or a predicate of an index, looked at.
    fn index_part(&self, text: &str, table: &Arc<Table>, is_predicate: bool) -> Result<IndexPart, SqlError> {
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        Binder::new(&cx, &[]).index_part(text, table, is_predicate)
    }

    /// An index's expressions and predicate as they are once its table's columns have other types.
    pub(super) fn index_again(&self, table: &Table, mut index: Index) -> Result<Index, SqlError> {
        let shared = Arc::new(Table { indexes: Vec::new(), ..table.clone() });
        for e in &mut index.extra.expressions {
            let part = self.index_part(&e.text, &shared, false)?;
            (e.text, e.ty, e.collation) = (part.text, part.ty, part.collation.oid);
            check_ordered(e.ty, index.extra.method, &self.catalog)?;
        }
        for c in index.columns.iter().filter(|c| c.collation().is_none()) {
            let expression = index.extra.expressions.iter().find(|e| e.collation == 0);
            if c.column == EXPRESSION && expression.is_some() {
                return Err(no_collation());
            }
        }
        if let Some(text) = &mut index.extra.predicate {
            *text = self.index_part(text, &shared, true)?.text;
        }
        Ok(index)
    }

    /// What an index is made of, looked at: its columns, the rest, and what each is called in a name that is chosen.
    pub(super) fn index_of_parts(
        &self,
        table: &Table,
        method: IndexMethod,
        (columns, include): (&[ast::IndexColumn], &[ast::Ident]),
        (predicate, with): (Option<&ast::Expr>, &[ast::Expr]),
        what: &str,
    ) -> Result<(Vec<IndexColumn>, IndexExtra, Vec<String>), SqlError> {
        if columns.len() + include.len() > MAX_INDEX_COLUMNS {
            return Err(SqlError::new(
                SqlState::TOO_MANY_COLUMNS,
                format!("cannot use more than {MAX_INDEX_COLUMNS} columns in an index"),
            ));
        }
        // A virtual column stands for itself here, to be refused.
        let mut bare_table = Table { indexes: Vec::new(), ..table.clone() };
        bare_table.columns.iter_mut().for_each(|c| c.generated = None);
        let bare_table = Arc::new(bare_table);
        let predicate = match predicate {
            Some(e) => Some(self.index_part(&bare(e).to_string(), &bare_table, true)?),
            None => None,
        };
        let Keys { columns, expressions, mut names, mut reads } =
            self.index_keys(&bare_table, columns, method, what != "indexes")?;
        let mut included = Vec::new();
        for i in include {
            let name = ident(i);
            included.push(table.column(&name).ok_or_else(|| key_column_missing(&name, false))?);
            names.push(name);
        }
        reads.extend(predicate.iter().flat_map(|p| p.reads.iter().copied()));
        reads.sort_unstable();
        reads.dedup();
        let all =
            columns.iter().map(|c| c.column).chain(included.iter().copied()).chain(reads.iter().copied());
        generated::refuse_index(table, all, what)?;
        let extra = IndexExtra {
            method,
            include: included,
            expressions,
            predicate: predicate.map(|p| p.text),
            options: index_options(method, with)?,
            reads,
        };
        Ok((columns, extra, names))
    }

    pub(super) fn create_index(&mut self, c: &ast::CreateIndex) -> Result<(), SqlError> {
        if c.concurrently {
            self.refuse_in_block("CREATE INDEX CONCURRENTLY")?;
        }
        if !c.index_options.is_empty() || !c.alter_options.is_empty() {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at the end of CREATE INDEX"));
        }
        if c.r#async {
            return Err(SqlError::new(SqlState::SYNTAX_ERROR, "syntax error at or near \"async\""));
        }
        let method = index_method(c.using.as_ref())?;
        // Writers wait; another index on the same table waits too, since both change the table's catalog row.
        let table_name = name_of(&c.table_name)?;
        if let Ok(Relation::Sequence(s)) = self.find_relation(&table_name) {
            return Err(SqlError::new(
                SqlState::WRONG_OBJECT_TYPE,
                format!("cannot create index on relation \"{}\"", s.name),
            )
            .with_detail("This operation is not supported for sequences."));
        }
        // Who finds that it is there already changes nothing.
        let is_there = c.if_not_exists
            && match (&c.name, self.find_table(&table_name)) {
                (Some(n), Ok(t)) => self.catalog.relation_in(t.schema, &split_name(n)?.1).is_some(),
                _ => false,
            };
        let mode = match c.concurrently {
            true => TableLockMode::ShareUpdateExclusive,
            false if is_there => TableLockMode::Share,
            false => TableLockMode::ShareRowExclusive,
        };
        let table = self.lock_own_table(&table_name, mode)?;
        self.refuse_in_use(&table, "CREATE INDEX")?;
        if let Some(schema) = self.catalog.schema(table.schema) {
            self.check_may(schema.oid, Class::Schema, &schema.name, CREATE)?;
        }
        check_method(method, c.unique, (&c.columns, &c.include))?;
        let (columns, extra, names) = self.index_of_parts(
            &table,
            method,
            (&c.columns, &c.include),
            (c.predicate.as_ref(), &c.with),
            "indexes",
        )?;
        let catalog = self.catalog.clone();
        let taken = |n: &str| catalog.relation_in(table.schema, n).is_some();
        let name = match &c.name {
            Some(n) => split_name(n)?.1,
            None => choose_name(&table.name, &names.join("_"), "idx", &taken),
        };
        if !self.lock_new_relation(table.schema, &name, c.if_not_exists)? {
            return Ok(());
        }
        if is_there && !c.concurrently {
            return self.create_index(c); // it has gone since, and now the name is ours
        }
        self.begin_definition()?;
        let index = Index {
            oid: self.instance.store.new_oid()?,
            name,
            tree: TreeId(0),
            columns,
            unique: c.unique,
            timing: Timing::default(),
            nulls_not_distinct: c.nulls_distinct == Some(false),
            primary: false,
            exclusion: false,
            constraint: None,
            extra,
            state: IndexState::Valid,
            since_version: 0,
        };
        // Nobody else knows a temporary table.
        if c.concurrently && !self.catalog.is_temporary(table.schema) {
            return self.add_index_concurrently(&table, index);
        }
        let index = self.build_index(&table, index)?;
        let mut changed = (*table).clone();
        changed.indexes.push(Arc::new(index));
        self.put_table(changed).map(|_| ())
    }

    /// ALTER INDEX, but for its name.
    pub(crate) fn alter_index(&mut self, a: &AlterIndexStmt) -> Result<(), SqlError> {
        self.refresh_catalog();
        let found = self.catalog.resolve(a.name.schema.as_deref(), &a.name.name, self.search_path())?;
        let (table, index) = match found {
            Some(Relation::Index(t, i)) => (t, i),
            Some(other) => {
                let why = format!("\"{}\" is not an index", other.name());
                return Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, why));
            }
            None if a.if_exists => {
                self.skipped(&format!("relation \"{}\" does not exist", a.name.name));
                return Ok(());
            }
            None => {
                let what = format!("relation \"{}\" does not exist", a.name);
                let missing = || SqlError::new(SqlState::UNDEFINED_TABLE, what);
                return Err(self.missing_schema(&a.name).unwrap_or_else(missing));
            }
        };
        let names: Vec<(&String, Option<&str>)> = match &a.action {
            IndexAction::Set(list) => {
                super::parameters::each_once(list.iter().map(|(name, _)| name.as_str()))?;
                list.iter().map(|(name, value)| (name, Some(value.as_deref().unwrap_or("true")))).collect()
            }
            IndexAction::Reset(names) => names.iter().map(|n| (n, None)).collect(),
            IndexAction::Statistics(..) => Vec::new(),
        };
        let method = index.extra.method;
        names.into_iter().try_for_each(|(n, value)| check_index_parameter(method, n, value))?;
        let (table, oid) = (table.oid, index.oid);
        self.ensure_txn()?;
        let Some(table) = self.catalog.table(table).cloned() else { return Ok(()) };
        self.lock_object(&table.shared.lock, TableLockMode::ShareUpdateExclusive, &table.name, false)?;
        self.refresh_catalog();
        self.begin_definition()?;
        let Some(mut changed) = self.catalog.table(table.oid).map(|t| (**t).clone()) else { return Ok(()) };
        let target = match &a.action {
            IndexAction::Statistics(_, target) => self.statistics_target(*target)?,
            _ => None,
        };
        let columns = changed.columns.clone();
        if let Some(index) = changed.indexes.iter_mut().find(|i| i.oid == oid) {
            let index = Arc::make_mut(index);
            match &a.action {
                IndexAction::Set(list) => list.iter().for_each(|(name, value)| {
                    let value = value.as_deref().unwrap_or("true");
                    index.extra.options.retain(|x| !x.starts_with(&format!("{name}=")));
                    index.extra.options.push(format!("{name}={value}"));
                }),
                IndexAction::Reset(names) => {
                    index.extra.options.retain(|x| !names.iter().any(|n| x.starts_with(&format!("{n}="))));
                }
                IndexAction::Statistics(column, _) => {
                    expression_named(&columns, index, column)?.statistics = target;
                }
            }
        }
        self.put_table(changed).map(|_| ())
    }

    /// Makes an index's tree and fills it.
    pub(crate) fn build_index(&mut self, table: &Table, index: Index) -> Result<Index, SqlError> {
        self.build_index_by("CREATE INDEX", table, index)
    }

    /// Has an index that is about to be built order its columns as these do now.
    fn order_by_column_collations(&self, table: &Table, index: &mut Index) {
        for n in 0..index.columns.len() {
            let (ty, own) = (index.key_type(&table.types, n), index.own_collation(table, n));
            let c = &mut index.columns[n];
            c.outdated = false;
            // What is said that the column has by itself is not said, as in PostgreSQL.
            let said = c.collation().filter(|oid| *oid != own);
            let named = |oid: u32| self.catalog.collation(oid).map(|found| found.named(said.unwrap_or(0)));
            let found = said.and_then(named).or_else(|| named(own)).unwrap_or(Collation::bytewise(0));
            let is_bytewise = c.class.is_bytewise() || !is_collatable(ty);
            c.collation = if is_bytewise { Collation::bytewise(found.oid) } else { found };
        }
    }

    /// The same, for a command.
    pub(super) fn build_index_by(
        &mut self,
        command: &'static str,
        table: &Table,
        mut index: Index,
    ) -> Result<Index, SqlError> {
        let work = Work::new(progress::Kind::CreateIndex, command, table.oid, index.oid);
        let shown = progress::Shown::new(&self.info.works, work);
        index.tree = self.engine()?.create_tree()?;
        self.order_by_column_collations(table, &mut index);
        index.since_version = u64::MAX;
        index.state = IndexState::Valid;
        let forms = self.forms_alone(table, &index)?;
        let pace = &mut || Ok(());
        self.with_bare_cx(|cx| build::build_index(table, &index, forms.first(), &shown.work, pace, cx))?;
        Ok(index)
    }

    /// What an index computes.
    pub(super) fn forms_alone(&self, table: &Table, index: &Index) -> Result<Forms, SqlError> {
        if index.is_plain() {
            return Ok(Forms::default());
        }
        let alone = Table { indexes: vec![Arc::new(index.clone())], ..table.clone() };
        let eval = self.eval_ctx();
        let cx = self.definition_context(&eval);
        Binder::new(&cx, &[]).forms(&Arc::new(alone))
    }
}
