//! COPY FROM: rows from the client.
//!
//! Must not know: file formats (`exec::copy`, `exec::copy_binary`), the wire.

use super::metered::CopyMeter;
use super::{CommandTag, Progress, RowSink, Session};
use crate::bind::Binder;
use crate::catalog::{Changed, Relation, Table};
use crate::exec::change::Writer;
use crate::exec::copy::{Field, Fields, LineReader, check_complete, check_header, split_line};
use crate::exec::copy_binary::{BinaryReader, Values};
use crate::exec::eval::eval;
use crate::exec::fill::Filler;
use crate::exec::{Cx, RunState};
use crate::of_database::bump;
use crate::parse::{CopyFormat, CopyHeader, CopyOptions, CopyRelation, CopyStmt, CopyVerbosity, Forced};
use crate::plan::Plan;
use crate::plan::expr::Expr;
use crate::progress::{Kind, Shown, Work};
use evenkeel_types::encoding::Encoding;
use evenkeel_types::error::{SqlError, SqlState};
use evenkeel_types::guard::stack::Deep;
use evenkeel_types::{Datum, FormatOptions, input_binary, input_text};
use std::sync::atomic::Ordering;

/// Characters of a row or value that a message shows.
const SHOWN_CHARS: usize = 100;

enum Reader {
    Lines(LineReader),
    Rows(BinaryReader),
}

/// A COPY FROM STDIN that waits for data.
pub struct CopyIn {
    plan: Deep<Plan>,
    target: usize,
    columns: Vec<usize>,
    defaults: Vec<Expr>,
    /// Rows that do not meet it are left out.
    /// Columns of domains, as values of these.
    domains: Vec<(usize, Expr)>,
    condition: Option<Expr>,
    reader: Reader,
    encoding: Encoding,
    options: CopyOptions,
    run: RunState,
    writer: Writer,
    filler: Option<Filler>,
    row: Vec<Datum>,
    fields: Fields,
    /// The first line is still to come, and is no row.
    header: CopyHeader,
    count: u64,
    excluded: u64,
    skipped: u64,
    shown: Shown,
    /// Told after the piece of data that they are of.
    notices: Vec<String>,
    /// What it has taken until now.
    pub(super) meter: Option<CopyMeter>,
}

/// What was being read when something failed.
#[derive(Clone, Copy)]
enum At {
    Row,
    Column(usize),
    /// The row was read.
    Insert,
}

impl CopyIn {
    /// How many columns a row has, for the reply that asks for data.
    pub fn columns(&self) -> usize {
        self.columns.len()
    }

    /// Whether data is wanted in the binary format.
    pub fn is_binary(&self) -> bool {
        self.options.format == CopyFormat::Binary
    }

    /// A row of a text format. False: it was left out.
    fn read_line(
        &mut self,
        table: &Table,
        names: &[&str],
        line: &[u8],
        number: u64,
        at: &mut At,
        cx: &mut Cx<'_>,
    ) -> Result<bool, SqlError> {
        let CopyIn { options, fields, row, columns, defaults, domains, .. } = self;
        split_line(options, line, names, fields)?;
        for (f, n) in columns.iter().enumerate().take(fields.count()) {
            *at = At::Column(*n);
            let column = &table.columns[*n];
            let field = fields.get(f);
            let mut value = match field {
                Field::Null => Ok(Datum::Null),
                Field::Default if column.default.is_none() => {
                    *at = At::Row;
                    return Err(SqlError::new(
                        SqlState::BAD_COPY_FILE_FORMAT,
                        "unexpected default marker in COPY data",
                    )
                    .with_detail(format!("Column \"{}\" has no default value.", column.name)));
                }
                Field::Default => Ok(eval(&defaults[*n], &[], cx)?),
                Field::Text(text) => input_text(text, column.ty, column.typmod, cx.eval.format),
            };
            if let (Ok(of_base), Some((_, checked))) = (&mut value, domains.iter().find(|d| d.0 == *n)) {
                row[*n] = std::mem::replace(of_base, Datum::Null);
                value = eval(checked, row, cx);
            }
            row[*n] = match value {
                Ok(value) => value,
                Err(e) if options.ignore_errors && is_of_the_value(&e) => {
                    let shown = match field {
                        Field::Text(text) => {
                            format!("\"{}\"", cut(text))
                        }
                        _ => "null input".to_owned(),
                    };
                    self.skip(number, &column.name, &shown)?;
                    return Ok(false);
                }
                Err(e) => return Err(e),
            };
        }
        *at = At::Row;
        check_complete(names, fields)?;
        Ok(true)
    }

    /// A row has a value that its type does not take.
    fn skip(&mut self, number: u64, column: &str, value: &str) -> Result<(), SqlError> {
        self.skipped += 1;
        if self.options.verbosity == CopyVerbosity::Verbose {
            self.notices.push(format!(
                "skipping row due to data type incompatibility at line {number} for column \"{column}\": {value}"
            ));
        }
        match self.options.reject_limit {
            Some(limit) if self.skipped > limit => Err(SqlError::new(
                SqlState::INVALID_TEXT_REPRESENTATION,
                format!("skipped more than REJECT_LIMIT ({limit}) rows due to data type incompatibility"),
            )),
            _ => Ok(()),
        }
    }

    fn read_binary(
        &mut self,
        table: &Table,
        bytes: &[u8],
        (encoding, format): (Encoding, &FormatOptions),
        at: &mut At,
    ) -> Result<(), SqlError> {
        let mut values = Values(bytes);
        for n in &self.columns {
            *at = At::Column(*n);
            let column = &table.columns[*n];
            self.row[*n] = match values.take()? {
                None => Datum::Null,
                Some(value) => {
                    let value = encoding.decode_binary(value, column.ty)?;
                    input_binary(&value, column.ty, column.typmod, format)?
                }
            };
        }
        *at = At::Row;
        Ok(())
    }

    /// One line, or one row of the binary format.
    fn take(
        &mut self,
        number: u64,
        data: &[u8],
        encoding: Encoding,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        cx.check_interrupt()?;
        let table = cx.plan.targets[self.target].table.clone();
        let names: Vec<&str> = self.columns.iter().map(|n| table.columns[*n].name.as_str()).collect();
        let mut at = At::Row;
        let result = self.take_at(&table, &names, number, data, encoding, &mut at, cx);
        result.map_err(|e| {
            let context = self.context(&table, number, data, at, &e);
            e.with_context(context)
        })
    }

    #[allow(clippy::too_many_arguments)] // What is read, and where.
    fn take_at(
        &mut self,
        table: &Table,
        names: &[&str],
        number: u64,
        data: &[u8],
        encoding: Encoding,
        at: &mut At,
        cx: &mut Cx<'_>,
    ) -> Result<(), SqlError> {
        match std::mem::replace(&mut self.header, CopyHeader::No) {
            CopyHeader::No => {}
            CopyHeader::Yes => return Ok(()),
            CopyHeader::Match => return check_header(&self.options, data, names, &mut self.fields),
        }
        if self.is_binary() {
            self.read_binary(table, data, (encoding, cx.eval.format), at)?;
            for (n, value) in &self.domains {
                *at = At::Column(*n);
                self.row[*n] = eval(value, &self.row, cx)?;
            }
        } else if !self.read_line(table, names, data, number, at, cx)? {
            return Ok(());
        }
        *at = At::Row;
        let CopyIn { row, defaults, columns, condition, writer, filler, count, target, .. } = self;
        for (n, default) in defaults.iter().enumerate() {
            if !columns.contains(&n) {
                row[n] = eval(default, &[], cx)?;
            }
        }
        if let Some(condition) = condition
            && !matches!(eval(condition, row, cx)?, Datum::Bool(true))
        {
            self.excluded += 1;
            return Ok(());
        }
        *at = At::Insert;
        let target = &cx.plan.targets[*target];
        match filler {
            Some(filler) => filler.push(target, writer, row, cx)?,
            None => writer.insert(target, row, cx)?,
        }
        *count += 1;
        self.shown.work.done(*count);
        Ok(())
    }

    fn context(&self, table: &Table, number: u64, data: &[u8], at: At, e: &SqlError) -> String {
        let place = format!("COPY {}, line {number}", table.name);
        let is_checked = matches!(e.code, SqlState::NOT_NULL_VIOLATION | SqlState::CHECK_VIOLATION);
        match at {
            At::Column(n) if self.is_binary() => format!("{place}, column {}", table.columns[n].name),
            At::Column(n) => {
                let field = self.columns.iter().position(|c| *c == n).unwrap_or(0);
                let column = &table.columns[n].name;
                match self.fields.get(field) {
                    Field::Text(value) => format!("{place}, column {column}: \"{}\"", cut(value)),
                    Field::Default => format!(
                        "{place}, column {column}: \"{}\"",
                        self.options.default.as_deref().unwrap_or_default()
                    ),
                    Field::Null => format!("{place}, column {column}: null input"),
                }
            }
            _ if self.is_binary() => place,
            // What PostgreSQL finds before it gathers rows for insertion.
            At::Row => format!("{place}: \"{}\"", cut(&String::from_utf8_lossy(data))),
            At::Insert if is_checked => format!("{place}: \"{}\"", cut(&String::from_utf8_lossy(data))),
            At::Insert => place,
        }
    }
}

/// What is shown of a text.
fn cut(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether it says that a value is none of its type, rather than that something else went wrong.
fn is_of_the_value(e: &SqlError) -> bool {
    e.code.as_str().starts_with("22")
        || matches!(e.code, SqlState::CHECK_VIOLATION | SqlState::NOT_NULL_VIOLATION)
}

impl Session {
    pub(super) fn copy(&mut self, stmt: &CopyStmt, sink: &mut dyn RowSink) -> Result<Progress, SqlError> {
        if stmt.to { self.copy_to(stmt, sink) } else { self.copy_from(stmt).map(Progress::CopyIn) }
    }

    /// In which a file is written.
    pub(super) fn copy_encoding(&self, options: &CopyOptions) -> Encoding {
        options.encoding.unwrap_or_else(|| self.client_encoding())
    }

    /// Makes a plan with what the binder was asked for.
    fn bare_plan<T>(
        &mut self,
        f: impl FnOnce(&mut Binder<'_>) -> Result<T, SqlError>,
    ) -> Result<(T, Plan), SqlError> {
        self.refresh_catalog();
        let eval = self.eval_ctx();
        let cx = self.bind_context(&eval, &self.source);
        let mut binder = Binder::new(&cx, &[]);
        let result = f(&mut binder)?;
        Ok((result, binder.into_plan(None, None)?))
    }

    /// Refuses COPY FROM into what takes no rows.
    fn check_copied_into(&self, name: &crate::parse::Name) -> Result<(), SqlError> {
        let refused = |e: String| Err(SqlError::new(SqlState::WRONG_OBJECT_TYPE, e));
        match self.find_relation(name)? {
            Relation::View(v) => refused(format!("cannot copy to view \"{}\"", v.name)).map_err(|e| {
                e.with_hint("To enable copying to a view, provide an INSTEAD OF INSERT trigger.")
            }),
            Relation::Table(t) if t.materialized.is_some() => {
                refused(format!("cannot copy to materialized view \"{}\"", t.name))
            }
            _ => Ok(()),
        }
    }

    fn copy_from(&mut self, stmt: &CopyStmt) -> Result<Box<CopyIn>, SqlError> {
        let CopyRelation::Table(name, names) = &stmt.relation else {
            return Err(SqlError::internal("COPY FROM a query"));
        };
        let (options, max_bytes) = (&stmt.options, self.statement_memory_bytes);
        loop {
            self.refresh_catalog();
            self.check_copied_into(name)?;
            let table = self.find_table(name)?;
            if !self.catalog.is_temporary(table.schema) {
                self.check_writable("COPY FROM")?;
            }
            let columns = self.copy_columns(&table, names)?;
            check_forced("FORCE_NOT_NULL", &options.force_not_null, &table, &columns)?;
            check_forced("FORCE_NULL", &options.force_null, &table, &columns)?;
            let ((target, defaults, condition, domains), plan) = self.bare_plan(|b| {
                b.inserts(table.oid, columns.iter());
                // DEFAULT may stand for the value of any.
                let copied = if options.default.is_some() { &[][..] } else { &columns };
                let (target, defaults) = b.copy_target(&table, copied)?;
                let condition = stmt.condition.as_ref().map(|text| b.copy_condition(text, &table));
                let domains = b.domains_of(&table, &columns)?;
                Ok((target, defaults, condition.transpose()?, domains))
            })?;
            if !self.start_plan(&plan)? {
                continue;
            }
            let mut run = RunState::new(&plan, &self.budget);
            let is_new = self.is_new_in_subtransaction(&table);
            let is_read = is_new && self.is_read_by_cursor(table.oid);
            if options.freeze {
                if !is_new {
                    return Err(SqlError::new(
                        SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE,
                        "cannot perform COPY FREEZE because the table was not created or truncated in the current subtransaction",
                    ));
                }
                // Whoever began before would see the rows.
                if is_read {
                    let why = "cannot perform COPY FREEZE because of prior transaction activity";
                    return Err(SqlError::new(SqlState::INVALID_TRANSACTION_STATE, why));
                }
            }
            // Without FREEZE as well: no savepoint could take the rows back and leave the table, and nobody reads on who began before.
            let filler = match is_new && (options.freeze || !self.suspended.has_any()) {
                true => {
                    let target = &plan.targets[target];
                    self.with_cx(&plan, &[], &mut run, |cx| Filler::new(target, options.freeze, cx))?
                }
                false => None,
            };
            let reader = match options.format {
                CopyFormat::Binary => Reader::Rows(BinaryReader::new(columns.len(), max_bytes)),
                _ => Reader::Lines(LineReader::new(options.clone(), max_bytes)),
            };
            return Ok(Box::new(CopyIn {
                target,
                columns,
                defaults,
                condition,
                domains,
                reader,
                encoding: self.copy_encoding(options),
                header: options.header,
                options: options.clone(),
                run,
                writer: Writer::default(),
                filler,
                row: vec![Datum::Null; table.columns.len() + 1],
                fields: Fields::default(),
                plan: Deep::new(plan.depth, plan),
                count: 0,
                excluded: 0,
                skipped: 0,
                shown: Shown::new(&self.info.works, Work::new(Kind::Copy, "COPY FROM", table.oid, 0)),
                notices: Vec::new(),
                meter: None,
            }));
        }
    }

    pub(super) fn copy_columns(&self, table: &Table, names: &[String]) -> Result<Vec<usize>, SqlError> {
        if names.is_empty() {
            return Ok(table.live_columns().filter(|(_, c)| c.generated.is_none()).map(|(n, _)| n).collect());
        }
        let mut columns = Vec::new();
        for n in names {
            let c = table.find_column(n).map_err(|_| no_column(table, n))?;
            if table.columns[c].generated.is_some() {
                let why = format!("column \"{n}\" is a generated column");
                return Err(SqlError::new(SqlState::INVALID_COLUMN_REFERENCE, why)
                    .with_detail("Generated columns cannot be used in COPY."));
            }
            if columns.contains(&c) {
                return Err(SqlError::new(
                    SqlState::DUPLICATE_COLUMN,
                    format!("column \"{n}\" specified more than once"),
                ));
            }
            columns.push(c);
        }
        Ok(columns)
    }

    /// Takes in data of a COPY FROM STDIN.
    pub fn copy_in_data(&mut self, c: &mut CopyIn, data: &[u8]) -> Result<(), SqlError> {
        let _entered = self.enter();
        let mut meter = c.meter.take();
        let result = self.metered_copy(&mut meter, |s| s.copy_rows(c, Some(data)));
        c.meter = meter;
        self.observe(true);
        result
    }

    /// The data is complete.
    pub fn copy_in_finish(&mut self, mut c: Box<CopyIn>) -> Result<CommandTag, SqlError> {
        let _entered = self.enter();
        let mut meter = c.meter.take();
        let result = self.metered_copy(&mut meter, |s| s.finish_copy(c));
        self.end_copy(meter, result.as_ref().ok().copied());
        Ok(CommandTag::counted("COPY", result?))
    }

    /// The last rows, and what is left to do for all; how many they were.
    fn finish_copy(&mut self, mut c: Box<CopyIn>) -> Result<u64, SqlError> {
        let mut result = self.copy_rows(&mut c, None);
        if result.is_ok() {
            let CopyIn { plan, run, writer, filler, target, .. } = &mut *c;
            let filler = filler.take();
            result = self.with_cx(plan, &[], run, |cx| {
                filler.map_or(Ok(()), |f| f.finish(cx))?;
                writer.scratch.tell_pages(&plan.targets[*target].table);
                writer.finish(&plan.targets[*target], cx)
            });
        }
        self.observe(true);
        result?;
        if c.skipped > 0 && c.options.verbosity != CopyVerbosity::Silent {
            let rows = if c.skipped == 1 { "row was" } else { "rows were" };
            let message = format!("{} {rows} skipped due to data type incompatibility", c.skipped);
            self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
        }
        let (table, changed) =
            (&c.plan.targets[c.target].table, Changed { inserted: c.count, ..Changed::default() });
        table.shared.changes.add(changed);
        self.env.note_changed(table.oid, changed);
        bump(&self.info.counts.inserted, c.count);
        Ok(c.count)
    }

    /// Takes in the rows of a piece of data; None: it was the last.
    fn copy_rows(&mut self, c: &mut CopyIn, data: Option<&[u8]>) -> Result<(), SqlError> {
        // Apart, so that what is left can be lent to whoever takes the rows.
        let plan = std::mem::replace(&mut c.plan, Deep::new(0, Plan::nothing(0)));
        let mut run = std::mem::replace(&mut c.run, RunState::new(&plan, &self.budget));
        let reader = Reader::Rows(BinaryReader::new(0, 0));
        let mut reader = std::mem::replace(&mut c.reader, reader);
        let encoding = self.client_encoding();
        let table = plan.targets[c.target].table.name.clone();
        let result = self.with_cx(&plan, &[], &mut run, |cx| match (&mut reader, data) {
            (Reader::Lines(r), data) => {
                let result = match data {
                    Some(data) => {
                        let data = c.encoding.decode(data)?;
                        r.feed(&data, &mut |number, line| c.take(number, line, encoding, cx))
                    }
                    None => r.finish(&mut |number, line| c.take(number, line, encoding, cx)),
                };
                result.map_err(|e| match e.context {
                    Some(_) => e,
                    // The line that was being read.
                    None => e.with_context(format!("COPY {table}, line {}", r.line + 1)),
                })
            }
            (Reader::Rows(r), data) => {
                let before = r.line;
                let result = match data {
                    Some(data) => r.feed(data, &mut |number, row| c.take(number, row, encoding, cx)),
                    None => r.finish(),
                };
                result.map_err(|e| match r.line {
                    0 => e,
                    _ if e.context.is_some() && r.line > before => e,
                    line => e.with_context(format!("COPY {table}, line {line}")),
                })
            }
        });
        (c.plan, c.run, c.reader) = (plan, run, reader);
        let work = &c.shown.work;
        work.done.store(c.count, Ordering::Relaxed);
        work.excluded.store(c.excluded, Ordering::Relaxed);
        work.skipped.store(c.skipped, Ordering::Relaxed);
        work.bytes.fetch_add(data.map_or(0, |d| d.len() as u64), Ordering::Relaxed);
        for message in c.notices.drain(..) {
            self.notice("NOTICE", SqlState::SUCCESSFUL_COMPLETION, message);
        }
        result
    }
}

fn no_column(table: &Table, name: &str) -> SqlError {
    SqlError::new(
        SqlState::UNDEFINED_COLUMN,
        format!("column \"{name}\" of relation \"{}\" does not exist", table.name),
    )
}

/// Columns that an option names have to be among those that are copied.
fn check_forced(option: &str, forced: &Forced, table: &Table, columns: &[usize]) -> Result<(), SqlError> {
    let Forced::Columns(names) = forced else { return Ok(()) };
    for name in names {
        if !columns.contains(&table.find_column(name)?) {
            return Err(SqlError::new(
                SqlState::INVALID_COLUMN_REFERENCE,
                format!("{option} column \"{name}\" not referenced by COPY"),
            ));
        }
    }
    Ok(())
}
