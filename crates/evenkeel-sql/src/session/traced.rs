//! Spans of a session's statements: noted when one is done, told when its answer has been sent.
//!
//! Invariants:
//! 1. What is noted is told once, in the order in which statements were run, and not more than [`NOTED_MAX`] are kept.
//!
//! Must not know: who takes them.

use super::{Prepared, Progress, Session};
use crate::spans::{StatementSpan, operation_of, parent_of, text_of};
use evenkeel_types::datetime::wall_clock_us;
use evenkeel_types::error::SqlError;
use std::time::{Duration, Instant};

/// Statements whose answers wait for one write to the client, as a pipeline's do: more are told of without waiting.
const NOTED_MAX: usize = 256;

/// What a script has between a statement and its semicolon: comments behind the last word are not of its text. A statement that was found by its shape has them.
fn behind(statement: &Prepared) -> &str {
    let source = &*statement.body.source;
    let from = if statement.values.is_empty() { source.find(&*statement.text) } else { None };
    let rest = from.and_then(|at| source.get(at + statement.text.len()..)).unwrap_or("");
    rest.split(';').next().unwrap_or("")
}

impl Session {
    /// A statement has ended, if it is to be traced.
    pub(super) fn note_span(
        &mut self,
        statement: &Prepared,
        began: Instant,
        result: &Result<Progress, SqlError>,
    ) {
        let Some(spans) = self.instance.spans() else { return };
        let rows = match result {
            Ok(Progress::Done(tag)) => tag.rows(),
            Err(_) => 0,
            // It goes on.
            Ok(_) => return,
        };
        let parent = parent_of(&statement.text).or_else(|| parent_of(behind(statement)));
        let is_wanted = match parent {
            Some(parent) => parent.is_sampled,
            None => fastrand::f64() < spans.rate(),
        };
        if !is_wanted || self.info.pid == 0 {
            return;
        }
        let ran = began.elapsed();
        let span = StatementSpan {
            began_us: wall_clock_us() - ran.as_micros() as i64,
            ran,
            answered: ran,
            operation: operation_of(&statement.text),
            text: text_of(&statement.text),
            number: self.number_of(statement),
            rows,
            error: result.as_ref().err().map(|e| e.code.as_str().to_owned()),
            database: self.info.database.clone(),
            user: self.info.user.clone(),
            application_name: self.info.activity.lock().application_name.clone(),
            pid: self.info.pid,
            parent,
        };
        if self.untold_spans.len() >= NOTED_MAX {
            self.tell_spans();
        }
        self.untold_spans.push((began, span));
    }

    /// The client has its answers. (1)
    pub(super) fn tell_spans(&mut self) {
        let noted = std::mem::take(&mut self.untold_spans);
        let Some(spans) = self.instance.spans() else { return };
        for (began, mut span) in noted {
            span.answered = began.elapsed().max(Duration::from_nanos(1));
            spans.tell(span);
        }
    }
}
