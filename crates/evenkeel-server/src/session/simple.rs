//! The simple query protocol: one string, any number of statements.
//!
//! It must not know sockets.

use super::rows::RowWriter;
use super::{AfterCopy, ClientSession, Mode};
use crate::errors::Failure;
use crate::service::{Outcome, Service, SqlSession};
use crate::wire::output::{OutputShape, ResultFormats};
use evenkeel_sql::{CommandTag, is_reshaped};

impl<S: Service> ClientSession<S> {
    /// Runs the statements of `sql` one after another, as one transaction unless they say otherwise.
    pub(super) fn simple_query(&mut self, sql: &str) -> Result<(), Failure> {
        self.objects.drop_unnamed();
        let script = self.sql.parse_script(sql)?;
        if script.is_empty() {
            self.out.empty_query_response();
        }
        // A string of several statements would begin with the first of them again.
        let alone = script.len() == 1;
        let before = self.out.bytes.len();
        self.sql.set_may_wait_outside(alone);
        self.run_script(script.into_iter())?;
        if self.waits {
            self.out.bytes.truncate(before);
        }
        Ok(())
    }

    /// Runs what is left of a script; a COPY leaves the rest for later.
    pub(super) fn run_script(&mut self, mut rest: std::vec::IntoIter<Statement<S>>) -> Result<(), Failure> {
        while let Some(statement) = rest.next() {
            self.begin_work(true)?;
            match self.run_simple(&statement)? {
                Outcome::CopyIn(copy) => {
                    let (columns, binary) = <S::Session as SqlSession>::copy_in_shape(&copy);
                    self.out.copy_in_response(columns, binary);
                    self.mode = Mode::CopyIn(copy, AfterCopy::Script(rest));
                    self.urgent = true;
                    return Ok(());
                }
                Outcome::Done(tag) => self.complete_simple(&tag, rest.as_slice().is_empty())?,
                Outcome::Empty => self.out.empty_query_response(),
                Outcome::Waits => {
                    self.waits = true;
                    return Ok(());
                }
                // There was no row limit.
                Outcome::Suspended => self.out.portal_suspended(),
            }
        }
        Ok(self.ready()?)
    }

    fn run_simple(&mut self, statement: &Statement<S>) -> Result<Outcome<CopyIn<S>>, Failure> {
        let mut is_rebound = false;
        loop {
            let before = self.out.bytes.len();
            let mut portal = self.sql.bind(statement, Vec::new())?;
            let shape = OutputShape::of(<S::Session as SqlSession>::portal_columns(&portal), None);
            let formats = match <S::Session as SqlSession>::is_portal_binary(&portal) {
                true => ResultFormats::Binary,
                false => ResultFormats::Text,
            };
            if let Some(shape) = &shape {
                self.out.row_description(shape, &formats);
            }
            let options = self.sql.format_options();
            let of_server = self.sql.tells_of_server(&portal);
            let mut rows = RowWriter::new(&mut self.out, &mut self.link, shape.as_deref(), &formats, options)
                .whole(of_server);
            let result = self.sql.run(&mut portal, 0, &mut rows);
            if is_rebound || !result.as_ref().is_err_and(is_reshaped) {
                return rows.finish(result);
            }
            // Definitions have changed while it waited for them, which are locked now, and its columns are others.
            self.out.bytes.truncate(before);
            is_rebound = true;
        }
    }

    /// CommandComplete. The last statement's tells that the transaction is committed, so that comes first.
    pub(super) fn complete_simple(&mut self, tag: &CommandTag, last: bool) -> Result<(), Failure> {
        if last {
            self.sql.sync()?;
        }
        self.end_statement();
        self.complete(tag);
        Ok(())
    }

    /// Notices, then CommandComplete, and what the server itself makes of some commands.
    pub(super) fn complete(&mut self, tag: &CommandTag) {
        self.notices();
        match tag.words() {
            "DEALLOCATE" | "DEALLOCATE ALL" | "DISCARD ALL" => {
                let sql = &self.sql;
                self.objects.retain_statements(|name| sql.named(name).is_some());
                self.objects.retain_open_portals();
            }
            "COMMIT" => self.transaction_began_us = None,
            "ROLLBACK" => {
                self.objects.retain_open_portals();
                // One to a savepoint has the same tag.
                if self.sql.transaction_status() != b'T' {
                    self.transaction_began_us = None;
                }
            }
            "CLOSE CURSOR" | "CLOSE CURSOR ALL" => self.objects.retain_open_portals(),
            _ => {}
        }
        // The next statement of the same batch is timed and read by them already: SET changes them, functions and a transaction's end do.
        self.timeouts = self.sql.timeouts();
        self.out.encoding = self.sql.client_encoding();
        self.out.command_complete(tag);
    }
}

pub(super) type Statement<S> = <<S as Service>::Session as SqlSession>::Statement;
pub(super) type CopyIn<S> = <<S as Service>::Session as SqlSession>::CopyIn;
