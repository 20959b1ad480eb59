//! What a finished statement answers with. It must not know statements.
//!
//! A tag is made for each statement: one with a count is kept as its words and the count, and takes no memory of its own.

use crate::parse::normal;
use evenkeel_types::text_io::write_i64;
use std::borrow::Cow;
use std::fmt;

/// Verbs whose tags end with a number of rows.
const COUNTED: [&str; 9] =
    ["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "COPY", "FETCH", "MOVE", "REFRESH"];

/// What a finished statement did: `INSERT 0 1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommandTag {
    words: Cow<'static, str>,
    rows: Option<u64>,
}

impl CommandTag {
    /// One without a count.
    pub const fn of(words: &'static str) -> CommandTag {
        CommandTag { words: Cow::Borrowed(words), rows: None }
    }

    /// One that ends with a number of rows.
    pub const fn counted(words: &'static str, rows: u64) -> CommandTag {
        CommandTag { words: Cow::Borrowed(words), rows: Some(rows) }
    }

    /// It without the count.
    pub fn words(&self) -> &str {
        &self.words
    }

    /// The same of so many rows, if it tells of rows.
    pub(super) fn of_rows(&self, rows: u64) -> CommandTag {
        CommandTag { words: self.words.clone(), rows: self.rows.map(|_| rows) }
    }

    /// Writes it, as Display does.
    pub fn write_to(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(self.words.as_bytes());
        if let Some(rows) = self.rows {
            out.push(b' ');
            write_i64(i64::try_from(rows).unwrap_or(i64::MAX), out);
        }
    }

    /// How many rows the statement gave or changed; 0 where that is not told.
    pub fn rows(&self) -> u64 {
        self.rows.unwrap_or(0)
    }
}

/// Behind that much of a statement nothing is looked for.
const LOOKED_AT_BYTES: usize = 4 << 10;

/// Words of a statement outside of parentheses, in upper case: the first ones.
fn words_of(text: &str) -> Vec<String> {
    const WORDS_MAX: usize = 100;
    let (mut words, mut word, mut depth) = (Vec::new(), String::new(), 0u32);
    let mut rest = normal::cut(text, LOOKED_AT_BYTES).chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            c if depth == 0 && (c.is_ascii_alphanumeric() || c == '_') => word.push(c.to_ascii_uppercase()),
            _ if !word.is_empty() && words.len() == WORDS_MAX => return words,
            _ if !word.is_empty() => words.push(std::mem::take(&mut word)),
            _ => {}
        }
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            '\'' | '"' => _ = rest.by_ref().find(|other| *other == c),
            '-' if rest.peek() == Some(&'-') => _ = rest.by_ref().find(|other| *other == '\n'),
            '/' if rest.peek() == Some(&'*') => {
                let mut before = ' ';
                _ = rest
                    .by_ref()
                    .find(|other| std::mem::replace(&mut before, *other) == '*' && *other == '/');
            }
            _ => {}
        }
    }
    words.extend((!word.is_empty()).then_some(word));
    words
}

/// What PostgreSQL calls a statement before it is done, as far as its words tell: `CREATE TABLE`.
pub(super) fn command_of(text: &str) -> String {
    let words = words_of(text);
    let has = |word: &str| words.iter().any(|w| w == word);
    let is_changes = |w: &&String| matches!(&***w, "SELECT" | "INSERT" | "UPDATE" | "DELETE" | "MERGE");
    let Some((first, rest)) = words.split_first() else { return "SELECT".into() };
    let second = rest.first().map_or("", String::as_str);
    let named = match &**first {
        "WITH" => words.iter().find(is_changes).map_or("SELECT", String::as_str),
        "VALUES" | "TABLE" | "UNION" | "INTERSECT" | "EXCEPT" => "SELECT",
        "START" => "START TRANSACTION",
        "END" => "COMMIT",
        "ABORT" => "ROLLBACK",
        "ANALYSE" => "ANALYZE",
        "LOCK" => "LOCK TABLE",
        "TRUNCATE" => "TRUNCATE TABLE",
        "DECLARE" => "DECLARE CURSOR",
        "CLOSE" => "CLOSE CURSOR",
        "REFRESH" => "REFRESH MATERIALIZED VIEW",
        "GRANT" if !has("ON") => "GRANT ROLE",
        "REVOKE" if !has("ON") => "REVOKE ROLE",
        "SET" if second == "CONSTRAINTS" => "SET CONSTRAINTS",
        "DISCARD" | "REASSIGN" | "SECURITY" => return format!("{first} {second}"),
        "CREATE" | "ALTER" | "DROP" => return definition(first, rest),
        _ => first,
    };
    named.to_owned()
}

fn definition(verb: &str, rest: &[String]) -> String {
    const BESIDE: [&str; 10] = [
        "OR",
        "REPLACE",
        "TEMP",
        "TEMPORARY",
        "UNLOGGED",
        "GLOBAL",
        "LOCAL",
        "RECURSIVE",
        "UNIQUE",
        "TRUSTED",
    ];
    const FIRST_OF_TWO: [&str; 9] =
        ["MATERIALIZED", "FOREIGN", "EVENT", "ACCESS", "OPERATOR", "DEFAULT", "LARGE", "OWNED", "TEXT"];
    let mut kind = rest.iter().map(String::as_str).skip_while(|w| BESIDE.contains(w));
    let (first, second) = (kind.next().unwrap_or(""), kind.next().unwrap_or(""));
    let what = match (first, second) {
        ("USER", "MAPPING") => "USER MAPPING".to_owned(),
        ("USER" | "GROUP", _) => "ROLE".to_owned(),
        ("TABLE", _) if verb == "CREATE" && rest.iter().any(|w| w == "AS") => "TABLE AS".to_owned(),
        ("OPERATOR", other) if !matches!(other, "CLASS" | "FAMILY") => first.to_owned(),
        ("TEXT", "SEARCH") => format!("TEXT SEARCH {}", kind.next().unwrap_or("")),
        _ if FIRST_OF_TWO.contains(&first) => format!("{first} {second}"),
        _ => first.to_owned(),
    };
    format!("{verb} {what}").trim_end().to_owned()
}

/// Of a text that may end with a count: `CREATE TABLE … AS` has the tag of what it selects from.
impl From<String> for CommandTag {
    fn from(text: String) -> CommandTag {
        let counted = text
            .rsplit_once(' ')
            .filter(|(words, _)| COUNTED.iter().any(|verb| words.starts_with(verb)))
            .and_then(|(words, rows)| Some((words.len(), rows.parse().ok()?)));
        match counted {
            Some((length, rows)) => CommandTag { words: text[..length].to_owned().into(), rows: Some(rows) },
            None => CommandTag { words: text.into(), rows: None },
        }
    }
}

impl fmt::Display for CommandTag {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)?;
        match self.rows {
            Some(rows) => write!(f, " {rows}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_called_by_its_words() {
        for (text, command) in [
            ("select 1", "SELECT"),
            (" (select 1) union select 2", "SELECT"),
            ("/* a ' */ -- (\n insert into t values (1)", "INSERT"),
            ("with a as (select 1), b as (delete from t) update t set a = 1", "UPDATE"),
            ("create or replace temp view v as select 1", "CREATE VIEW"),
            ("create unlogged table t (a int)", "CREATE TABLE"),
            ("create table t as select 1", "CREATE TABLE AS"),
            ("create unique index on t (a)", "CREATE INDEX"),
            ("create user u", "CREATE ROLE"),
            ("drop materialized view v", "DROP MATERIALIZED VIEW"),
            ("alter system set work_mem = 1", "ALTER SYSTEM"),
            ("grant a to b", "GRANT ROLE"),
            ("grant select on t to b", "GRANT"),
            ("end", "COMMIT"),
            ("set constraints all deferred", "SET CONSTRAINTS"),
            ("discard all", "DISCARD ALL"),
        ] {
            assert_eq!(command_of(text), command, "{text}");
        }
    }

    #[test]
    fn a_text_and_its_count_are_told_as_they_were() {
        for (text, rows) in [("SELECT 12", 12), ("INSERT 0 3", 3), ("CREATE TABLE", 0), ("BEGIN", 0)] {
            let tag = CommandTag::from(text.to_owned());
            assert_eq!((tag.to_string().as_str(), tag.rows()), (text, rows));
            let mut written = Vec::new();
            tag.write_to(&mut written);
            assert_eq!(written, text.as_bytes());
        }
        assert_eq!(CommandTag::counted("INSERT 0", 3), CommandTag::from("INSERT 0 3".to_owned()));
    }
}
