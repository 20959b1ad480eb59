//! How deep the tree of a statement can become, from its tokens.
//!
//! Parentheses nest trees. Operators, keywords and clauses chain them: `a + b + c` is a tree as deep as it has operators, though no parser
//! recursed to build it. The bound adds, along the deepest path of parentheses, what is chained at each level: at most one level of the tree for each token that
//! is counted here.
//!
//! A comma begins a new chain, but in a FROM list, which becomes a chain of joins, and behind WITH, where each query may use the one before: there the depths
//! of the parts add up.
//!
//! Windows are a chain as well, wherever they stand.
//!
//! What stands between two ORs and is nothing but an operand (`a = 1 AND b = 2`) hangs side by side with others of its kind: of these the deepest counts. An ORM asks for
//! thousands of keys of two columns so. Words of clauses stand beside others, or behind values: where two meet without an operator it may be more than an operand.
//!
//! Must not know: the parser.

use evenkeel_types::error::SqlError;
use evenkeel_types::guard::stack::MAX_DEPTH;
use evenkeel_types::guard::{Pace, too_deep};
use sqlparser::keywords::Keyword as K;
use sqlparser::tokenizer::{Token, TokenWithSpan};

/// Each window is a sort and what is computed over it, above those before: a chain, whatever parentheses its call stands in.
const WINDOW_LEVELS: usize = 3;

/// One level of parentheses.
#[derive(Clone, Copy, Default)]
struct Level {
    /// Of the current chain.
    chain: usize,
    /// The deepest parenthesis in it.
    inner: usize,
    /// Of the chains before.
    before: usize,
    /// Commas do not begin a new chain.
    joins: bool,
    /// Parentheses add up.
    sums: bool,
    /// Of the chain, what came since the last OR; None: not only an operand of it.
    operand: Option<usize>,
    /// The deepest of the operands that are no longer in the chain.
    operands: usize,
    /// A value may end here: only an operator goes on with an operand.
    is_value: bool,
}

impl Level {
    fn depth(&self) -> usize {
        self.before.max(self.chain + self.operands + self.inner)
    }

    fn chained(&mut self, levels: usize) {
        self.chain += levels;
        self.operand = self.operand.map(|o| o + levels);
    }

    /// A word that is no operator, or another value.
    fn value(&mut self) {
        if self.is_value {
            self.operand = None;
        }
        self.is_value = true;
    }

    fn or(&mut self) {
        self.is_value = false;
        if let Some(operand) = self.operand {
            self.chain -= operand;
            self.operands = self.operands.max(operand);
        }
        self.chain += 1;
        self.operand = Some(0);
    }

    fn comma(&mut self) {
        if !self.joins && !self.sums {
            self.before = self.depth();
            (self.chain, self.inner, self.operands) = (0, 0, 0);
        }
        (self.operand, self.is_value) = (None, false);
    }

    /// A parenthesis in it ends.
    fn take(&mut self, inner: &Level) {
        let depth = inner.depth() + 1;
        self.inner = if self.sums { self.inner + depth } else { self.inner.max(depth) };
        // Subscripts and calls chain as operators do: a[1][1], f(1)(1).
        self.chained(1);
        self.is_value = true;
    }
}

/// A bound of the depth of the tree, or 54001 if it could be deeper than any may.
pub(super) fn of_statement(tokens: &[TokenWithSpan]) -> Result<usize, SqlError> {
    let mut open = vec![Level::default()];
    let mut after_word = false;
    let (mut pace, mut windows) = (Pace::default(), 0);
    for t in tokens {
        pace.step()?;
        let was_word = std::mem::take(&mut after_word);
        let Some(last) = open.last_mut() else { break };
        match &t.token {
            Token::LParen | Token::LBracket => {
                open.push(Level::default());
                if open.len() > MAX_DEPTH {
                    return Err(too_deep());
                }
                continue;
            }
            Token::RParen | Token::RBracket => {
                if open.len() > 1
                    && let Some(inner) = open.pop()
                    && let Some(outer) = open.last_mut()
                {
                    outer.take(&inner);
                    if outer.depth() > MAX_DEPTH {
                        return Err(too_deep());
                    }
                }
                continue;
            }
            Token::Comma => last.comma(),
            Token::Number(..) | Token::SingleQuotedString(_) | Token::Placeholder(_) => last.value(),
            Token::Period => last.is_value = false,
            Token::Word(w) => {
                let keyword = if w.quote_style.is_none() { w.keyword } else { K::NoKeyword };
                last.joins |= matches!(keyword, K::FROM | K::USING);
                last.sums |= keyword == K::WITH;
                after_word = true;
                windows += usize::from(keyword == K::OVER);
                if keyword == K::OR {
                    last.or();
                } else {
                    match keyword {
                        K::AND | K::NOT | K::IS | K::IN | K::LIKE | K::ILIKE | K::BETWEEN => {
                            last.is_value = false
                        }
                        _ => last.value(),
                    }
                    if chains(keyword) && !is_operator(keyword) {
                        last.operand = None;
                    }
                    last.chained(usize::from(was_word || chains(keyword)));
                }
            }
            _ => {
                last.chained(1);
                last.is_value = false;
            }
        }
        if last.chain > MAX_DEPTH {
            return Err(too_deep());
        }
    }
    // Parentheses that were not closed: the parser may have built all of it before it notices.
    let depth = open.iter().map(|l| l.depth() + 1).sum::<usize>() + windows * WINDOW_LEVELS;
    if depth > MAX_DEPTH { Err(too_deep()) } else { Ok(depth) }
}

/// Keywords with which an operand of OR goes on.
fn is_operator(keyword: K) -> bool {
    matches!(keyword, K::AND | K::NOT | K::IS | K::IN | K::LIKE | K::ILIKE | K::BETWEEN)
}

/// Keywords that put a tree around what stands before or behind them. Any other word does so only beside another word.
fn chains(keyword: K) -> bool {
    matches!(
        keyword,
        K::AND
            | K::OR
            | K::NOT
            | K::UNION
            | K::INTERSECT
            | K::EXCEPT
            | K::MINUS
            | K::JOIN
            | K::CASE
            | K::IS
            | K::NOTNULL
            | K::IN
            | K::LIKE
            | K::ILIKE
            | K::SIMILAR
            | K::BETWEEN
            | K::COLLATE
            | K::AT
            | K::SELECT
            | K::VALUES
            | K::INTERVAL
            | K::ARRAY
            | K::EXPLAIN
            | K::PREPARE
            | K::DIV
            | K::XOR
            | K::ESCAPE
            | K::OVERLAPS
            | K::OPERATOR
            | K::WITH
            | K::FROM
            | K::TABLE
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse::tokenize;

    fn depth(sql: &str) -> usize {
        of_statement(&tokenize(sql).unwrap()).unwrap()
    }

    #[test]
    fn lists_are_not_deep_and_chains_are() {
        assert!(depth(&format!("select {}", vec!["1"; 5000].join(","))) < 10);
        assert!(depth(&format!("insert into t values {}", vec!["(1, 'a')"; 5000].join(","))) < 20);
        assert!(depth(&format!("select {}", vec!["1"; 5000].join("+"))) >= 5000);
        assert!(depth(&format!("select * from {}", vec!["t a"; 3000].join(","))) >= 3000);
        assert!(depth(&format!("select 1::int{}", "[]".repeat(3000))) >= 3000);
        let ctes: Vec<String> = (1..500).map(|n| format!("c{n} as (select * from c{})", n - 1)).collect();
        assert!(depth(&format!("with c0 as (select 1), {} select * from c499", ctes.join(","))) >= 1000);
    }

    #[test]
    fn operands_of_or_hang_side_by_side() {
        let keys = |key: &str| format!("select * from t where {}", vec![key; 6000].join(" or "));
        assert!((6000..6100).contains(&depth(&keys("t.a = 1 and \"t\".\"b\" = $2 and c is not null"))));
        assert!((6000..6100).contains(&depth(&keys("(a, b) in ((1, 2)) and not c"))));
        // What clauses there are between them nests.
        let end_only =
            format!("select {} 1 {}", "case when a then (b or ".repeat(10), "or null end)".repeat(10));
        assert!(depth(&end_only) >= 30);
        let nested = format!("select {} 1 {}", "case when a or b then ".repeat(1000), "end ".repeat(1000));
        assert!(depth(&nested) >= 2000);
        let strings = format!(
            "select {} 1 {}",
            "case -E'x' when -E'x' then - E'x' or ".repeat(1000),
            "end ".repeat(1000)
        );
        assert!(depth(&strings) >= 2000);
        let joins = format!("select * from t {}", "join t on true join t on a = 1 or b = 1 ".repeat(500));
        assert!(depth(&joins) >= 2000);
        assert!(depth(&format!("select a or {} b from t", "- ".repeat(3000))) >= 3000);
    }

    #[test]
    fn windows_are_a_chain() {
        let over = |n: usize| {
            let calls: Vec<String> =
                (0..n).map(|i| format!("coalesce(sum(a) over (order by a + {i}), 0)")).collect();
            format!("select {} from t", calls.join(", "))
        };
        assert!(depth(&over(800)) >= 1600);
        assert!(of_statement(&tokenize(&over(4000)).unwrap()).is_err());
    }

    #[test]
    fn what_is_chained_at_each_level_adds_up() {
        let level = |inner: &str| format!("({inner}){}", "+1".repeat(200));
        let mut sql = "1".to_owned();
        for _ in 0..40 {
            sql = level(&sql);
        }
        assert!(depth(&format!("select {sql}")) >= 8000);
        assert!(of_statement(&tokenize(&format!("select {}", "(1+".repeat(9000))).unwrap()).is_err());
    }
}
