//! PostgreSQL's dialect of sqlparser, and a way to stop its parser.
//!
//! The parser knows no interrupts, but asks its dialect who it is several times for each piece of grammar. [`Stoppable`] answers as PostgreSQL's, and looks
//! every so often whether the statement may go on. If not, the parser is unwound: it has no effects, and an error would be taken for a failed attempt
//! by its backtracking.
//!
//! Must not know: statements.

use super::cursor::fold;
use super::reserved::is_no_name;
use evenkeel_types::error::SqlError;
use evenkeel_types::guard::stop::Watch;
use evenkeel_types::quote::is_bare;
use sqlparser::ast::{BinaryOperator, DataType, Expr, Ident, TypedString};
use sqlparser::dialect::{Dialect, PostgreSqlDialect, Precedence};
use sqlparser::keywords::Keyword;
use sqlparser::parser::{Parser, ParserError};
use sqlparser::tokenizer::Token;
use std::any::TypeId;

/// Questions between two looks.
const QUESTIONS: u32 = 1024;

/// The dialect.
#[derive(Debug)]
pub(super) struct Stoppable {
    inner: PostgreSqlDialect,
    watch: Watch,
}

impl Stoppable {
    pub(super) fn new() -> Stoppable {
        Stoppable { inner: PostgreSqlDialect {}, watch: Watch::of_text(QUESTIONS) }
    }

    /// Parses something, or says why it was stopped.
    pub(super) fn run<T>(&self, parse: impl FnOnce() -> T) -> Result<T, SqlError> {
        self.watch.run(parse)
    }
}

/// Whether `VALUES (` comes next, in parentheses: a query, which the parser knows there by other words only.
fn begins_values(parser: &Parser<'_>) -> bool {
    matches!(&parser.peek_nth_token_ref(0).token, Token::Word(w) if w.keyword == Keyword::VALUES && w.quote_style.is_none())
        && parser.peek_nth_token_ref(1).token == Token::LParen
        && parser.get_current_token().token == Token::LParen
}

/// How long a type's modifier may be.
const MAX_MODIFIER_TOKENS: usize = 8;

/// Whether a name that a type may have comes next, and then a string.
fn is_typed_text(parser: &Parser<'_>) -> bool {
    let is_name = |n: usize, any_word: bool| match &parser.peek_nth_token_ref(n).token {
        Token::Word(w) => any_word || w.quote_style == Some('"') || is_bare(&w.value.to_ascii_lowercase()),
        _ => false,
    };
    if !is_name(0, false) {
        return false;
    }
    let mut n = 1;
    while parser.peek_nth_token_ref(n).token == Token::Period && is_name(n + 1, true) {
        n += 2;
    }
    // A modifier.
    if parser.peek_nth_token_ref(n).token == Token::LParen {
        let is_part = |t: &Token| matches!(t, Token::Number(..) | Token::Comma | Token::Minus);
        let count =
            (1..MAX_MODIFIER_TOKENS).take_while(|k| is_part(&parser.peek_nth_token_ref(n + k).token)).count();
        if count == 0 || parser.peek_nth_token_ref(n + count + 1).token != Token::RParen {
            return false;
        }
        n += count + 2;
    }
    matches!(
        parser.peek_nth_token_ref(n).token,
        Token::SingleQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::UnicodeStringLiteral(_)
            | Token::DollarQuotedString(_)
    )
}

/// A literal, if one comes next. The parser itself would look for a type before a string first, and fail with a text, for each of a long list.
fn literal(parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
    let is_literal = matches!(
        parser.peek_token_ref().token,
        Token::Number(..)
            | Token::SingleQuotedString(_)
            | Token::EscapedStringLiteral(_)
            | Token::Placeholder(_)
    );
    is_literal.then(|| parser.parse_value().map(Expr::Value))
}

/// Whether a word comes next that is nothing but a name, and begins neither a call nor a type before a string: another thing for which the parser would not have to
/// look for types first.
fn is_mere_name(parser: &Parser<'_>) -> bool {
    let is_name = matches!(&parser.peek_token_ref().token, Token::Word(w) if w.keyword == Keyword::NoKeyword);
    is_name
        && matches!(
            parser.peek_nth_token_ref(1).token,
            Token::Comma
                | Token::Period
                | Token::RParen
                | Token::Eq
                | Token::Neq
                | Token::Lt
                | Token::LtEq
                | Token::Gt
                | Token::GtEq
                | Token::Plus
                | Token::Minus
                | Token::Mul
                | Token::Div
                | Token::DoubleColon
                | Token::StringConcat
                | Token::SemiColon
                | Token::EOF
                | Token::Word(_)
        )
}

/// Where a word that names a type, and no function unless it is quoted, stands before parentheses that are none of that type before a string: the token that the grammar does not go on with.
fn misused_type(parser: &Parser<'_>) -> Option<usize> {
    let token = |n: usize| &parser.peek_nth_token_ref(n).token;
    let Token::Word(w) = token(0) else { return None };
    let is_qualified = parser.get_current_token().token == Token::Period;
    if is_qualified || w.quote_style.is_some() || *token(1) != Token::LParen {
        return None;
    }
    let behind = match w.keyword {
        Keyword::BIGINT | Keyword::INT | Keyword::INTEGER | Keyword::SMALLINT | Keyword::BOOLEAN => {
            return Some(1);
        }
        Keyword::REAL | Keyword::SETOF | Keyword::NONE | Keyword::PRECISION => return Some(1),
        // One number.
        Keyword::TIME
        | Keyword::TIMESTAMP
        | Keyword::INTERVAL
        | Keyword::FLOAT
        | Keyword::CHAR
        | Keyword::CHARACTER
        | Keyword::VARCHAR
        | Keyword::NCHAR => match (token(2), token(3)) {
            (Token::Number(..), Token::RParen) => 4,
            (Token::Number(..), _) => return Some(3),
            _ => return Some(2),
        },
        // Whatever expressions.
        Keyword::NUMERIC | Keyword::DECIMAL | Keyword::DEC | Keyword::BIT => {
            let mut depth = 0;
            let closes = |n: &usize| {
                match token(*n) {
                    Token::LParen => depth += 1,
                    Token::RParen => depth -= 1,
                    _ => {}
                }
                depth == 0
            };
            (1..MAX_MODIFIER_TOKENS).find(closes)? + 1
        }
        _ => return None,
    };
    let goes_on = match token(behind) {
        Token::SingleQuotedString(_) | Token::EscapedStringLiteral(_) => true,
        Token::UnicodeStringLiteral(_) | Token::DollarQuotedString(_) => true,
        Token::Word(w) => matches!(w.keyword, Keyword::WITH | Keyword::WITHOUT),
        _ => false,
    };
    (!goes_on).then_some(behind)
}

/// Takes an operator, if one comes next: `%%`, `OPERATOR(%%)`, or `OPERATOR(schema.%%)`, whose schema it has before it.
fn prefix_operator(parser: &mut Parser<'_>) -> Option<Ident> {
    let operator = |n: usize, any: bool| match &parser.peek_nth_token_ref(n).token {
        Token::CustomBinaryOperator(operator) => Some(operator.clone()),
        token if any && !matches!(token, Token::Word(_) | Token::EOF) => Some(token.to_string()),
        _ => None,
    };
    let token = |n: usize| &parser.peek_nth_token_ref(n).token;
    let (found, len) = match token(0) {
        Token::Word(w) if w.quote_style.is_none() && w.keyword == Keyword::OPERATOR => {
            match (token(1), token(2), token(3)) {
                (Token::LParen, Token::Word(schema), Token::Period) if *token(5) == Token::RParen => {
                    let schema = fold(&schema.value, schema.quote_style.is_some());
                    (format!("{schema}.{}", operator(4, true)?), 6)
                }
                (Token::LParen, _, Token::RParen) => (operator(2, true)?, 4),
                _ => return None,
            }
        }
        _ => (operator(0, false)?, 1),
    };
    let span = parser.peek_token_ref().span;
    (0..len).for_each(|_| parser.advance_token());
    Some(Ident { value: found, quote_style: None, span })
}

macro_rules! as_postgresql {
    ($($name:ident)*) => { $(fn $name(&self) -> bool {
            self.watch.look();
            self.inner.$name()
        })* };
}

/// Words that name an output behind AS alone, as in PostgreSQL: what they begin may follow a list of outputs.
const LABELS_BY_AS: [Keyword; 38] = [
    Keyword::ARRAY,
    Keyword::AS,
    Keyword::CHAR,
    Keyword::CHARACTER,
    Keyword::CREATE,
    Keyword::DAY,
    Keyword::EXCEPT,
    Keyword::FETCH,
    Keyword::FILTER,
    Keyword::FOR,
    Keyword::FROM,
    Keyword::GRANT,
    Keyword::GROUP,
    Keyword::HAVING,
    Keyword::HOUR,
    Keyword::INTERSECT,
    Keyword::INTO,
    Keyword::LIMIT,
    Keyword::MINUTE,
    Keyword::MONTH,
    Keyword::NOTNULL,
    Keyword::OFFSET,
    Keyword::ON,
    Keyword::ORDER,
    Keyword::OVER,
    Keyword::OVERLAPS,
    Keyword::PRECISION,
    Keyword::RETURNING,
    Keyword::SECOND,
    Keyword::TO,
    Keyword::UNION,
    Keyword::VARYING,
    Keyword::WHERE,
    Keyword::WINDOW,
    Keyword::WITH,
    Keyword::WITHIN,
    Keyword::WITHOUT,
    Keyword::YEAR,
];

impl Dialect for Stoppable {
    fn dialect(&self) -> TypeId {
        self.watch.look();
        self.inner.dialect()
    }

    fn identifier_quote_style(&self, identifier: &str) -> Option<char> {
        self.inner.identifier_quote_style(identifier)
    }

    fn is_delimited_identifier_start(&self, ch: char) -> bool {
        self.inner.is_delimited_identifier_start(ch)
    }

    fn is_identifier_start(&self, ch: char) -> bool {
        self.inner.is_identifier_start(ch)
    }

    fn is_identifier_part(&self, ch: char) -> bool {
        self.inner.is_identifier_part(ch)
    }

    fn is_custom_operator_part(&self, ch: char) -> bool {
        self.inner.is_custom_operator_part(ch)
    }

    fn is_reserved_for_identifier(&self, kw: Keyword) -> bool {
        self.inner.is_reserved_for_identifier(kw)
    }

    fn is_table_alias(&self, kw: &Keyword, parser: &mut Parser<'_>) -> bool {
        let is_reserved = matches!(
            kw,
            Keyword::ALL
                | Keyword::AND
                | Keyword::ANY
                | Keyword::ARRAY
                | Keyword::ASC
                | Keyword::CHECK
                | Keyword::COLLATE
                | Keyword::CONSTRAINT
                | Keyword::CREATE
                | Keyword::DEFAULT
                | Keyword::DESC
                | Keyword::DISTINCT
                | Keyword::DO
                | Keyword::GRANT
                | Keyword::ILIKE
                | Keyword::IN
                | Keyword::IS
                | Keyword::LIKE
                | Keyword::NOT
                | Keyword::NULL
                | Keyword::ONLY
                | Keyword::OR
                | Keyword::SOME
                | Keyword::TABLE
                | Keyword::THEN
                | Keyword::VARIADIC
        );
        !is_reserved
            && !is_no_name(Some(&parser.get_current_token().token))
            && self.inner.is_table_alias(kw, parser)
    }

    fn is_table_factor_alias(&self, explicit: bool, kw: &Keyword, parser: &mut Parser<'_>) -> bool {
        match explicit {
            true => !is_no_name(Some(&parser.get_current_token().token)),
            false => self.is_table_alias(kw, parser),
        }
    }

    fn is_column_alias(&self, kw: &Keyword, parser: &mut Parser<'_>) -> bool {
        !LABELS_BY_AS.contains(kw) && self.inner.is_column_alias(kw, parser)
    }

    fn get_next_precedence(&self, parser: &Parser<'_>) -> Option<Result<u8, ParserError>> {
        self.watch.look();
        self.inner.get_next_precedence(parser)
    }

    /// `type 'text'`, of a type that the parser does not know by name; and an operator before its operand that it knows only between two.
    fn parse_prefix(&self, parser: &mut Parser<'_>) -> Option<Result<Expr, ParserError>> {
        self.watch.look();
        if let Some(literal) = literal(parser) {
            return Some(literal);
        }
        if let Some(prefix) = prefix_operator(parser) {
            let precedence = self.inner.prec_value(Precedence::PgOther);
            let of = |value| Expr::Prefixed { prefix, value: Box::new(value) };
            return Some(parser.parse_subexpr(precedence).map(of));
        }
        if begins_values(parser) {
            return Some(parser.parse_query().map(Expr::Subquery));
        }
        if let Some(n) = misused_type(parser) {
            let token = parser.peek_nth_token_ref(n).clone();
            return Some(parser.expected("a type and a string", token));
        }
        if !is_typed_text(parser) {
            return is_mere_name(parser).then(|| parser.parse_identifier().map(Expr::Identifier));
        }
        let typed = parser.maybe_parse(|p| match p.parse_data_type()? {
            DataType::Interval { .. } => p.expected("a type", p.peek_token()),
            data_type => Ok(Expr::TypedString(TypedString {
                data_type,
                value: p.parse_value()?,
                uses_odbc_syntax: false,
            })),
        });
        typed.transpose()
    }

    /// COLLATE behind a cast. Comparisons do not associate: nothing else tells `a = b < c` from `(a = b) < c`.
    fn parse_infix(
        &self,
        parser: &mut Parser<'_>,
        left: &Expr,
        precedence: u8,
    ) -> Option<Result<Expr, ParserError>> {
        use BinaryOperator as B;
        // Behind a cast or a subscript; the parser knows it behind what begins an expression. Not in a chain, of which each link would be copied again.
        let is_collate =
            matches!(&parser.peek_token_ref().token, Token::Word(w) if w.keyword == Keyword::COLLATE);
        if is_collate && !matches!(left, Expr::Collate { .. }) {
            parser.advance_token();
            let made = |collation| Expr::Collate { expr: Box::new(left.clone()), collation };
            return Some(parser.parse_object_name(false).map(made));
        }
        if precedence != self.inner.prec_value(Precedence::Eq) {
            return None;
        }
        let Expr::BinaryOp { op: B::Eq | B::NotEq | B::Lt | B::LtEq | B::Gt | B::GtEq, .. } = left else {
            return None;
        };
        let next = parser.peek_token();
        matches!(next.token, Token::Eq | Token::Neq | Token::Lt | Token::LtEq | Token::Gt | Token::GtEq)
            .then(|| parser.expected("end of expression", next))
    }

    /// Behind a query of WITH, where a name stands for its clauses.
    fn supports_from_first_insert(&self) -> bool {
        true
    }

    fn prec_value(&self, prec: Precedence) -> u8 {
        match prec {
            // Nothing but the colon itself, or the bracket, ends a subscript: `a[i | 1 : 2]`.
            Precedence::Colon => self.inner.prec_unknown(),
            prec => self.inner.prec_value(prec),
        }
    }

    as_postgresql! {
        supports_unicode_string_literal supports_filter_during_aggregation supports_group_by_expr
        supports_alter_user_as_alter_role allow_extract_custom allow_extract_single_quotes
        supports_create_index_with_clause supports_explain_with_utility_options supports_listen_notify
        supports_exclude_constraint supports_factorial_operator supports_bitwise_shift_operators supports_comment_on
        supports_load_extension supports_named_fn_args_with_colon_operator supports_named_fn_args_with_expr_name
        supports_empty_projections supports_nested_comments supports_string_escape_constant
        supports_numeric_literal_underscores supports_array_typedef_with_brackets supports_geometric_types
        supports_order_by_using_operator supports_set_names supports_alter_column_type_using
        supports_left_associative_joins_without_parens supports_notnull_operator supports_interval_options
        supports_insert_table_alias supports_create_table_like_parenthesized supports_select_wildcard_with_alias
        supports_comma_separated_trim supports_xml_expressions supports_aliased_function_args
        supports_comment_optimizer_hint
    }
}
