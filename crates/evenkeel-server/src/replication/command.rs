//! The commands of a replication connection, as PostgreSQL's grammar has them, with options of our own where our log is not PostgreSQL's.
//!
//! It must not know what the commands do.

use evenkeel::Lsn;
use evenkeel_sql::{SqlError, SqlState};

use crate::errors::error;

/// One command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Command {
    /// Who are you, and how far is your log?
    IdentifySystem,
    /// A setting's value.
    Show(String),
    CreateSlot {
        name: String,
        temporary: bool,
        reserve: bool,
    },
    DropSlot(String),
    ReadSlot(String),
    Start(Start),
    TimelineHistory(u32),
    BaseBackup(BaseBackup),
    /// Ours: of a standby, take over.
    Promote,
    /// Ours: up to where is your log that of somebody with these lives?
    Fork(Vec<(u64, Lsn)>),
}

/// START_REPLICATION.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Start {
    pub slot: Option<String>,
    pub at: Lsn,
    /// Ours: the life of the log that `at` lies in, 0: the follower has none yet. Without it somebody expects PostgreSQL's log.
    pub life: Option<u64>,
    /// Ours: `strip` or `keep`.
    pub images: Option<String>,
    /// Ours: `zstd` or `off`.
    pub compression: Option<String>,
}

/// BASE_BACKUP.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct BaseBackup {
    /// Ours: the slot that keeps the log which the copy needs. Without it somebody expects PostgreSQL's files.
    pub slot: Option<String>,
    pub fast: bool,
    /// Bytes a second.
    pub rate: u64,
    /// Ours: zstd's level.
    pub level: u64,
    /// Ours: pages that whoever asks has, as `Have` writes it.
    pub have: Option<String>,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Token<'a> {
    /// A word as it stands, which may be a keyword, a number or a position.
    Word(&'a str),
    /// Between double quotes.
    Name(String),
    /// Between single quotes.
    Text(String),
    Mark(char),
}

struct Tokens<'a> {
    rest: &'a str,
}

fn syntax(what: impl std::fmt::Display) -> SqlError {
    error(SqlState::SYNTAX_ERROR, format!("syntax error in a replication command: {what}"))
}

impl<'a> Tokens<'a> {
    fn next(&mut self) -> Result<Option<Token<'a>>, SqlError> {
        self.rest = self.rest.trim_start();
        let Some(first) = self.rest.chars().next() else { return Ok(None) };
        match first {
            '"' | '\'' => {
                let text = self.quoted(first)?;
                Ok(Some(if first == '"' { Token::Name(text) } else { Token::Text(text) }))
            }
            c if c.is_ascii_alphanumeric() || c == '_' => {
                let of_word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '/' | '.' | '-');
                let n = self.rest.find(|c| !of_word(c)).unwrap_or(self.rest.len());
                let (word, rest) = self.rest.split_at(n);
                self.rest = rest;
                Ok(Some(Token::Word(word)))
            }
            c => {
                self.rest = &self.rest[c.len_utf8()..];
                Ok(Some(Token::Mark(c)))
            }
        }
    }

    /// Up to the closing quote; two of them stand for one.
    fn quoted(&mut self, quote: char) -> Result<String, SqlError> {
        let mut text = String::new();
        let mut rest = &self.rest[1..];
        loop {
            let Some(n) = rest.find(quote) else { return Err(syntax("a quote is not closed")) };
            text.push_str(&rest[..n]);
            rest = &rest[n + 1..];
            match rest.strip_prefix(quote) {
                Some(more) => {
                    text.push(quote);
                    rest = more;
                }
                None => break,
            }
        }
        self.rest = rest;
        Ok(text)
    }

    fn peek(&mut self) -> Result<Option<Token<'a>>, SqlError> {
        let before = self.rest;
        let token = self.next();
        self.rest = before;
        token
    }

    /// Takes a keyword, if it is the next token.
    fn takes(&mut self, keyword: &str) -> Result<bool, SqlError> {
        match self.peek()? {
            Some(Token::Word(word)) if word.eq_ignore_ascii_case(keyword) => self.next().map(|_| true),
            _ => Ok(false),
        }
    }

    fn takes_mark(&mut self, mark: char) -> Result<bool, SqlError> {
        match self.peek()? {
            Some(Token::Mark(c)) if c == mark => self.next().map(|_| true),
            _ => Ok(false),
        }
    }

    fn expects(&mut self, keyword: &str) -> Result<(), SqlError> {
        if self.takes(keyword)? { Ok(()) } else { Err(syntax(format_args!("{keyword} is expected"))) }
    }

    fn name(&mut self) -> Result<String, SqlError> {
        match self.next()? {
            Some(Token::Word(word)) => Ok(word.to_ascii_lowercase()),
            Some(Token::Name(name)) => Ok(name),
            _ => Err(syntax("a name is expected")),
        }
    }

    fn number<T: std::str::FromStr>(&mut self) -> Result<T, SqlError> {
        match self.next()? {
            Some(Token::Word(word)) => {
                word.parse().map_err(|_| syntax(format_args!("\"{word}\" is no number")))
            }
            _ => Err(syntax("a number is expected")),
        }
    }

    /// `( name [value] [, …] )`, if it comes; values as text.
    fn options(&mut self) -> Result<Vec<(String, Option<String>)>, SqlError> {
        let mut options = Vec::new();
        if !self.takes_mark('(')? {
            return Ok(options);
        }
        loop {
            let name = self.name()?;
            let value = match self.peek()? {
                Some(Token::Word(word)) => Some(word.to_owned()),
                Some(Token::Name(text) | Token::Text(text)) => Some(text),
                _ => None,
            };
            if value.is_some() {
                self.next()?;
            }
            options.push((name, value));
            if !self.takes_mark(',')? {
                break;
            }
        }
        if self.takes_mark(')')? { Ok(options) } else { Err(syntax("\")\" is expected")) }
    }
}

/// Whether an option that may stand without a value is on.
fn is_on(value: Option<&str>) -> Result<bool, SqlError> {
    match value.map(str::to_ascii_lowercase).as_deref() {
        None | Some("true" | "on" | "yes" | "1") => Ok(true),
        Some("false" | "off" | "no" | "0") => Ok(false),
        Some(other) => Err(syntax(format_args!("\"{other}\" is neither on nor off"))),
    }
}

fn unknown(option: &str, command: &str) -> SqlError {
    error(SqlState::SYNTAX_ERROR, format!("unrecognized option \"{option}\" of {command}"))
}

impl Command {
    /// Reads one.
    pub fn parse(text: &str) -> Result<Command, SqlError> {
        let mut t = Tokens { rest: text };
        let command = match t.name()?.as_str() {
            "identify_system" => Command::IdentifySystem,
            "show" => Command::Show(t.name()?),
            "create_replication_slot" => create_slot(&mut t)?,
            "drop_replication_slot" => {
                let name = t.name()?;
                t.takes("WAIT")?;
                Command::DropSlot(name)
            }
            "read_replication_slot" => Command::ReadSlot(t.name()?),
            "start_replication" => Command::Start(start(&mut t)?),
            "promote" => Command::Promote,
            "fork" => Command::Fork(lives(&mut t)?),
            "timeline_history" => Command::TimelineHistory(t.number()?),
            "base_backup" => Command::BaseBackup(base_backup(&mut t)?),
            other => return Err(syntax(format_args!("\"{other}\" is no replication command"))),
        };
        t.takes_mark(';')?;
        match t.next()? {
            None => Ok(command),
            Some(token) => Err(syntax(format_args!("{token:?} is too much"))),
        }
    }
}

fn create_slot(t: &mut Tokens<'_>) -> Result<Command, SqlError> {
    let name = t.name()?;
    let temporary = t.takes("TEMPORARY")?;
    if t.takes("LOGICAL")? {
        return Err(SqlError::unsupported("logical replication slots are not supported"));
    }
    t.expects("PHYSICAL")?;
    let mut reserve = t.takes("RESERVE_WAL")?;
    for (option, value) in t.options()? {
        match option.as_str() {
            "reserve_wal" => reserve = is_on(value.as_deref())?,
            _ => return Err(unknown(&option, "CREATE_REPLICATION_SLOT")),
        }
    }
    Ok(Command::CreateSlot { name, temporary, reserve })
}

fn start(t: &mut Tokens<'_>) -> Result<Start, SqlError> {
    let slot = if t.takes("SLOT")? { Some(t.name()?) } else { None };
    if t.takes("LOGICAL")? {
        return Err(SqlError::unsupported("logical replication is not supported"));
    }
    t.takes("PHYSICAL")?;
    let mut start = Start { slot, ..Start::default() };
    start.at = match t.next()? {
        Some(Token::Word(word)) if word.contains('/') => {
            word.parse().map_err(|e| syntax(format_args!("\"{word}\" is no position: {e}")))?
        }
        _ => return Err(syntax("a position is expected")),
    };
    if t.takes("TIMELINE")? {
        let _: u32 = t.number()?;
    }
    for (option, value) in t.options()? {
        match (option.as_str(), value) {
            ("life", Some(text)) => {
                let life = u64::from_str_radix(&text, 16);
                start.life = Some(life.map_err(|_| syntax(format_args!("\"{text}\" is no life of a log")))?);
            }
            ("images", Some(text)) if matches!(text.as_str(), "strip" | "keep") => start.images = Some(text),
            ("compression", Some(text)) if matches!(text.as_str(), "zstd" | "off") => {
                start.compression = Some(text);
            }
            _ => return Err(unknown(&option, "START_REPLICATION")),
        }
    }
    Ok(start)
}

/// `'life:end,…'`, lives in hexadecimal.
fn lives(t: &mut Tokens<'_>) -> Result<Vec<(u64, Lsn)>, SqlError> {
    let Some(Token::Text(text)) = t.next()? else { return Err(syntax("lives are expected, as a text")) };
    let life = |item: &str| {
        let (life, end) = item.split_once(':')?;
        Some((u64::from_str_radix(life, 16).ok()?, end.parse().ok()?))
    };
    text.split(',').map(life).collect::<Option<_>>().ok_or_else(|| syntax("the lives cannot be read"))
}

fn base_backup(t: &mut Tokens<'_>) -> Result<BaseBackup, SqlError> {
    let mut backup = BaseBackup { level: 1, ..BaseBackup::default() };
    let number = |value: Option<String>| {
        let text = value.unwrap_or_default();
        text.parse::<u64>().map_err(|_| syntax(format_args!("\"{text}\" is no number")))
    };
    for (option, value) in t.options()? {
        match option.as_str() {
            "slot" => backup.slot = value,
            "checkpoint" => backup.fast = value.as_deref() == Some("fast"),
            // As PostgreSQL's, in kB.
            "max_rate" => backup.rate = number(value)?.saturating_mul(1024),
            "level" => backup.level = number(value)?,
            "have" => backup.have = value,
            // What pg_basebackup says is for files that it will not get.
            _ => {}
        }
    }
    Ok(backup)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_read_as_clients_write_them() {
        let slot =
            |name: &str, temporary, reserve| Command::CreateSlot { name: name.into(), temporary, reserve };
        let cases = [
            ("IDENTIFY_SYSTEM", Command::IdentifySystem),
            (" identify_system ;", Command::IdentifySystem),
            ("SHOW wal_segment_size", Command::Show("wal_segment_size".into())),
            ("CREATE_REPLICATION_SLOT \"b\" PHYSICAL", slot("b", false, false)),
            ("CREATE_REPLICATION_SLOT b TEMPORARY PHYSICAL RESERVE_WAL", slot("b", true, true)),
            ("CREATE_REPLICATION_SLOT \"a\"\"b\" PHYSICAL (RESERVE_WAL)", slot("a\"b", false, true)),
            ("CREATE_REPLICATION_SLOT b PHYSICAL ( RESERVE_WAL 'off' )", slot("b", false, false)),
            ("DROP_REPLICATION_SLOT \"b\" WAIT", Command::DropSlot("b".into())),
            ("READ_REPLICATION_SLOT b", Command::ReadSlot("b".into())),
            ("promote", Command::Promote),
            ("FORK '1f:0/10,2:1/0'", Command::Fork(vec![(0x1f, Lsn(16)), (2, Lsn(1 << 32))])),
            ("TIMELINE_HISTORY 2", Command::TimelineHistory(2)),
        ];
        for (text, expected) in cases {
            assert_eq!(Command::parse(text).unwrap(), expected, "{text}");
        }
        let text = "START_REPLICATION SLOT \"b\" 1/2A0 TIMELINE 1";
        let plain = Start { slot: Some("b".into()), at: Lsn(0x1_0000_02a0), ..Start::default() };
        assert_eq!(Command::parse(text).unwrap(), Command::Start(plain));
        let text =
            "START_REPLICATION PHYSICAL 0/0 (life '9f00000000000001', images 'keep', compression 'off')";
        let ours = Start {
            life: Some(0x9f00_0000_0000_0001),
            images: Some("keep".into()),
            compression: Some("off".into()),
            ..Start::default()
        };
        assert_eq!(Command::parse(text).unwrap(), Command::Start(ours));
        let text = "BASE_BACKUP (SLOT 'b', CHECKPOINT 'fast', MAX_RATE 1024, LABEL 'x')";
        let backup = BaseBackup { slot: Some("b".into()), fast: true, rate: 1 << 20, level: 1, have: None };
        assert_eq!(Command::parse(text).unwrap(), Command::BaseBackup(backup));
    }

    #[test]
    fn nonsense_is_refused_with_a_syntax_error() {
        for text in [
            "",
            "SELECT 1",
            "IDENTIFY_SYSTEM x",
            "CREATE_REPLICATION_SLOT",
            "CREATE_REPLICATION_SLOT b",
            "CREATE_REPLICATION_SLOT \"b PHYSICAL",
            "CREATE_REPLICATION_SLOT b PHYSICAL (x)",
            "CREATE_REPLICATION_SLOT b PHYSICAL (RESERVE_WAL 'perhaps')",
            "CREATE_REPLICATION_SLOT b PHYSICAL (RESERVE_WAL",
            "START_REPLICATION",
            "START_REPLICATION 5",
            "START_REPLICATION 0/Z",
            "START_REPLICATION 0/5 (life 'x')",
            "START_REPLICATION 0/5 (images 'some')",
            "TIMELINE_HISTORY x",
            "FORK",
            "FORK 5",
            "FORK ''",
            "FORK '1:0/1,x:0/2'",
            "BASE_BACKUP (MAX_RATE 'x')",
            "ä",
        ] {
            let e = Command::parse(text).unwrap_err();
            assert_eq!(e.code, SqlState::SYNTAX_ERROR, "{text}");
        }
        let e = Command::parse("CREATE_REPLICATION_SLOT b LOGICAL pgoutput").unwrap_err();
        assert_eq!(e.code, SqlState::FEATURE_NOT_SUPPORTED);
    }
}
