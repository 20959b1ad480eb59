//! The constructors of SQL/XML, which have a grammar of their own: refused by their names.
//!
//! Must not know: types.

use super::cursor::is_word;
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::{Token, TokenWithSpan};

const CONSTRUCTORS: [&str; 9] = [
    "xmlconcat",
    "xmlelement",
    "xmlexists",
    "xmlforest",
    "xmlparse",
    "xmlpi",
    "xmlroot",
    "xmlserialize",
    "xmltable",
];

/// Fails if a statement has one.
pub(super) fn refuse(tokens: &[TokenWithSpan]) -> Result<(), SqlError> {
    for pair in tokens.windows(2) {
        let is_call = pair[1].token == Token::LParen;
        let found = CONSTRUCTORS.iter().find(|w| is_call && is_word(Some(&pair[0].token), w));
        if let Some(name) = found {
            let message = format!("unsupported XML feature: {name}");
            return Err(SqlError::unsupported(message));
        }
    }
    Ok(())
}
