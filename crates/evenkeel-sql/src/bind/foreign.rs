//! Clauses that sqlparser's trees have and PostgreSQL's grammar has not: refused, so that none is taken and dropped.
//!
//! Invariant: trees are taken apart without `..`, so that whatever sqlparser learns has to be looked at here.
//!
//! Must not know: what the clauses that PostgreSQL has mean.

use super::{Binder, Typed};
use crate::parse::definition::parameters_of;
use crate::parse::rewrite::OF_QUERY;
use evenkeel_types::error::{SqlError, SqlState};
use sqlparser::ast::{self, FunctionArguments, JoinConstraint, JoinOperator, SelectFlavor, TableFactor};

/// The first of some words that is there is one too many.
fn refuse(words: &[(bool, &str)]) -> Result<(), SqlError> {
    match words.iter().find(|(is_there, _)| *is_there) {
        Some((_, word)) => Err(too_many(word)),
        None => Ok(()),
    }
}

/// A word stands where none may.
pub(super) fn too_many(word: &str) -> SqlError {
    SqlError::new(SqlState::SYNTAX_ERROR, format!("syntax error at or near \"{word}\""))
}

pub(super) fn of_query(q: &ast::Query) -> Result<(), SqlError> {
    let ast::Query {
        with: _,
        body: _,
        order_by,
        limit_clause,
        fetch: _,
        locks: _,
        for_clause,
        // Empty, it marks a cursor's (`session::cursor`).
        settings,
        format_clause,
        pipe_operators,
    } = q;
    let has_limit_by = match limit_clause {
        Some(ast::LimitClause::LimitOffset { limit: _, offset: _, limit_by }) => !limit_by.is_empty(),
        // It has an error of its own.
        Some(ast::LimitClause::OffsetCommaLimit { offset: _, limit: _ }) | None => false,
    };
    let format = match for_clause {
        None => "",
        Some(ast::ForClause::Browse) => "browse",
        Some(ast::ForClause::Json { .. }) => "json",
        Some(ast::ForClause::Xml { .. }) => "xml",
    };
    if let Some(ast::OrderBy { kind, interpolate }) = order_by {
        refuse(&[(interpolate.is_some(), "interpolate")])?;
        match kind {
            ast::OrderByKind::Expressions(keys) => of_keys(keys)?,
            ast::OrderByKind::All(_) => return Err(too_many("all")),
        }
    }
    refuse(&[
        (has_limit_by, "by"),
        (settings.as_ref().is_some_and(|s| !s.is_empty()), "settings"),
        (!format.is_empty(), format),
        (format_clause.is_some(), "format"),
        (!pipe_operators.is_empty(), "|>"),
    ])
}

fn of_keys(keys: &[ast::OrderByExpr]) -> Result<(), SqlError> {
    for ast::OrderByExpr { expr: _, options: _, with_fill } in keys {
        refuse(&[(with_fill.is_some(), "with")])?;
    }
    Ok(())
}

pub(super) fn of_values(v: &ast::Values) -> Result<(), SqlError> {
    let ast::Values { explicit_row, value_keyword, rows: _ } = v;
    refuse(&[(*value_keyword, "value"), (*explicit_row, "row")])
}

pub(super) fn of_select(s: &ast::Select) -> Result<(), SqlError> {
    let ast::Select {
        select_token: _,
        // They are comments.
        optimizer_hints: _,
        distinct: _,
        select_modifiers,
        top,
        top_before_distinct: _,
        projection,
        exclude,
        into: _,
        from: _,
        lateral_views,
        prewhere,
        selection: _,
        connect_by,
        group_by,
        cluster_by,
        distribute_by,
        sort_by,
        having: _,
        named_window: _,
        qualify,
        window_before_qualify: _,
        value_table_mode,
        flavor,
    } = s;
    for item in projection {
        match item {
            ast::SelectItem::Wildcard(options) => {
                of_wildcard(options)?;
                refuse(&[(options.opt_alias.is_some(), "as")])?;
            }
            ast::SelectItem::QualifiedWildcard(_, options) => of_wildcard(options)?,
            ast::SelectItem::ExprWithAliases { expr: _, aliases: _ } => return Err(too_many("(")),
            ast::SelectItem::UnnamedExpr(_) | ast::SelectItem::ExprWithAlias { expr: _, alias: _ } => {}
        }
    }
    let (ast::GroupByExpr::Expressions(_, modifiers) | ast::GroupByExpr::All(modifiers)) = group_by;
    refuse(&[(!modifiers.is_empty(), "with")])?;
    refuse(&[
        (select_modifiers.as_ref().is_some_and(ast::SelectModifiers::is_any_set), "select"),
        (top.is_some(), "top"),
        (value_table_mode.is_some(), "as"),
        (exclude.is_some(), "exclude"),
        (!matches!(flavor, SelectFlavor::Standard), "from"),
        (!lateral_views.is_empty(), "view"),
        (prewhere.is_some(), "prewhere"),
        (!connect_by.is_empty(), "by"),
        (!cluster_by.is_empty() || !distribute_by.is_empty() || !sort_by.is_empty(), "by"),
        (qualify.is_some(), "qualify"),
    ])
}

fn of_wildcard(options: &ast::WildcardAdditionalOptions) -> Result<(), SqlError> {
    let ast::WildcardAdditionalOptions {
        wildcard_token: _,
        opt_ilike,
        opt_exclude,
        opt_except,
        opt_replace,
        opt_rename,
        opt_alias: _,
    } = options;
    refuse(&[
        (opt_ilike.is_some(), "ilike"),
        (opt_exclude.is_some(), "exclude"),
        (opt_except.is_some(), "except"),
        (opt_replace.is_some(), "replace"),
        (opt_rename.is_some(), "rename"),
    ])
}

/// What FROM names.
pub(super) fn of_table(t: &TableFactor) -> Result<(), SqlError> {
    match t {
        TableFactor::Table {
            name: _,
            alias,
            args,
            // As `parse::tablesample` has them.
            with_hints: _,
            version,
            with_ordinality,
            partitions,
            json_path,
            sample,
            index_hints,
        } => {
            if let Some(ast::TableFunctionArgs { args: _, settings }) = args {
                refuse(&[(settings.is_some(), "settings")])?;
            }
            of_alias(alias.as_ref())?;
            refuse(&[
                (!partitions.is_empty(), "("),
                (json_path.is_some(), "["),
                (version.is_some(), "for"),
                (sample.is_some(), "("),
                (*with_ordinality && args.is_none(), "with"),
                (!index_hints.is_empty(), "index"),
            ])
        }
        TableFactor::Derived { lateral: _, subquery: _, alias, sample } => {
            of_alias(alias.as_ref())?;
            refuse(&[(sample.is_some(), "tablesample")])
        }
        TableFactor::Function { lateral: _, name: _, args: _, with_ordinality: _, alias } => {
            of_alias(alias.as_ref())
        }
        TableFactor::UNNEST { alias, array_exprs: _, with_offset, with_offset_alias, with_ordinality: _ } => {
            of_alias(alias.as_ref())?;
            refuse(&[(*with_offset || with_offset_alias.is_some(), "offset")])
        }
        TableFactor::NestedJoin { table_with_joins: _, alias } => of_alias(alias.as_ref()),
        // The binder takes none of the others.
        _ => Ok(()),
    }
}

fn of_alias(alias: Option<&ast::TableAlias>) -> Result<(), SqlError> {
    let Some(ast::TableAlias { explicit: _, name: _, columns: _, at }) = alias else { return Ok(()) };
    refuse(&[(at.is_some(), "at")])
}

/// A join is CROSS or NATURAL, or has a condition.
pub(super) fn of_join(join: &ast::Join) -> Result<(), SqlError> {
    use JoinOperator::{FullOuter, Inner, Join, Left, LeftOuter, Right, RightOuter};
    let ast::Join { relation: _, global, join_operator } = join;
    let lacks_condition = matches!(
        join_operator,
        Join(JoinConstraint::None)
            | Inner(JoinConstraint::None)
            | Left(JoinConstraint::None)
            | LeftOuter(JoinConstraint::None)
            | Right(JoinConstraint::None)
            | RightOuter(JoinConstraint::None)
            | FullOuter(JoinConstraint::None)
    );
    refuse(&[(*global, "global"), (lacks_condition, "join")])
}

pub(super) fn of_insert(i: &ast::Insert) -> Result<(), SqlError> {
    let ast::Insert {
        insert_token: _,
        optimizer_hints: _,
        // These two as `parse::overriding` has them.
        or: _,
        overwrite: _,
        ignore,
        into,
        table: _,
        table_alias: _,
        columns: _,
        source: _,
        assignments,
        partitioned,
        after_columns,
        has_table_keyword,
        on: _,
        returning: _,
        output,
        replace_into,
        priority,
        insert_alias,
        settings,
        format_clause,
        multi_table_insert_type,
        multi_table_into_clauses,
        multi_table_when_clauses,
        multi_table_else_clause,
    } = i;
    refuse(&[
        (*replace_into, "replace"),
        (priority.is_some(), "into"),
        (*ignore, "ignore"),
        (!*into, "insert"),
        (*has_table_keyword, "table"),
        (partitioned.is_some(), "partition"),
        (!after_columns.is_empty(), "("),
        (!assignments.is_empty(), "set"),
        (output.is_some(), "output"),
        (insert_alias.is_some(), "as"),
        (settings.is_some(), "settings"),
        (format_clause.is_some(), "format"),
        (multi_table_insert_type.is_some() || !multi_table_into_clauses.is_empty(), "into"),
        (!multi_table_when_clauses.is_empty() || multi_table_else_clause.is_some(), "when"),
    ])
}

pub(super) fn of_update(u: &ast::Update) -> Result<(), SqlError> {
    let ast::Update {
        update_token: _,
        optimizer_hints: _,
        table: _,
        assignments: _,
        from: _,
        selection: _,
        returning: _,
        output,
        or,
        order_by,
        limit,
    } = u;
    refuse(&[
        (or.is_some(), "or"),
        (output.is_some(), "output"),
        (!order_by.is_empty(), "order"),
        (limit.is_some(), "limit"),
    ])
}

pub(super) fn of_delete(d: &ast::Delete) -> Result<(), SqlError> {
    let ast::Delete {
        delete_token: _,
        optimizer_hints: _,
        tables,
        from,
        using: _,
        selection: _,
        returning: _,
        output,
        order_by,
        limit,
    } = d;
    if let Some(table) = tables.first() {
        return Err(too_many(&table.to_string()));
    }
    refuse(&[
        (matches!(from, ast::FromTable::WithoutKeyword(_)), "delete"),
        (output.is_some(), "output"),
        (!order_by.is_empty(), "order"),
        (limit.is_some(), "limit"),
    ])
}

pub(super) fn of_merge(m: &ast::Merge) -> Result<(), SqlError> {
    let ast::Merge {
        merge_token: _,
        optimizer_hints: _,
        into,
        table: _,
        source: _,
        on: _,
        clauses,
        // RETURNING.
        output: _,
    } = m;
    for ast::MergeClause { when_token: _, clause_kind: _, predicate: _, action } in clauses {
        let is_odd = match action {
            ast::MergeAction::Insert(ast::MergeInsertExpr {
                insert_token: _,
                columns: _,
                kind_token: _,
                kind: _,
                insert_predicate,
            }) => insert_predicate.is_some(),
            ast::MergeAction::Update(ast::MergeUpdateExpr {
                update_token: _,
                kind: _,
                update_predicate,
                delete_predicate,
            }) => update_predicate.is_some() || delete_predicate.is_some(),
            ast::MergeAction::Delete { .. } | ast::MergeAction::DoNothing { .. } => false,
        };
        refuse(&[(is_odd, "where")])?;
    }
    refuse(&[(!*into, "merge")])
}

/// A call of a function.
pub(super) fn of_call(f: &ast::Function) -> Result<(), SqlError> {
    let ast::Function {
        name: _,
        uses_odbc_syntax,
        parameters,
        args: _,
        within_group,
        filter: _,
        null_treatment,
        over: _,
    } = f;
    of_keys(within_group)?;
    refuse(&[
        (*uses_odbc_syntax, "{"),
        (!matches!(parameters, FunctionArguments::None), "("),
        (null_treatment.is_some(), "nulls"),
    ])
}

/// CREATE TABLE, with or without a query.
pub(crate) fn of_create_table(c: &ast::CreateTable) -> Result<(), SqlError> {
    let ast::CreateTable {
        or_replace,
        temporary,
        unlogged: _,
        external,
        dynamic,
        global,
        if_not_exists: _,
        transient,
        volatile,
        iceberg,
        snapshot,
        name: _,
        columns,
        constraints: _,
        hive_distribution,
        hive_formats,
        table_options: _,
        file_format,
        location,
        query,
        without_rowid,
        like: _,
        clone,
        version,
        comment,
        on_commit: _,
        on_cluster,
        primary_key,
        order_by,
        partition_by: _,
        cluster_by,
        clustered_by,
        inherits: _,
        partition_of: _,
        for_values: _,
        strict,
        copy_grants,
        enable_schema_evolution,
        change_tracking,
        data_retention_time_in_days,
        max_data_extension_time_in_days,
        default_ddl_collation,
        with_aggregation_policy,
        with_row_access_policy,
        with_storage_lifecycle_policy,
        with_tags,
        external_volume,
        with_connection,
        base_location,
        catalog,
        catalog_sync,
        storage_serialization_policy,
        target_lag,
        warehouse,
        refresh_mode,
        initialize,
        require_user,
        diststyle,
        distkey,
        sortkey,
        backup,
        multiset,
        fallback,
        with_data: _,
    } = c;
    for ast::ColumnDef { name: _, data_type, options } in columns {
        let is_of_query = matches!(data_type, ast::DataType::Custom(name, _)
            if matches!(&name.0[..], [part] if part.as_ident().is_some_and(|i| i.value == OF_QUERY)));
        refuse(&[(query.is_some() && (!is_of_query || !options.is_empty()), "as")])?;
        for ast::ColumnOptionDef { name: _, option } in options {
            refuse(&[
                (
                    matches!(option, ast::ColumnOption::Comment(text) if parameters_of(text).is_none()),
                    "comment",
                ),
                (matches!(option, ast::ColumnOption::CharacterSet(_)), "character"),
            ])?;
        }
    }
    let is_hive = hive_formats.as_ref().is_some_and(|f| *f != ast::HiveFormat::default());
    refuse(&[
        (*external, "external"),
        (*dynamic, "dynamic"),
        (*transient, "transient"),
        (*volatile, "volatile"),
        (*iceberg, "iceberg"),
        (*snapshot, "snapshot"),
        (multiset.is_some(), "multiset"),
        (*or_replace || global.is_some() && !*temporary, "table"),
        (clone.is_some(), "clone"),
        (version.is_some(), "version"),
        (!matches!(hive_distribution, ast::HiveDistributionStyle::NONE), "partitioned"),
        (is_hive || file_format.is_some(), "stored"),
        (location.is_some(), "location"),
        (*without_rowid, "rowid"),
        (*strict, "strict"),
        (comment.is_some(), "comment"),
        (on_cluster.is_some(), "cluster"),
        (primary_key.is_some(), "primary"),
        (order_by.is_some(), "order"),
        (cluster_by.is_some() || clustered_by.is_some(), "cluster"),
        (*copy_grants, "copy"),
        (enable_schema_evolution.is_some(), "enable_schema_evolution"),
        (change_tracking.is_some(), "change_tracking"),
        (data_retention_time_in_days.is_some(), "data_retention_time_in_days"),
        (max_data_extension_time_in_days.is_some(), "max_data_extension_time_in_days"),
        (default_ddl_collation.is_some(), "default_ddl_collation"),
        (with_aggregation_policy.is_some() || with_row_access_policy.is_some(), "with"),
        (with_storage_lifecycle_policy.is_some() || with_tags.is_some(), "with"),
        (external_volume.is_some(), "external_volume"),
        (with_connection.is_some(), "connection"),
        (base_location.is_some(), "base_location"),
        (catalog.is_some() || catalog_sync.is_some(), "catalog"),
        (storage_serialization_policy.is_some(), "storage_serialization_policy"),
        (target_lag.is_some(), "target_lag"),
        (warehouse.is_some(), "warehouse"),
        (refresh_mode.is_some() || initialize.is_some() || *require_user, "refresh_mode"),
        (diststyle.is_some() || distkey.is_some() || sortkey.is_some(), "diststyle"),
        (backup.is_some() || fallback.is_some(), "backup"),
    ])
}

/// A constraint of a table. Names of indexes and comments stand for what the parser lacks (`parse::definition`).
pub(crate) fn of_constraint(c: &ast::TableConstraint) -> Result<(), SqlError> {
    let of_name = |name: &Option<ast::Ident>| match name {
        Some(name) if !name.value.starts_with('<') => Err(too_many(&name.value)),
        _ => Ok(()),
    };
    let of_index =
        |columns: &[ast::IndexColumn], options: &[ast::IndexOption], by: &Option<ast::IndexType>| {
            for ast::IndexColumn { column, operator_class } in columns {
                let ast::OrderByOptions { sort, nulls_first } = &column.options;
                refuse(&[
                    (matches!(sort, Some(ast::OrderBySort::Desc)), "desc"),
                    (sort.is_some(), "asc"),
                    (nulls_first.is_some(), "nulls"),
                    (operator_class.is_some(), "("),
                ])?;
            }
            let is_odd = |o: &ast::IndexOption| match o {
                ast::IndexOption::Using(_) => true,
                ast::IndexOption::Comment(text) => parameters_of(text).is_none(),
            };
            refuse(&[(by.is_some(), "using"), (options.iter().any(is_odd), "comment")])
        };
    match c {
        ast::TableConstraint::PrimaryKey(ast::PrimaryKeyConstraint {
            name: _,
            index_name,
            index_type,
            columns,
            include: _,
            index_options,
            characteristics: _,
        }) => of_name(index_name).and_then(|()| of_index(columns, index_options, index_type)),
        ast::TableConstraint::Unique(ast::UniqueConstraint {
            name: _,
            index_name,
            index_type_display,
            index_type,
            columns,
            include: _,
            index_options,
            characteristics: _,
            nulls_distinct: _,
        }) => {
            refuse(&[(!matches!(index_type_display, ast::KeyOrIndexDisplay::None), "key")])?;
            of_name(index_name).and_then(|()| of_index(columns, index_options, index_type))
        }
        ast::TableConstraint::ForeignKey(ast::ForeignKeyConstraint {
            name: _,
            index_name,
            columns: _,
            foreign_table: _,
            referred_columns: _,
            on_delete: _,
            on_update: _,
            match_kind: _,
            characteristics: _,
        }) => of_name(index_name),
        _ => Ok(()),
    }
}

/// CREATE SCHEMA.
pub(crate) fn of_create_schema(s: &ast::Statement) -> Result<(), SqlError> {
    let ast::Statement::CreateSchema {
        schema_name,
        or_replace,
        if_not_exists: _,
        with,
        options,
        default_collate_spec,
        clone,
    } = s
    else {
        return Ok(());
    };
    let is_qualified = match schema_name {
        ast::SchemaName::Simple(name) | ast::SchemaName::NamedAuthorization(name, _) => name.0.len() > 1,
        ast::SchemaName::UnnamedAuthorization(_) => false,
    };
    refuse(&[
        (*or_replace, "schema"),
        (is_qualified, "."),
        (default_collate_spec.is_some(), "default"),
        (with.is_some(), "with"),
        (options.is_some(), "options"),
        (clone.is_some(), "clone"),
    ])
}

impl Binder<'_> {
    /// CEIL and FLOOR, which have one argument.
    pub(super) fn rounded(
        &mut self,
        name: &str,
        e: &ast::Expr,
        to: &ast::CeilFloorKind,
    ) -> Result<Typed, SqlError> {
        match to {
            ast::CeilFloorKind::DateTimeField(ast::DateTimeField::NoDateTime) => self.named_call(name, &[e]),
            ast::CeilFloorKind::DateTimeField(_) => Err(too_many("to")),
            ast::CeilFloorKind::Scale(n) => self.named_call(name, &[e, &ast::Expr::Value(n.clone())]),
        }
    }
}
