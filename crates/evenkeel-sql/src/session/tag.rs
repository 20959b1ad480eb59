//! What a finished statement answers with. It must not know statements.
//!
//! A tag is made for each statement: one with a count is kept as its words and the count, and takes no memory of its own.

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
