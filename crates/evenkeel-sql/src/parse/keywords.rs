//! Words that are keywords to sqlparser, and to PostgreSQL only in places, or not at all: elsewhere they name types, tables and columns like any other word.
//!
//! Invariants
//! 1. A word loses its keyword only: rewriters look at how words are spelled, and find them as before.
//!
//! Must not know: statements.

use super::cursor::is_word;
use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Other systems' types and clauses.
pub(super) fn is_foreign(keyword: Keyword) -> bool {
    use Keyword as K;
    matches!(
        keyword,
        K::FLOAT32
            | K::FLOAT64
            | K::TINYINT
            | K::MEDIUMINT
            | K::INT16
            | K::INT32
            | K::INT64
            | K::INT128
            | K::INT256
            | K::HUGEINT
            | K::UBIGINT
            | K::UHUGEINT
            | K::USMALLINT
            | K::UTINYINT
            | K::UINT8
            | K::UINT16
            | K::UINT32
            | K::UINT64
            | K::UINT128
            | K::UINT256
            | K::NVARCHAR
            | K::CLOB
            | K::VARBINARY
            | K::BLOB
            | K::TINYBLOB
            | K::MEDIUMBLOB
            | K::LONGBLOB
            | K::BYTES
            | K::DATE32
            | K::DATETIME
            | K::DATETIME64
            | K::TIMESTAMP_NTZ
            | K::STRING
            | K::FIXEDSTRING
            | K::TINYTEXT
            | K::MEDIUMTEXT
            | K::LONGTEXT
            | K::BIGNUMERIC
            | K::BIGDECIMAL
            | K::ENUM8
            | K::ENUM16
            | K::SIGNED
            | K::UNSIGNED
            | K::ANTI
            | K::ASYNC
            | K::AUTOINCREMENT
            | K::AUTO_INCREMENT
            | K::ASOF
            | K::CHARACTERS
            | K::CLONE
            | K::CONNECT
            | K::DIRECTORY
            | K::DISTRIBUTE
            | K::DIV
            | K::GLOB
            | K::MATCH_CONDITION
            | K::MATCH_RECOGNIZE
            | K::MAX
            | K::MEMBER
            | K::MINUS
            | K::OCTETS
            | K::OPEN
            | K::OUTPUT
            | K::PIVOT
            | K::PREWHERE
            | K::PROJECTION
            | K::QUALIFY
            | K::REGEXP
            | K::RLIKE
            | K::SEMI
            | K::SETTINGS
            | K::SORT
            | K::SORTKEY
            | K::STRICT
            | K::TOP
            | K::UNPIVOT
            | K::XOR
    )
}

/// Takes away the keyword of words that are names where they stand.
pub(super) fn settle(tokens: &mut [TokenWithSpan]) {
    for n in 0..tokens.len() {
        let Token::Word(w) = &tokens[n].token else { continue };
        let before = n.checked_sub(1).map(|n| &tokens[n].token);
        let next = tokens.get(n + 1).map(|t| &t.token);
        let is_call = next == Some(&Token::LParen);
        let is_name = match w.keyword {
            Keyword::INTERVAL => is_column_of_intervals(before, next),
            Keyword::TRIM | Keyword::UNNEST | Keyword::CUBE | Keyword::ROLLUP => !is_call,
            Keyword::REPLACE => !is_call && !is_word(before, "or"),
            Keyword::PARTITION => !is_word(next, "by") && !is_word(next, "of"),
            Keyword::FORMAT => !is_word(next, "json"),
            Keyword::GLOBAL => !is_word(next, "temporary") && !is_word(next, "temp"),
            Keyword::EXISTS => !is_call && !is_word(before, "if") && !is_word(before, "not"),
            Keyword::IDENTITY => {
                !["as", "replica", "restart", "continue", "drop"].iter().any(|w| is_word(before, w))
            }
            Keyword::LOCAL => is_word(before, "into"),
            Keyword::MATCH => !["full", "partial", "simple"].iter().any(|w| is_word(next, w)),
            _ => false,
        };
        if is_name && let Token::Word(w) = &mut tokens[n].token {
            w.keyword = Keyword::NoKeyword;
        }
    }
}

/// Whether `interval` is a column in an expression, not a type or the beginning of a literal.
fn is_column_of_intervals(before: Option<&Token>, next: Option<&Token>) -> bool {
    const WORDS: [&str; 21] = [
        "select",
        "distinct",
        "all",
        "where",
        "and",
        "or",
        "not",
        "on",
        "by",
        "having",
        "case",
        "when",
        "then",
        "else",
        "set",
        "returning",
        "using",
        "between",
        "in",
        "like",
        "from",
    ];
    const FIELDS: [&str; 6] = ["year", "month", "day", "hour", "minute", "second"];
    let begins = match before {
        Some(Token::Word(w)) if w.quote_style.is_none() => {
            WORDS.iter().any(|word| w.value.eq_ignore_ascii_case(word))
        }
        Some(Token::DoubleColon | Token::RParen | Token::RBracket | Token::Number(..)) | None => false,
        Some(Token::Word(_) | Token::Period) => false,
        Some(_) => true,
    };
    let is_literal = matches!(
        next,
        Some(
            Token::SingleQuotedString(_)
                | Token::EscapedStringLiteral(_)
                | Token::UnicodeStringLiteral(_)
                | Token::DollarQuotedString(_)
                | Token::LParen
        )
    );
    begins && !is_literal && !FIELDS.iter().any(|f| is_word(next, f))
}
