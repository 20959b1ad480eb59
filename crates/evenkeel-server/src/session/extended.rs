//! The extended query protocol: Parse, Bind, Describe, Execute.
//!
//! This is the path of prepared statements. A round trip of Bind, Describe, Execute and Sync allocates the parameters' vector
//! and what the executor needs, nothing else.
//!
//! It must not know sockets.

use evenkeel_sql::{SqlError, SqlState};
use evenkeel_types::encoding::Encoding;
use evenkeel_types::{Datum, FormatOptions, Type, input_binary, input_text};

use super::objects::{PortalEntry, StatementEntry};
use super::rows::RowWriter;
use super::{AfterCopy, ClientSession, Mode};
use crate::errors::{Failure, error, protocol_violation};
use crate::service::{Outcome, Service, SqlSession};
use crate::wire::frontend::{Bind, Parse, Target, bad_utf8};
use crate::wire::output::{OutputShape, ResultFormats};

impl<S: Service> ClientSession<S> {
    pub(super) fn parse(&mut self, m: &Parse<'_>) -> Result<(), Failure> {
        self.adopt(m.name)?;
        if m.name.is_empty() {
            self.objects.drop_unnamed_statement();
        }
        let types: Vec<u32> = m.types().collect();
        let statement = self.sql.prepare(m.sql, &types)?;
        self.objects.admit_statement(m.name, m.sql.len())?;
        let shape = OutputShape::of(<S::Session as SqlSession>::columns(&statement), None);
        if !m.name.is_empty() {
            self.sql.keep_named(m.name, &statement)?;
        }
        self.objects.add_statement(m.name, StatementEntry { statement, shape, bytes: m.sql.len() });
        self.out.parse_complete();
        Ok(())
    }

    /// A statement that SQL has PREPAREd is used by its name like one of the protocol's.
    fn adopt(&mut self, name: &str) -> Result<(), SqlError> {
        if self.objects.has_statement(name) {
            return Ok(());
        }
        if let Some(statement) = self.sql.named(name) {
            self.objects.admit_statement(name, 0)?;
            let shape = OutputShape::of(<S::Session as SqlSession>::columns(&statement), None);
            self.objects.add_statement(name, StatementEntry { statement, shape, bytes: 0 });
        }
        Ok(())
    }

    pub(super) fn bind(&mut self, m: &Bind<'_>) -> Result<(), Failure> {
        self.adopt(m.statement)?;
        let entry = self.objects.statement(m.statement)?;
        let needed = <S::Session as SqlSession>::parameter_types(&entry.statement).len();
        if needed != m.parameter_count() {
            return Err(protocol_violation(format!(
                "bind message supplies {} parameters, but prepared statement \"{}\" requires {needed}",
                m.parameter_count(),
                m.statement,
            ))
            .into());
        }
        self.objects.admit_portal(m.portal, m.parameter_bytes())?;
        self.sql.refresh();
        let entry = self.objects.statement(m.statement)?;
        let types = <S::Session as SqlSession>::parameter_types(&entry.statement);
        let nth = |n| format!("unnamed portal parameter ${n}");
        let params = parameters(m.parameters(), types, &self.sql, self.out.encoding, nth)?;
        let mut portal = self.sql.bind(&entry.statement, params)?;
        if !m.portal.is_empty() {
            portal = self.sql.name_portal(m.portal, portal)?;
        }
        let shape =
            OutputShape::of(<S::Session as SqlSession>::portal_columns(&portal), entry.shape.as_ref());
        let formats = ResultFormats::of(m, shape.as_ref().map_or(0, |s| s.columns.len()))?;
        entry.shape.clone_from(&shape);
        self.objects.add_portal(m.portal, PortalEntry { portal, shape, formats, bytes: m.parameter_bytes() });
        self.out.bind_complete();
        Ok(())
    }

    pub(super) fn describe(&mut self, target: Target<'_>) -> Result<(), Failure> {
        if let Target::Portal(name) = target
            && !self.objects.has_portal(name)
            && let Some((columns, binary)) = self.sql.cursor_shape(name)
        {
            let formats = if binary { ResultFormats::Binary } else { ResultFormats::Text };
            if let Some(shape) = OutputShape::of(Some(&columns), None) {
                self.out.row_description(&shape, &formats);
            }
            return Ok(());
        }
        let (statement, shape, formats) = match target {
            Target::Statement(name) => {
                self.adopt(name)?;
                let entry = self.objects.statement(name)?;
                (Some(&entry.statement), &entry.shape, &ResultFormats::Text)
            }
            Target::Portal(name) => {
                self.check_portal_is_not_lost(name)?;
                let entry = self.objects.portal(name)?;
                (None, &entry.shape, &entry.formats)
            }
        };
        if shape.is_some() && self.sql.transaction_status() == b'E' {
            return Err(aborted().into());
        }
        if let Some(statement) = statement {
            self.out.parameter_description(<S::Session as SqlSession>::parameter_oids(statement));
        }
        match shape {
            Some(shape) => self.out.row_description(shape, formats),
            None => self.out.no_data(),
        }
        Ok(())
    }

    /// A transaction that failed has lost its portals; that it failed is what is to be said of them.
    fn check_portal_is_not_lost(&self, name: &str) -> Result<(), SqlError> {
        let is_lost = self.sql.transaction_status() == b'E' && !self.objects.is_portal_there(name);
        if is_lost { Err(aborted()) } else { Ok(()) }
    }

    pub(super) fn execute(&mut self, name: &str, max_rows: i32) -> Result<(), Failure> {
        let was_in_transaction = self.sql.transaction_status() != b'I';
        let mut ends_transaction = false;
        self.check_portal_is_not_lost(name)?;
        let mut cursor = None;
        let declared = if self.objects.has_portal(name) { None } else { self.sql.cursor_portal(name) };
        let entry = match declared {
            Some(portal) => {
                let shape = OutputShape::of(<S::Session as SqlSession>::portal_columns(&portal), None);
                // BINARY is for FETCH, as in PostgreSQL.
                cursor.insert(PortalEntry { portal, shape, formats: ResultFormats::Text, bytes: 0 })
            }
            None => self.objects.portal(name)?,
        };
        if <S::Session as SqlSession>::is_portal_spent(&entry.portal) {
            let why = format!("portal \"{name}\" cannot be run");
            return Err(error(SqlState::OBJECT_NOT_IN_PREREQUISITE_STATE, why).into());
        }
        let options = match &entry.shape {
            Some(_) => self.sql.format_options(),
            None => FormatOptions::default(),
        };
        self.sql.set_may_wait_outside(true);
        let of_server = self.sql.tells_of_server(&entry.portal);
        let mut rows =
            RowWriter::new(&mut self.out, &mut self.link, entry.shape.as_deref(), &entry.formats, options)
                .whole(of_server);
        let result = self.sql.run(&mut entry.portal, max_rows.max(0) as u64, &mut rows);
        match rows.finish(result)? {
            Outcome::Done(tag) => {
                self.sql.note_piped(&entry.portal);
                ends_transaction = matches!(tag.words(), "COMMIT" | "ROLLBACK");
                self.complete(&tag);
            }
            Outcome::Suspended => {
                self.notices();
                self.out.portal_suspended();
            }
            Outcome::Empty => self.out.empty_query_response(),
            Outcome::Waits => {
                self.waits = true;
                return Ok(());
            }
            Outcome::CopyIn(copy) => {
                let (columns, binary) = <S::Session as SqlSession>::copy_in_shape(&copy);
                self.out.copy_in_response(columns, binary);
                self.mode = Mode::CopyIn(copy, AfterCopy::Batch);
                self.urgent = true;
                return Ok(());
            }
        }
        self.end_statement();
        if (was_in_transaction || ends_transaction) && self.sql.transaction_status() == b'I' {
            self.objects.drop_portals();
        }
        Ok(())
    }
}

fn aborted() -> SqlError {
    let why = "current transaction is aborted, commands ignored until end of transaction block";
    SqlError::new(SqlState::IN_FAILED_SQL_TRANSACTION, why)
}

/// The values that a message gives, by the types that the statement was prepared with; `nth` says which one is wrong.
pub(super) fn parameters<'m, Q: SqlSession>(
    values: impl Iterator<Item = (bool, Option<&'m [u8]>)>,
    types: &[Type],
    sql: &Q,
    encoding: Encoding,
    nth: fn(usize) -> String,
) -> Result<Vec<Datum>, SqlError> {
    let mut params = Vec::with_capacity(types.len());
    let mut options = None;
    for (i, ((binary, value), &ty)) in values.zip(types).enumerate() {
        let datum = match value {
            None => Ok(Datum::Null),
            Some(bytes) if binary => encoding
                .decode_binary(bytes, ty)
                .and_then(|b| input_binary(&b, ty, -1, options.get_or_insert_with(|| sql.format_options()))),
            Some(bytes) => encoding.decode(bytes).and_then(|bytes| {
                let text = str::from_utf8(&bytes).map_err(|e| bad_utf8(&bytes, e))?;
                if text.contains('\0') {
                    let message = "invalid byte sequence for encoding \"UTF8\": 0x00";
                    return Err(error(SqlState::CHARACTER_NOT_IN_REPERTOIRE, message));
                }
                input_text(text, ty, -1, options.get_or_insert_with(|| sql.format_options()))
            }),
        };
        params.push(datum.map_err(|e| e.with_context(nth(i + 1)))?);
    }
    Ok(params)
}
