//! Where in a definition's text an error is.
//!
//! Invariant: places are of what the client sent, as `self.source` has it; an error that has a place keeps it.
//!
//! Must not know: what the errors are.

use crate::parse::cursor::position_of;
use crate::parse::tokenize;
use crate::session::Session;
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::{Location, Token};

impl Session {
    /// An error is at this place.
    pub(super) fn at(&self, e: SqlError, place: Location) -> SqlError {
        match position_of(&self.source, place) {
            Some(position) => e.with_position(position),
            None => e,
        }
    }

    /// An error is at the last of these words before a place.
    pub(super) fn at_word_before(&self, e: SqlError, word: &str, place: Location) -> SqlError {
        let tokens = tokenize(&self.source).unwrap_or_default();
        let before = tokens.iter().rev().skip_while(|t| t.span.start >= place);
        let is_word = |token: &Token| matches!(token, Token::Word(w) if w.quote_style.is_none() && w.value.eq_ignore_ascii_case(word));
        match before.into_iter().find(|t| is_word(&t.token)) {
            Some(t) => self.at(e, t.span.start),
            None => e,
        }
    }
}
