//! DROP of what there is nothing of, or nothing that can be dropped: functions, triggers, rules, policies, publications and the like. With IF EXISTS, as dumps and
//! migrations write it, that is no error. Statistics objects are among them, of which there may be some.
//!
//! Must not know: what is there.

use super::Stmt;
use super::cursor::{Cursor, is_word};
use super::stmt::Name;
use super::utility::unsupported;
use evenkeel_types::error::SqlError;
use sqlparser::tokenizer::Token;

/// DROP of such.
#[derive(Clone, Debug)]
pub struct DropOtherStmt {
    /// What they are called where they are missing.
    pub noun: &'static str,
    /// The command.
    pub tag: String,
    /// IF EXISTS.
    pub if_exists: bool,
    /// Which.
    pub objects: Vec<Other>,
}

/// One of them.
#[derive(Clone, Debug)]
pub enum Other {
    /// By its name.
    Named(Name),
    /// By its name and the types of its arguments, where they are said.
    Called(Name, Option<Vec<String>>),
    /// By its name, and the table that it is of.
    OfTable(String, Name),
}

/// Kinds whose names stand in lists: how they are written, and what they are called where they are missing.
const NAMED: [(&[&str], &str); 14] = [
    (&["access", "method"], "access method"),
    (&["conversion"], "conversion"),
    (&["event", "trigger"], "event trigger"),
    (&["foreign", "data", "wrapper"], "foreign-data wrapper"),
    (&["foreign", "table"], "foreign table"),
    (&["language"], "language"),
    (&["publication"], "publication"),
    (&["server"], "server"),
    (&["statistics"], "statistics object"),
    (&["subscription"], "subscription"),
    (&["text", "search", "configuration"], "text search configuration"),
    (&["text", "search", "dictionary"], "text search dictionary"),
    (&["text", "search", "parser"], "text search parser"),
    (&["text", "search", "template"], "text search template"),
];
const CALLED: [&str; 4] = ["aggregate", "function", "procedure", "routine"];
const OF_TABLES: [&str; 3] = ["policy", "rule", "trigger"];
/// How arguments are passed, which is written before their names.
const MODES: [&str; 4] = ["in", "out", "inout", "variadic"];

/// Parses it from the word behind DROP; None: it is something else.
pub(super) fn parse(c: &mut Cursor<'_>) -> Result<Option<Stmt>, SqlError> {
    c.take(&["procedural"]);
    let named = NAMED.iter().find(|(words, _)| c.take(words));
    let word =
        |words: &'static [&'static str], c: &mut Cursor<'_>| words.iter().copied().find(|w| c.take(&[w]));
    let (noun, tag) = match named {
        Some((words, noun)) => (*noun, words.join(" ")),
        None => match word(&CALLED, c).or_else(|| word(&OF_TABLES, c)) {
            Some(w) => (w, w.to_owned()),
            None => return Ok(None),
        },
    };
    let tag = format!("DROP {}", tag.to_uppercase());
    let if_exists = c.take(&["if", "exists"]);
    let mut objects = Vec::new();
    loop {
        let name = c.name()?;
        objects.push(if CALLED.contains(&noun) {
            Other::Called(name, arguments(c)?)
        } else if OF_TABLES.contains(&noun) {
            c.expect("on")?;
            Other::OfTable(name.name, c.name()?)
        } else {
            Other::Named(name)
        });
        if OF_TABLES.contains(&noun) || !c.take_token(&Token::Comma) {
            break;
        }
    }
    c.cascade();
    if !c.at_end() && tag == "DROP SUBSCRIPTION" {
        return Ok(Some(unsupported(c, &tag)));
    }
    Ok(Some(Stmt::DropOther(Box::new(DropOtherStmt { noun, tag, if_exists, objects }))))
}

/// The types in parentheses, each as it is written; None: there are no parentheses.
fn arguments(c: &mut Cursor<'_>) -> Result<Option<Vec<String>>, SqlError> {
    if !c.take_token(&Token::LParen) {
        return Ok(None);
    }
    let mut all = Vec::new();
    if c.take_token(&Token::Mul) {
        c.expect_token(&Token::RParen)?;
        return Ok(Some(all));
    }
    let (mut depth, mut words, mut is_out) = (0usize, Vec::new(), false);
    loop {
        let Some(token) = c.peek() else { return Err(c.syntax_error()) };
        let ends = depth == 0 && matches!(token, Token::Comma | Token::RParen);
        if ends {
            if words.is_empty() && !(all.is_empty() && *token == Token::RParen) {
                return Err(c.syntax_error());
            }
            // What a function gives is no part of its signature.
            if !words.is_empty() && !is_out {
                all.push(text_of(&words));
            }
            words.clear();
            is_out = false;
            c.skip(1);
            if *token == Token::RParen {
                return Ok(Some(all));
            }
            continue;
        }
        match token {
            Token::LParen => depth += 1,
            Token::RParen => depth -= 1,
            _ => {}
        }
        c.skip(1);
        if words.is_empty() && MODES.iter().any(|m| is_word(Some(token), m)) {
            is_out = is_word(Some(token), "out");
            continue;
        }
        words.push(token);
    }
}

/// The text of tokens, with a space between words.
fn text_of(tokens: &[&Token]) -> String {
    let mut text = String::new();
    for pair in tokens.windows(2) {
        text += &pair[0].to_string();
        if let [Token::Word(_), Token::Word(_)] = pair {
            text.push(' ');
        }
    }
    text + &tokens.last().map(ToString::to_string).unwrap_or_default()
}
